// What #if may ask about the compiler: __has_attribute and its kin, which gcc and clang have. The answer is yes where
// what is asked about is accepted here and means what it means there.
#include "lang/parse.h"
#include "lang/preprocess_state.h"

#include <assert.h>
#include <string.h>

const char *pp_question_name(enum pp_question question)
{
    static const char *const names[PP_QUESTION_COUNT] = {
        [PP_HAS_INCLUDE] = "__has_include",         [PP_HAS_ATTRIBUTE] = "__has_attribute",
        [PP_HAS_C_ATTRIBUTE] = "__has_c_attribute", [PP_HAS_BUILTIN] = "__has_builtin",
        [PP_HAS_FEATURE] = "__has_feature",         [PP_HAS_EXTENSION] = "__has_extension",
    };
    assert(names[question] != NULL);
    return names[question];
}

bool pp_is_defined(const struct lex_name *name)
{
    return name->macro != NULL || name->question != PP_ASKS_NOTHING;
}

// Those of the standard by the year and month of their meaning.
static long has_c_attribute(const char *name)
{
    static const struct {
        const char *name;
        long version;
    } known[] = {{"deprecated", 201904},
                 {"fallthrough", 201910},
                 {"maybe_unused", 202106},
                 {"nodiscard", 202003},
                 {"noreturn", 202202}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (declare_is_attribute(name, known[i].name)) {
            return known[i].version;
        }
    }
    return 0;
}

static bool has_feature(const char *name)
{
    static const char *const known[] = {"c_static_assert", "c_generic_selections", "c_alignas", "c_alignof",
                                        "attribute_ext_vector_type"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_builtin(const struct lex_name *name)
{
    bool is_gnu = strncmp(name->text, "__builtin_", 10) == 0;
    return is_gnu &&
           (name->macro != NULL || strcmp(name->text, "__builtin_offsetof") == 0 || builtin_gnu_has(name->text + 10));
}

long pp_answer(enum pp_question question, const struct lex_name *prefix, const struct lex_name *name)
{
    const char *before = prefix != NULL ? prefix->text : "";
    bool is_gnu = declare_is_attribute(before, "gnu") || declare_is_attribute(before, "clang");
    switch (question) {
    case PP_HAS_ATTRIBUTE: return (prefix == NULL || is_gnu) && declare_has_attribute(name->text);
    case PP_HAS_C_ATTRIBUTE:
        return prefix == NULL ? has_c_attribute(name->text) : is_gnu && declare_has_attribute(name->text);
    case PP_HAS_BUILTIN: return prefix == NULL && has_builtin(name);
    case PP_HAS_FEATURE:
    case PP_HAS_EXTENSION: return prefix == NULL && has_feature(name->text);
    default: return 0;
    }
}
