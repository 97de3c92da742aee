// A name is changed by underscores behind it, until it is none of those around it.
#include "runtime/package_names.h"

#include "base/hash.h"
#include "base/status.h"
#include "runtime/module.h"

#include <string.h>

// Words that a kernel, or a parameter, may have as a name and the header may not: of C++, and the header's own. So are
// all that begin with rill_, and what stands before the bodies of functions in C ends in _at_.
static const char *const taken[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "bitand",
    "bitor",
    "bool",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "constexpr",
    "consteval",
    "constinit",
    "const_cast",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "typeof",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
    "main",
    "stream",
    "place_",
    "args_",
    "list_",
    "out_result",
    "result",
};

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(taken[i], name) == 0) {
            return true;
        }
    }
    bool is_of_rill = strncmp(name, "rill_", 5) == 0 || strncmp(name, "RILL_", 5) == 0;
    return is_of_rill && !ends_in(name, "__"); // none of its own ends so
}

// Whether |name| is one of the words of the type's: of "struct particle" it may be the second.
static bool is_word_of(const struct ir_ctype *type, const char *name)
{
    size_t length = strlen(name);
    const char *at = type != NULL && type->name != NULL ? type->name : "";
    for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

// A macro's parameter is replaced in all of its text, which has the names of the types; in C++ one that is named like
// its type hides it from those that follow.
static bool is_used_beside(const struct plan_kernel *kernel, int index, const char *name)
{
    for (int i = 0; i < kernel->param_count - kernel->hidden_count; i++) {
        const struct plan_param *param = &kernel->params[i];
        const struct ir_ctype *type = param->is_array ? reflect_element(param->ctype) : param->ctype;
        if (is_word_of(type, name) || (i != index && strcmp(param->name, name) == 0)) {
            return true;
        }
    }
    return is_word_of(kernel->return_ctype, name);
}

const char *package_name_of_param(struct arena *arena, const struct plan_kernel *kernel, int index)
{
    const char *name = kernel->params[index].name;
    while (is_taken(name) || ends_in(name, "_at_") || is_used_beside(kernel, index, name)) {
        name = arena_printf(arena, "%s_", name);
    }
    return name;
}

const char *package_name_of_kernel(struct arena *arena, const struct plan_kernel *kernel)
{
    const char *name = kernel->name;
    while (is_taken(name)) {
        name = arena_printf(arena, "%s_", name);
    }
    return name;
}

// ---- functions of one name ----------------------------------------------------------------------------------------

struct functions {
    struct hash_map makers; // from names to the kernel that has a function of it, or to the package
    const char *prefix;
    struct arena *arena;
};

static rill_status add(struct functions *functions, const char *function, const char *maker)
{
    size_t length = strlen(function);
    const char *other = hash_map_get(&functions->makers, function, length);
    if (other != NULL) {
        return status_fail(RILL_ERR_INVALID,
                           "rill_package_build: the header would have two functions %s(), for %s and for %s: rename a "
                           "kernel, or give the functions a prefix or the package another name",
                           function, other, maker);
    }
    hash_map_set(&functions->makers, function, length, arena_strdup(functions->arena, maker));
    return RILL_OK;
}

static rill_status add_kernel(struct functions *functions, const struct plan_kernel *kernel)
{
    struct arena *arena = functions->arena;
    const char *name = arena_printf(arena, "%s%s", functions->prefix, package_name_of_kernel(arena, kernel));
    const char *maker = arena_printf(arena, "the kernel '%s'", kernel->name);
    RILL_TRY(add(functions, name, maker));
    RILL_TRY(add(functions, arena_printf(arena, "%s_at_", name), maker));
    if (kernel->return_ctype == NULL) {
        return RILL_OK;
    }
    RILL_TRY(add(functions, arena_printf(arena, "%s_to", name), maker));
    return add(functions, arena_printf(arena, "%s_to_at_", name), maker);
}

rill_status package_names_check(struct arena *arena, const char *package, const char *prefix,
                                const struct plan_module *plan)
{
    struct functions functions = {.prefix = prefix, .arena = arena};
    hash_map_init(&functions.makers, arena);
    RILL_TRY(add(&functions, arena_printf(arena, "%s_module", package), "the package"));
    RILL_TRY(add(&functions, arena_printf(arena, "%s_package", package), "the package"));
    for (int i = 0; i < plan->kernel_count; i++) {
        RILL_TRY(add_kernel(&functions, plan->kernels[i]));
    }
    return RILL_OK;
}
