#ifndef RILL_RUNTIME_MODULE_H
#define RILL_RUNTIME_MODULE_H

#include "base/arena.h"
#include "plan/plan.h"
#include "runtime/context.h"
#include "runtime/retire.h"
#include "runtime/rule.h"
#include "runtime/source.h"

struct module;
struct package;

struct kernel {
    struct context *context;     // borrowed
    struct backend_image *image; // borrowed from the module
    struct module *module;       // one reference
    int index;                   // in the plan
    uint64_t id;
    atomic_bool is_untold;                   // the next launch says which of its loops run in order: see tell.h
    struct backend_kernel known;             // what a launch asks of its plan, and the back end
    struct arg_rule few_rules[ARG_RULE_FEW]; // where |rules| are if they are few: a launch finds them here
    const struct plan_kernel *plan;          // borrowed from the module, and so is what follows
    const struct arg_rule *rules;            //
    const struct footprint_rule *footprint;  // what launches touch; only in contexts with an order
    int footprint_count;                     //
    bool footprint_has_expr;                 // a rule of it is more than a number times an argument
    rill_param_info *params;                 //
    rill_type_info *returns;                 //
};

// Lives until its handle, the handles of its kernels and the launches of them are gone.
struct module {
    struct retirement retirement; // first
    struct context *context;      // borrowed
    uint64_t id;
    atomic_int reference_count; // the module's handle and those of its kernels
    struct arena arena;         // holds what follows
    struct source *source;
    uint64_t image_hash; // of what it was compiled to
    struct plan_module *plan;
    struct backend_image *image; // owned
    struct kernel *kernels;      // plan->kernel_count of them
    rill_field_info *fields;     // plan->field_count of them
};

// What a module is made of: text, or a package that was verified, whose source and options stand in the other fields.
struct module_request {
    const char *who;
    const char *text;
    size_t length;
    const char *path; // NULL: as the options say
    const rill_module_options *options;
    const struct package *package; // NULL: none
    bool was_warned;               // what the compiler warns of was said, or nobody is to hear it: see tell.h
    bool was_told;                 // and which loops run in order
};

rill_status module_make(struct context *context, const struct module_request *request, rill_module *out_module);

void module_dispose(struct module *module); // the handle is gone
void kernel_dispose(struct kernel *kernel); //
void module_forget_files(struct context *context);

// Enters the context of a module and pins it; context_end() is the way back.
rill_status module_begin(const char *who, rill_module handle, struct context **out_context, struct module **out_module);
rill_status module_out_of_range(const char *who, size_t index, int count, const char *what);

// Enters the context of a kernel and pins it.
rill_status kernel_begin(const char *who, rill_kernel handle, struct context **out_context, struct kernel **out_kernel);
// The same for a launch, with a |stripe| for its stream: launches of different streams do not meet here. And back.
rill_status kernel_begin_launch(const char *who, rill_kernel handle, unsigned stripe, struct context **out_context,
                                struct kernel **out_kernel);
void kernel_end_launch(struct context *context, const struct kernel *kernel, unsigned stripe);

// reflect.c: fills the infos of a module's kernels and fields from its plan.
void reflect_module(struct module *module);
rill_type reflect_scalar(const struct ir_ctype *ctype);               // RILL_RECORD if it is none
const struct ir_ctype *reflect_element(const struct ir_ctype *ctype); // through arrays

#endif
