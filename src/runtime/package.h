// Packages in a context: opened by the first call that needs one there, once, and found by their address afterwards.
#ifndef RILL_RUNTIME_PACKAGE_H
#define RILL_RUNTIME_PACKAGE_H

#include "rill/package.h"
#include "runtime/cache_entry.h"
#include "runtime/package_format.h"
#include "runtime/source.h"

struct context;
struct module_request;

struct package_wanted {
    const char *who;
    const struct package *package;
    const struct source *source; // what the package holds, with what the environment adds to it
    bool at_last;                // no compiler can be had: what was built has to do
};

// Finds the image that fits the context's device best, and verifies it. Without one the entry has no bytes, and the
// source is to be compiled; with |at_last| that is an error, which names the device and what was built.
rill_status package_find_image(struct context *context, const struct package_wanted *wanted,
                               struct cache_entry *out_entry);

// rill_package_build(), with arguments that were checked.
rill_status package_build(const char *who, const char *text, const rill_module_options *options,
                          const rill_package_options *package, rill_built *out_built);

// RILL_AHEAD, a testing aid: what would be compiled is built ahead of time, and opened. NULL: it is not set.
const char *package_wanted_ahead(void);
rill_status package_make_ahead(struct context *context, const struct module_request *request, rill_module *out);

void package_forget_all(struct context *context);

#endif
