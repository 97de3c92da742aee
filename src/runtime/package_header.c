// A function takes numbers as the kernel does. What it takes for an array is checked by the compiler: in C++ by the
// type of the parameter (rill_typed_ in rill/typed.h), in C by a macro of the function's name, which chooses by the
// type of what is passed (RILL_TYPED_ there); its place in the program goes along for reports.
#include "runtime/package_header.h"

#include "base/status.h"
#include "base/str.h"
#include "plan/plan.h"
#include "rill/rill.h"
#include "runtime/cache_entry.h"
#include "runtime/module.h"
#include "runtime/package_names.h"
#include "runtime/package_types.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const struct package_header *header;
    struct str out;
    struct package_types types;
    const struct plan_module *plan;
    const char *upper; // the name in capitals
    struct arena *arena;
};

// ---- names --------------------------------------------------------------------------------------------------------

static const char *param_name(struct text *text, const struct plan_kernel *kernel, int index)
{
    return package_name_of_param(text->arena, kernel, index);
}

static int param_count(const struct plan_kernel *kernel)
{
    return kernel->param_count - kernel->hidden_count;
}

static const char *in_capitals(struct arena *arena, const char *name)
{
    char *upper = arena_strdup(arena, name);
    for (char *at = upper; *at != '\0'; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
    return upper;
}

// ---- types --------------------------------------------------------------------------------------------------------

static const struct {
    rill_type type;
    const char *name;
} type_names[] = {
#define TYPE_NAME(name, value, bytes, text) {RILL_##name, #name},
    RILL_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
};

static const char *type_name(rill_type type)
{
    for (size_t i = 0; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (type_names[i].type == type) {
            return type_names[i].name;
        }
    }
    return NULL;
}

// How a number is written in C and C++.
static const char *scalar_words(const struct ir_ctype *type)
{
    rill_type scalar = reflect_scalar(type);
    return scalar == RILL_F16 || scalar == RILL_BF16 ? "float" : type->is_bool ? "bool" : type->name;
}

static const char *number_maker(const struct ir_ctype *type)
{
    switch (reflect_scalar(type)) {
    case RILL_F16:
    case RILL_BF16:
    case RILL_F32:
    case RILL_F64: return "rill_arg_float";
    default: return type->is_unsigned || type->is_bool ? "rill_arg_uint" : "rill_arg_int";
    }
}

// What an array's elements are: the host has words for them, or else only handles and rill_args are taken.
struct element {
    const struct ir_ctype *type;
    const char *scalar; // "F32"; NULL: none
    bool is_record;     // that has words
};

static struct element element_of(const struct plan_param *param)
{
    struct element element = {.type = reflect_element(param->ctype)};
    if (element.type != NULL && element.type->kind == IR_CTYPE_SCALAR) {
        element.scalar = type_name(reflect_scalar(element.type));
    }
    element.is_record = package_type_has_words(element.type);
    return element;
}

static bool is_written(const struct plan_kernel *kernel, int index)
{
    return !kernel->params[index].is_const;
}

// ---- one kernel ---------------------------------------------------------------------------------------------------

static void put_cxx_array(struct text *text, const struct plan_kernel *kernel, int index)
{
    const struct plan_param *param = &kernel->params[index];
    struct element element = element_of(param);
    bool writes = is_written(kernel, index);
    const char *form = param->rank == 0 ? (writes ? "rill_typed_whole_" : "rill_typed_whole_const_")
                                        : (writes ? "rill_typed_" : "rill_typed_const_");
    if (element.scalar != NULL) {
        str_printf(&text->out, "const %s<rill_typed_scalar_<RILL_%s> > &%s", form, element.scalar,
                   param_name(text, kernel, index));
    } else if (element.is_record) {
        str_printf(&text->out, "const %s<%s> &%s", form, element.type->name, param_name(text, kernel, index));
    } else {
        str_printf(&text->out, "const rill_typed_whole_<void> &%s", param_name(text, kernel, index));
    }
}

static void put_param(struct text *text, const struct plan_kernel *kernel, int index, bool is_cxx)
{
    const struct plan_param *param = &kernel->params[index];
    const char *name = param_name(text, kernel, index);
    if (param->is_array && is_cxx) {
        put_cxx_array(text, kernel, index);
    } else if (param->is_array) {
        str_printf(&text->out, "rill_arg %s", name);
    } else if (param->is_struct && package_type_has_words(param->ctype)) {
        str_printf(&text->out, "%s %s", param->ctype->name, name);
    } else if (param->is_struct) {
        str_printf(&text->out, "rill_arg %s", name);
    } else {
        str_printf(&text->out, "%s %s", scalar_words(param->ctype), name);
    }
}

// "(rill_stream stream, int n, rill_arg a"
static void put_params(struct text *text, const struct plan_kernel *kernel, bool is_cxx)
{
    str_add(&text->out, "rill_stream stream");
    for (int i = 0; i < param_count(kernel); i++) {
        str_add(&text->out, ", ");
        put_param(text, kernel, i, is_cxx);
    }
}

static void put_list(struct text *text, const struct plan_kernel *kernel, bool is_cxx)
{
    int count = param_count(kernel);
    str_printf(&text->out, "    rill_arg args_[%d];\n    rill_args list_;\n", count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        const struct plan_param *param = &kernel->params[i];
        const char *name = param_name(text, kernel, i);
        str_printf(&text->out, "    args_[%d] = ", i);
        if (param->is_array) {
            str_printf(&text->out, is_cxx ? "%s.arg;\n" : "%s;\n", name);
        } else if (param->is_struct && package_type_has_words(param->ctype)) {
            str_printf(&text->out, "rill_arg_struct(&%s, sizeof %s);\n", name, name);
        } else if (param->is_struct) {
            str_printf(&text->out, "%s;\n", name);
        } else {
            str_printf(&text->out, "%s(%s);\n", number_maker(param->ctype), name);
        }
    }
    str_printf(&text->out, "    list_.items = args_;\n    list_.count = %d;\n", count);
}

// What a kernel has functions for: it is launched; or, if it returns something, called, or launched with a place for
// that.
enum form { FORM_LAUNCH, FORM_CALL, FORM_TO };

static const char *form_ending(enum form form)
{
    return form == FORM_TO ? "_to" : "";
}

static const char *result_words(const struct ir_ctype *type)
{
    rill_type scalar = reflect_scalar(type);
    return type->kind == IR_CTYPE_SCALAR ? (scalar == RILL_F16 || scalar == RILL_BF16 ? "uint16_t" : scalar_words(type))
           : package_type_has_words(type) ? type->name
                                          : "void";
}

static void put_result_param(struct text *text, const struct plan_kernel *kernel, enum form form)
{
    if (form == FORM_TO) {
        str_add(&text->out, ", rill_array result");
    } else if (form == FORM_CALL) {
        str_printf(&text->out, ", %s *out_result", result_words(kernel->return_ctype));
    }
}

static void put_call(struct text *text, const struct plan_kernel *kernel, int index, enum form form, bool is_cxx)
{
    const char *name = text->header->name;
    if (form == FORM_LAUNCH) {
        str_printf(&text->out, "    return rill_package_launch(%s_package(), %d, %s, stream, list_);\n}\n", name, index,
                   is_cxx ? "NULL" : "place_");
    } else if (form == FORM_CALL) {
        str_printf(&text->out, "    return rill_package_call(%s_package(), %d, stream, list_, out_result, %llu);\n}\n",
                   name, index, (unsigned long long)kernel->return_ctype->size);
    } else {
        str_printf(&text->out, "    return rill_package_launch_result(%s_package(), %d, stream, list_, result);\n}\n",
                   name, index);
    }
}

static void put_cxx_function(struct text *text, int index, enum form form)
{
    const struct plan_kernel *kernel = text->plan->kernels[index];
    // Static: packages of one program may have kernels of one name, and the linker keeps one inline function of each.
    str_printf(&text->out, "RILL_NODISCARD static inline rill_status %s%s%s(", text->header->prefix,
               package_name_of_kernel(text->arena, kernel), form_ending(form));
    put_params(text, kernel, true);
    put_result_param(text, kernel, form);
    str_add(&text->out, ")\n{\n");
    put_list(text, kernel, true);
    put_call(text, kernel, index, form, true);
}

// What the macro makes of an argument for parameter |index|.
static void put_c_argument(struct text *text, const struct plan_kernel *kernel, int index)
{
    const struct plan_param *param = &kernel->params[index];
    const char *name = param_name(text, kernel, index);
    struct element element = element_of(param);
    const char *access = is_written(kernel, index) ? "" : "CONST_";
    if (!param->is_array) {
        str_printf(&text->out, param->is_struct ? ", (%s)" : ", RILL_TYPED_NUMBER_(%s)", name);
    } else if (param->rank == 0 || (element.scalar == NULL && !element.is_record)) {
        str_printf(&text->out, ", RILL_TYPED_WHOLE_(%s)", name);
    } else if (element.scalar != NULL) {
        str_printf(&text->out, ", RILL_TYPED_%s%s_(%s)", access, element.scalar, name);
    } else {
        str_printf(&text->out, ", RILL_TYPED_%sRECORD_(%s, %s)", access, name, element.type->name);
    }
}

static void put_c_function(struct text *text, int index, enum form form)
{
    const struct plan_kernel *kernel = text->plan->kernels[index];
    const char *function = arena_printf(text->arena, "%s%s%s", text->header->prefix,
                                        package_name_of_kernel(text->arena, kernel), form_ending(form));
    bool has_place = form == FORM_LAUNCH;
    str_printf(&text->out, "RILL_NODISCARD static inline rill_status %s_at_(%s", function,
               has_place ? "const char *place_, " : "");
    put_params(text, kernel, false);
    put_result_param(text, kernel, form);
    str_add(&text->out, ")\n{\n");
    put_list(text, kernel, false);
    put_call(text, kernel, index, form, false);
    str_printf(&text->out, "#define %s(stream", function);
    for (int i = 0; i < param_count(kernel); i++) {
        str_printf(&text->out, ", %s", param_name(text, kernel, i));
    }
    const char *last = form == FORM_CALL ? "out_result" : form == FORM_TO ? "result" : NULL;
    str_printf(&text->out, "%s%s) %s_at_(%s(stream)", last != NULL ? ", " : "", last != NULL ? last : "", function,
               has_place ? "RILL_PLACE_, " : "");
    for (int i = 0; i < param_count(kernel); i++) {
        put_c_argument(text, kernel, i);
    }
    if (form == FORM_CALL) {
        str_printf(&text->out, ", RILL_TYPED_RESULT_(out_result, %s)", result_words(kernel->return_ctype));
    } else if (form == FORM_TO) {
        str_add(&text->out, ", (result)");
    }
    str_add(&text->out, ")\n");
}

static void put_functions(struct text *text, bool is_cxx)
{
    for (int i = 0; i < text->plan->kernel_count; i++) {
        bool returns = text->plan->kernels[i]->return_ctype != NULL;
        for (enum form form = returns ? FORM_CALL : FORM_LAUNCH; form <= (returns ? FORM_TO : FORM_LAUNCH); form++) {
            str_add(&text->out, "\n");
            if (is_cxx) {
                put_cxx_function(text, i, form);
            } else {
                put_c_function(text, i, form);
            }
        }
    }
}

// ---- the header ---------------------------------------------------------------------------------------------------

// The kernel as its source has it.
static void put_prototype(struct text *text, const struct plan_kernel *kernel)
{
    str_printf(&text->out, "//   %s%s(stream", text->header->prefix, package_name_of_kernel(text->arena, kernel));
    for (int i = 0; i < param_count(kernel); i++) {
        const struct plan_param *param = &kernel->params[i];
        const struct ir_ctype *type = param->is_array ? reflect_element(param->ctype) : param->ctype;
        str_printf(&text->out, ", %s%s %s%s", param->is_array && param->is_const ? "const " : "",
                   type != NULL && type->name != NULL ? type->name : "void",
                   param->is_array && param->rank == 0 ? "*" : "", param->name);
        for (int k = 0; param->is_array && k < param->rank; k++) {
            struct str extent;
            str_init(&extent, text->arena);
            plan_expr_print(kernel, param->extents[k], &extent);
            str_printf(&text->out, "[%s]", str_text(&extent));
        }
    }
    if (kernel->return_ctype != NULL) {
        str_printf(&text->out, ", %s *out_result) waits; _to(…, rill_array result) does not\n",
                   kernel->return_ctype->name);
    } else {
        str_add(&text->out, ")\n");
    }
}

static void put_opening(struct text *text)
{
    const struct package_header *header = text->header;
    str_printf(&text->out, "// Made of %s by rill build %s. Do not change it: build it again.\n//\n", header->path,
               rill_version());
    for (int i = 0; i < text->plan->kernel_count; i++) {
        put_prototype(text, text->plan->kernels[i]);
    }
    str_printf(&text->out,
               "//\n// An array is a rill_array, RILL_HOST or RILL_PTR memory, or, if it has extents, a plain pointer "
               "to host\n"
               "// memory of so many elements. %s_module(context, &module) gives the module, for its fields.\n",
               header->name);
    str_printf(&text->out,
               "#ifndef RILL_PACKAGE_%s_H\n#define RILL_PACKAGE_%s_H\n\n#include <rill/rill.h>\n"
               "#include <rill/typed.h>\n\n#include <stdbool.h>\n#include <stdint.h>\n",
               text->upper, text->upper);
    if (header->include != NULL) {
        str_printf(&text->out, "#include \"%s\"\n", header->include);
    }
}

static void declare(struct text *text, const struct ir_ctype *type, bool asserts)
{
    if (!package_type_has_words(type)) {
        return;
    }
    if (asserts) {
        size_t length = strlen(type->name);
        if (hash_map_get(&text->types.done, type->name, length) == NULL) {
            hash_map_set(&text->types.done, type->name, length, text);
            package_types_assert(&text->types, text->header->name, type);
        }
    } else {
        package_types_declare(&text->types, type);
    }
}

static void declare_all(struct text *text, bool asserts)
{
    package_types_init(&text->types, &text->out, text->arena);
    for (int i = 0; i < text->plan->kernel_count; i++) {
        const struct plan_kernel *kernel = text->plan->kernels[i];
        for (int k = 0; k < param_count(kernel); k++) {
            const struct plan_param *param = &kernel->params[k];
            declare(text, param->is_array ? reflect_element(param->ctype) : param->ctype, asserts);
        }
        declare(text, kernel->return_ctype, asserts);
    }
}

static bool has_records(const struct text *text)
{
    bool has_some = false;
    for (int i = 0; i < text->plan->kernel_count; i++) {
        const struct plan_kernel *kernel = text->plan->kernels[i];
        has_some |= package_type_has_words(kernel->return_ctype);
        for (int k = 0; k < param_count(kernel); k++) {
            const struct ir_ctype *type = kernel->params[k].ctype;
            has_some |= package_type_has_words(kernel->params[k].is_array ? reflect_element(type) : type);
        }
    }
    return has_some;
}

static void put_types(struct text *text)
{
    if (text->header->include == NULL && has_records(text)) {
        str_printf(&text->out,
                   "\n// A program that declares these itself defines %s_OWN_TYPES before it includes this.\n"
                   "#ifndef %s_OWN_TYPES\n",
                   text->upper, text->upper);
        declare_all(text, false);
        str_add(&text->out, "#endif\n");
    }
    declare_all(text, true);
}

static void put_package(struct text *text)
{
    const struct package_header *header = text->header;
    const char *name = header->name;
    str_printf(&text->out,
               "\n#ifdef __cplusplus\nextern \"C\" const unsigned char rill_package_%s[];\n#else\n"
               "extern const unsigned char rill_package_%s[];\n#endif\n\n"
               "// In %s.o.\nstatic inline const rill_package *%s_package(void)\n{\n"
               "    static const rill_package package = {rill_package_%s, UINT64_C(%llu), UINT64_C(0x%016llx)};\n"
               "    return &package;\n}\n\n"
               "// The module of |context|: for fields, kernels by name, and reflection.\n"
               "RILL_NODISCARD static inline rill_status %s_module(rill_context context, rill_module *out_module)\n{\n"
               "    return rill_package_module(context, %s_package(), out_module);\n}\n",
               name, name, name, name, name, (unsigned long long)header->size, (unsigned long long)header->check, name,
               name);
}

static rill_status read_plan(struct text *text)
{
    struct cache_entry entry;
    struct image_header image;
    const struct package_image *from = text->header->image;
    if (!cache_entry_read(from->payload, from->size, &entry)) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_package_build: no memory for the header");
    }
    const unsigned char *bytes = entry.result.bytes;
    assert(entry.result.size > sizeof image); // the compiler made it
    memcpy(&image, bytes, sizeof image);
    cache_entry_free(&entry);
    struct plan_module *plan;
    RILL_TRY(plan_read(text->arena, bytes + image.plan_offset, image.plan_size, &plan));
    text->plan = plan;
    return RILL_OK;
}

rill_status package_header_make(const struct package_header *header, struct arena *arena, char **out_text)
{
    struct text text = {.header = header, .arena = arena, .upper = in_capitals(arena, header->name)};
    str_init(&text.out, arena);
    RILL_TRY(read_plan(&text));
    RILL_TRY(package_names_check(arena, header->name, header->prefix, text.plan));
    put_opening(&text);
    put_types(&text);
    put_package(&text);
    str_add(&text.out, "\n#ifdef __cplusplus\n");
    put_functions(&text, true);
    str_add(&text.out, "\n#else\n");
    put_functions(&text, false);
    str_add(&text.out, "\n#endif\n#endif\n");
    *out_text = strdup(str_text(&text.out));
    return *out_text != NULL ? RILL_OK
                             : status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_package_build: no memory for the header");
}
