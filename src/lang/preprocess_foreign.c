// Pragmas of C and of other compilers. Hints (unrolling, diagnostics, regions of an editor) are passed over without a
// word. One that would change what the program computes is done, or it is said that it is not: an error where the
// layout of data depends on it, a warning otherwise.
#include "lang/preprocess_state.h"

#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

enum treatment { IS_HINT, IS_IGNORED, IS_REFUSED };

// |words| are the first word of the pragma, or the first two. The first entry that fits counts.
static const struct foreign_pragma {
    const char *words;
    enum treatment treatment;
    const char *why; // completes "'#pragma weak' is ignored: …"
} foreign_pragmas[] = {
    {"GCC diagnostic", IS_HINT, NULL},
    {"GCC system_header", IS_HINT, NULL},
    {"GCC dependency", IS_HINT, NULL},
    {"GCC poison", IS_HINT, NULL},
    {"GCC visibility", IS_HINT, NULL},
    {"GCC ivdep", IS_HINT, NULL},
    {"GCC unroll", IS_HINT, NULL},
    {"GCC novector", IS_HINT, NULL},
    {"GCC push_options", IS_HINT, NULL},
    {"GCC pop_options", IS_HINT, NULL},
    {"GCC reset_options", IS_HINT, NULL},
    {"GCC target", IS_HINT, NULL},
    {"GCC optimize", IS_HINT, NULL},
    {"clang diagnostic", IS_HINT, NULL},
    {"clang loop", IS_HINT, NULL},
    {"clang optimize", IS_HINT, NULL},
    {"clang assume_nonnull", IS_HINT, NULL},
    {"clang system_header", IS_HINT, NULL},
    {"clang poison", IS_HINT, NULL},
    {"STDC CX_LIMITED_RANGE", IS_HINT, NULL},
    {"STDC FENV_ACCESS", IS_IGNORED, "rounding is to nearest everywhere, and there are no exception flags"},
    {"fenv_access", IS_IGNORED, "rounding is to nearest everywhere, and there are no exception flags"},
    {"float_control", IS_IGNORED, "use the module's options, or '#pragma STDC FP_CONTRACT'"},
    {"weak", IS_IGNORED, "a kernel file is not linked with others; each name means what this file defines"},
    {"redefine_extname", IS_IGNORED, "a kernel file is not linked with others; each name means what this file defines"},
    {"extern_prefix", IS_IGNORED, "a kernel file is not linked with others; each name means what this file defines"},
    {"init", IS_IGNORED, "nothing runs before a kernel does"},
    {"fini", IS_IGNORED, "nothing runs after a kernel did"},
    {"acc", IS_IGNORED, "loops run in parallel where that gives serial C's result; '#pragma rill parallel' insists"},
    {"scalar_storage_order", IS_REFUSED, "memory is little-endian"},
    {"ms_struct", IS_REFUSED, "structs lie as gcc lays them out for x86-64"},
    {"options", IS_REFUSED, "structs lie as gcc lays them out for x86-64; '#pragma pack' is known"},
    {"align", IS_REFUSED, "write _Alignas at the object"},
    {"unroll", IS_HINT, NULL},
    {"nounroll", IS_HINT, NULL},
    {"unroll_and_jam", IS_HINT, NULL},
    {"nounroll_and_jam", IS_HINT, NULL},
    {"ivdep", IS_HINT, NULL},
    {"vector", IS_HINT, NULL},
    {"novector", IS_HINT, NULL},
    {"simd", IS_HINT, NULL},
    {"loop", IS_HINT, NULL},
    {"loop_count", IS_HINT, NULL},
    {"parallel", IS_HINT, NULL},
    {"noparallel", IS_HINT, NULL},
    {"prefetch", IS_HINT, NULL},
    {"noprefetch", IS_HINT, NULL},
    {"distribute_point", IS_HINT, NULL},
    {"inline", IS_HINT, NULL},
    {"noinline", IS_HINT, NULL},
    {"forceinline", IS_HINT, NULL},
    {"intrinsic", IS_HINT, NULL},
    {"optimize", IS_HINT, NULL},
    {"warning", IS_HINT, NULL},
    {"message", IS_HINT, NULL},
    {"comment", IS_HINT, NULL},
    {"ident", IS_HINT, NULL},
    {"mark", IS_HINT, NULL},
    {"region", IS_HINT, NULL},
    {"endregion", IS_HINT, NULL},
    {"diag_suppress", IS_HINT, NULL},
    {"diag_default", IS_HINT, NULL},
    {"nv_diag_suppress", IS_HINT, NULL},
    {"nv_diag_default", IS_HINT, NULL},
    {"nv_exec_check_disable", IS_HINT, NULL},
    {"hd_warning_disable", IS_HINT, NULL},
};

