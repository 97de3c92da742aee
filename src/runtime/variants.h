// Variants inside: variants.c has the objects, what is known of shape classes, and launches; variants_try.c runs them
// on copies of the arguments; variants_compare.c says whether two results agree.
#ifndef RILL_RUNTIME_VARIANTS_H
#define RILL_RUNTIME_VARIANTS_H

#include "rill/variants.h"
#include "runtime/cache.h"
#include "runtime/context.h"

enum decision_state { DECISION_OPEN, DECISION_TRYING, DECISION_MADE };

// What is known of a shape class. Made once, and there until the variants are gone.
struct decision {
    struct decision *next; // constant
    uint64_t class;        //
    atomic_int state;      // enum decision_state; what follows is constant once it is made
    bool is_remembered;    //
    size_t index;          //
    double milliseconds[RILL_MAX_VARIANTS];
};

struct variants {
    struct context *context; // borrowed
    uint64_t id;
    rill_kernel kernels[RILL_MAX_VARIANTS];
    size_t count;
    rill_variants_options options;
    struct cache_key identity; // of the kernels' code and the device
    size_t param_count;
    bool is_array[RILL_MAX_ARGS];         // of parameters
    bool has_length[RILL_MAX_ARGS];       // arrays without extents: how long they are decides
    bool is_number[RILL_MAX_ARGS];        // integers
    bool is_written[RILL_MAX_ARGS];       // arrays that a kernel may write
    _Atomic(struct decision *) decisions; // owned
};

void variants_dispose(struct variants *variants); // the handle and every pin are gone

// Runs all kernels on copies of the arguments, which |stream| is used for, and fills in a decision that the calling
// thread tries. RILL_ERR_NOT_READY: they cannot be tried here and now, and nothing is decided. RILL_ERR_CONFLICT, with
// a message.
rill_status variants_try(const struct variants *variants, rill_stream stream, rill_args args,
                         struct decision *decision);

// Whether |got| agrees with |wanted|, |count| elements of |type| each. Else |out_words| says where and how not.
bool variants_agree(const rill_type_info *type, const void *wanted, const void *got, size_t count, double tolerance,
                    char out_words[256]);

#endif