static const struct foreign_pragma *find_foreign(const char *first, const char *second)
{
    for (size_t i = 0; i < sizeof foreign_pragmas / sizeof *foreign_pragmas; i++) {
        const struct foreign_pragma *pragma = &foreign_pragmas[i];
        size_t length = strcspn(pragma->words, " ");
        bool fits = strlen(first) == length && memcmp(first, pragma->words, length) == 0;
        if (fits && (pragma->words[length] == '\0' || strcmp(pragma->words + length + 1, second) == 0)) {
            return pragma;
        }
    }
    return NULL;
}

// ---- contraction ---------------------------------------------------------------------------------------------------

static bool is_word(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (i < length && word[i] != '\0' && toupper((unsigned char)text[i]) == word[i]) {
        i++;
    }
    return i == length && word[i] == '\0';
}

// ON, OFF or DEFAULT from the text, which may have parentheses: `(off)`. Anything else is an error.
static bool contraction(struct preprocessor *pp, struct loc loc, const char *text, struct lex_token *out)
{
    static const char *const words[] = {"ON", "OFF", "DEFAULT", "FAST"};
    text += strspn(text, "( ");
    size_t length = strcspn(text, " )");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(text, length, words[i])) {
            *out = pp_pragma_token(loc, words[i], PRAGMA_CONTRACT);
            return true;
        }
    }
    diag_error(pp->diags, loc, "a pragma about contraction takes ON, OFF or DEFAULT, not '%s'", text);
    return false;
}

// `#pragma clang fp contract(off) reassociate(on)`.
static bool clang_fp(struct preprocessor *pp, struct loc loc, const char *text, struct lex_token *out)
{
    const char *contract = strstr(text, "contract");
    return contract != NULL && contraction(pp, loc, contract + strlen("contract"), out);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static void openmp(struct preprocessor *pp, struct loc loc)
{
    if (!pp->said_openmp) {
        diag_warning(pp->diags, loc,
                     "OpenMP's pragmas are ignored: loops run in parallel where that gives serial C's result; "
                     "'#pragma rill parallel' insists");
    }
    pp->said_openmp = true;
}

static void unknown(struct preprocessor *pp, struct loc loc, const char *first, const char *second)
{
    static const char *const known[] = {"rill", "pack", "once", "push_macro", "pop_macro", "STDC"};
    const char *nearest = diag_suggest(first, known, sizeof known / sizeof *known);
    const char *gap = second[0] != '\0' ? " " : "";
    if (nearest != NULL) {
        diag_warning(pp->diags, loc, "unknown pragma '%s%s%s' is ignored; did you mean '%s'?", first, gap, second,
                     nearest);
    } else {
        diag_warning(pp->diags, loc, "unknown pragma '%s%s%s' is ignored", first, gap, second);
    }
}

static void treat(struct preprocessor *pp, struct loc loc, const struct foreign_pragma *pragma, const char *text)
{
    if (pragma->treatment == IS_REFUSED) {
        diag_error(pp->diags, loc, "'#pragma %s' is not supported: %s", pragma->words, pragma->why);
    } else if (pragma->treatment == IS_IGNORED) {
        diag_warning(pp->diags, loc, "'#pragma %s' is ignored: %s", pragma->words, pragma->why);
    } else if (strstr(text, "fp-contract") != NULL) { // GCC optimize("fp-contract=off")
        diag_warning(pp->diags, loc, "'#pragma %s' does not set contraction: write '#pragma STDC FP_CONTRACT OFF'",
                     pragma->words);
    }
}

bool pp_foreign_pragma(struct preprocessor *pp, struct loc loc, const struct lex_token *first, struct lex_token *out)
{
    const char *name = arena_strndup(pp->arena, first->text, first->length);
    const char *text = pp_rest_of_pragma(pp);
    const char *second = arena_strndup(pp->arena, text, strcspn(text, " (\""));
    const char *rest = text + strlen(second);
    if (strcmp(name, "omp") == 0) {
        openmp(pp, loc);
    } else if (strcmp(name, "fp_contract") == 0) {
        return contraction(pp, loc, text, out);
    } else if (strcmp(name, "STDC") == 0 && strcmp(second, "FP_CONTRACT") == 0) {
        return contraction(pp, loc, rest, out);
    } else if (strcmp(name, "clang") == 0 && strcmp(second, "fp") == 0) {
        return clang_fp(pp, loc, rest, out);
    } else if (strcmp(name, "GCC") == 0 && strcmp(second, "error") == 0) {
        diag_error(pp->diags, loc, "#pragma GCC error%s", rest);
    } else if (strcmp(name, "GCC") == 0 && strcmp(second, "warning") == 0) {
        diag_warning(pp->diags, loc, "#pragma GCC warning%s", rest);
    } else {
        const struct foreign_pragma *pragma = find_foreign(name, second);
        if (pragma != NULL) {
            treat(pp, loc, pragma, text);
        } else {
            unknown(pp, loc, name, second);
        }
    }
    return false;
}
