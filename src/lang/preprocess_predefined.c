// The macros that exist before the first line: C's own, and those about sizes and limits that portable code looks at.
// The model is the same for every target: LP64, little endian, char signed. __GNUC__ is not defined: code that asks for
// it wants a compiler that has all of GNU's extensions.
#include "lang/preprocess_state.h"

#include "base/str.h"

#include <string.h>

static const char predefined[] = "#define __STDC__ 1\n"
                                 "#define __STDC_VERSION__ 199901L\n"
                                 "#define __STDC_HOSTED__ 1\n"
                                 "#define __STDC_IEC_559__ 1\n"
                                 "#define __STDC_NO_THREADS__ 1\n"
                                 "#define __STDC_NO_ATOMICS__ 1\n"
                                 "#define __STDC_IEC_559_COMPLEX__ 1\n"
                                 "#define __DATE__ \"Jan  1 1970\"\n" // the same bytes give the same module
                                 "#define __TIME__ \"00:00:00\"\n"
                                 "#define __RILL__ 1\n"
                                 "#define __LP64__ 1\n"
                                 "#define _LP64 1\n"
                                 "#define __CHAR_BIT__ 8\n"
                                 "#define __ORDER_LITTLE_ENDIAN__ 1234\n"
                                 "#define __ORDER_BIG_ENDIAN__ 4321\n"
                                 "#define __ORDER_PDP_ENDIAN__ 3412\n"
                                 "#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__\n"
                                 "#define __FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__\n"
                                 "#define __SIZEOF_SHORT__ 2\n"
                                 "#define __SIZEOF_INT__ 4\n"
                                 "#define __SIZEOF_LONG__ 8\n"
                                 "#define __SIZEOF_LONG_LONG__ 8\n"
                                 "#define __SIZEOF_POINTER__ 8\n"
                                 "#define __SIZEOF_SIZE_T__ 8\n"
                                 "#define __SIZEOF_PTRDIFF_T__ 8\n"
                                 "#define __SIZEOF_WCHAR_T__ 4\n"
                                 "#define __SIZEOF_WINT_T__ 4\n"
                                 "#define __SIZEOF_FLOAT__ 4\n"
                                 "#define __SIZEOF_DOUBLE__ 8\n"
                                 "#define __SIZEOF_LONG_DOUBLE__ 16\n"
                                 "#define __BIGGEST_ALIGNMENT__ 16\n"
                                 "#define __SCHAR_MAX__ 0x7f\n"
                                 "#define __SHRT_MAX__ 0x7fff\n"
                                 "#define __INT_MAX__ 0x7fffffff\n"
                                 "#define __LONG_MAX__ 0x7fffffffffffffffL\n"
                                 "#define __LONG_LONG_MAX__ 0x7fffffffffffffffLL\n"
                                 "#define __WCHAR_MAX__ 0x7fffffff\n"
                                 "#define __WCHAR_MIN__ (-__WCHAR_MAX__ - 1)\n"
                                 "#define __WINT_MAX__ 0xffffffffU\n"
                                 "#define __WINT_MIN__ 0U\n"
                                 "#define __SIZE_MAX__ 0xffffffffffffffffUL\n"
                                 "#define __PTRDIFF_MAX__ 0x7fffffffffffffffL\n"
                                 "#define __INTMAX_MAX__ 0x7fffffffffffffffL\n"
                                 "#define __UINTMAX_MAX__ 0xffffffffffffffffUL\n"
                                 "#define __INTPTR_MAX__ 0x7fffffffffffffffL\n"
                                 "#define __UINTPTR_MAX__ 0xffffffffffffffffUL\n"
                                 "#define __SCHAR_WIDTH__ 8\n"
                                 "#define __SHRT_WIDTH__ 16\n"
                                 "#define __INT_WIDTH__ 32\n"
                                 "#define __LONG_WIDTH__ 64\n"
                                 "#define __LONG_LONG_WIDTH__ 64\n"
                                 "#define __SIZE_WIDTH__ 64\n"
                                 "#define __PTRDIFF_WIDTH__ 64\n"
                                 "#define __INTMAX_WIDTH__ 64\n"
                                 "#define __SIZE_TYPE__ unsigned long\n"
                                 "#define __PTRDIFF_TYPE__ long\n"
                                 "#define __WCHAR_TYPE__ int\n"
                                 "#define __WINT_TYPE__ unsigned int\n"
                                 "#define __INTMAX_TYPE__ long\n"
                                 "#define __UINTMAX_TYPE__ unsigned long\n"
                                 "#define __INTPTR_TYPE__ long\n"
                                 "#define __UINTPTR_TYPE__ unsigned long\n"
                                 "#define __INT8_TYPE__ signed char\n"
                                 "#define __INT16_TYPE__ short\n"
                                 "#define __INT32_TYPE__ int\n"
                                 "#define __INT64_TYPE__ long\n"
                                 "#define __UINT8_TYPE__ unsigned char\n"
                                 "#define __UINT16_TYPE__ unsigned short\n"
                                 "#define __UINT32_TYPE__ unsigned int\n"
                                 "#define __UINT64_TYPE__ unsigned long\n"
                                 "#define __INT8_MAX__ 0x7f\n"
                                 "#define __INT16_MAX__ 0x7fff\n"
                                 "#define __INT32_MAX__ 0x7fffffff\n"
                                 "#define __INT64_MAX__ 0x7fffffffffffffffL\n"
                                 "#define __UINT8_MAX__ 0xff\n"
                                 "#define __UINT16_MAX__ 0xffff\n"
                                 "#define __UINT32_MAX__ 0xffffffffU\n"
                                 "#define __UINT64_MAX__ 0xffffffffffffffffUL\n"
                                 "#define __FLT_RADIX__ 2\n"
                                 "#define __FLT_EVAL_METHOD__ 0\n"
                                 "#define __FLT_MANT_DIG__ 24\n"
                                 "#define __FLT_DIG__ 6\n"
                                 "#define __FLT_MIN_EXP__ (-125)\n"
                                 "#define __FLT_MAX_EXP__ 128\n"
                                 "#define __FLT_MIN_10_EXP__ (-37)\n"
                                 "#define __FLT_MAX_10_EXP__ 38\n"
                                 "#define __FLT_MAX__ 0x1.fffffep+127F\n"
                                 "#define __FLT_MIN__ 0x1p-126F\n"
                                 "#define __FLT_EPSILON__ 0x1p-23F\n"
                                 "#define __FLT_DENORM_MIN__ 0x1p-149F\n"
                                 "#define __DBL_MANT_DIG__ 53\n"
                                 "#define __DBL_DIG__ 15\n"
                                 "#define __DBL_MIN_EXP__ (-1021)\n"
                                 "#define __DBL_MAX_EXP__ 1024\n"
                                 "#define __DBL_MIN_10_EXP__ (-307)\n"
                                 "#define __DBL_MAX_10_EXP__ 308\n"
                                 "#define __DBL_MAX__ 0x1.fffffffffffffp+1023\n"
                                 "#define __DBL_MIN__ 0x1p-1022\n"
                                 "#define __DBL_EPSILON__ 0x1p-52\n"
                                 "#define __DBL_DENORM_MIN__ 0x1p-1074\n";

// C's limit for one string is near: the kin of the above, as gcc has them.
static const char predefined_kin[] = "#define __CHAR16_TYPE__ unsigned short\n"
                                     "#define __CHAR32_TYPE__ unsigned int\n"
                                     "#define __DBL_DECIMAL_DIG__ 17\n"
                                     "#define __DBL_HAS_DENORM__ 1\n"
                                     "#define __DBL_HAS_INFINITY__ 1\n"
                                     "#define __DBL_HAS_QUIET_NAN__ 1\n"
                                     "#define __FLT_DECIMAL_DIG__ 9\n"
                                     "#define __FLT_HAS_DENORM__ 1\n"
                                     "#define __FLT_HAS_INFINITY__ 1\n"
                                     "#define __FLT_HAS_QUIET_NAN__ 1\n"
                                     "#define __GCC_IEC_559 2\n"
                                     "#define __GCC_IEC_559_COMPLEX 2\n"
                                     "#define __INT16_C(c) c\n"
                                     "#define __INT32_C(c) c\n"
                                     "#define __INT64_C(c) c ## L\n"
                                     "#define __INT8_C(c) c\n"
                                     "#define __INTMAX_C(c) c ## L\n"
                                     "#define __INTPTR_WIDTH__ 64\n"
                                     "#define __INT_FAST16_MAX__ 0x7fffffffffffffffL\n"
                                     "#define __INT_FAST16_TYPE__ long\n"
                                     "#define __INT_FAST16_WIDTH__ 64\n"
                                     "#define __INT_FAST32_MAX__ 0x7fffffffffffffffL\n"
                                     "#define __INT_FAST32_TYPE__ long\n"
                                     "#define __INT_FAST32_WIDTH__ 64\n"
                                     "#define __INT_FAST64_MAX__ 0x7fffffffffffffffL\n"
                                     "#define __INT_FAST64_TYPE__ long\n"
                                     "#define __INT_FAST64_WIDTH__ 64\n"
                                     "#define __INT_FAST8_MAX__ 0x7f\n"
                                     "#define __INT_FAST8_TYPE__ signed char\n"
                                     "#define __INT_FAST8_WIDTH__ 8\n"
                                     "#define __INT_LEAST16_MAX__ 0x7fff\n"
                                     "#define __INT_LEAST16_TYPE__ short\n"
                                     "#define __INT_LEAST16_WIDTH__ 16\n"
                                     "#define __INT_LEAST32_MAX__ 0x7fffffff\n"
                                     "#define __INT_LEAST32_TYPE__ int\n"
                                     "#define __INT_LEAST32_WIDTH__ 32\n"
                                     "#define __INT_LEAST64_MAX__ 0x7fffffffffffffffL\n"
                                     "#define __INT_LEAST64_TYPE__ long\n"
                                     "#define __INT_LEAST64_WIDTH__ 64\n"
                                     "#define __INT_LEAST8_MAX__ 0x7f\n"
                                     "#define __INT_LEAST8_TYPE__ signed char\n"
                                     "#define __INT_LEAST8_WIDTH__ 8\n"
                                     "#define __SIG_ATOMIC_MAX__ 0x7fffffff\n"
                                     "#define __SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1)\n"
                                     "#define __SIG_ATOMIC_TYPE__ int\n"
                                     "#define __SIG_ATOMIC_WIDTH__ 32\n"
                                     "#define __STDC_UTF_16__ 1\n"
                                     "#define __STDC_UTF_32__ 1\n"
                                     "#define __UINT16_C(c) c\n"
                                     "#define __UINT32_C(c) c ## U\n"
                                     "#define __UINT64_C(c) c ## UL\n"
                                     "#define __UINT8_C(c) c\n"
                                     "#define __UINTMAX_C(c) c ## UL\n"
                                     "#define __UINT_FAST16_MAX__ 0xffffffffffffffffUL\n"
                                     "#define __UINT_FAST16_TYPE__ unsigned long\n"
                                     "#define __UINT_FAST32_MAX__ 0xffffffffffffffffUL\n"
                                     "#define __UINT_FAST32_TYPE__ unsigned long\n"
                                     "#define __UINT_FAST64_MAX__ 0xffffffffffffffffUL\n"
                                     "#define __UINT_FAST64_TYPE__ unsigned long\n"
                                     "#define __UINT_FAST8_MAX__ 0xff\n"
                                     "#define __UINT_FAST8_TYPE__ unsigned char\n"
                                     "#define __UINT_LEAST16_MAX__ 0xffff\n"
                                     "#define __UINT_LEAST16_TYPE__ unsigned short\n"
                                     "#define __UINT_LEAST32_MAX__ 0xffffffffU\n"
                                     "#define __UINT_LEAST32_TYPE__ unsigned int\n"
                                     "#define __UINT_LEAST64_MAX__ 0xffffffffffffffffUL\n"
                                     "#define __UINT_LEAST64_TYPE__ unsigned long\n"
                                     "#define __UINT_LEAST8_MAX__ 0xff\n"
                                     "#define __UINT_LEAST8_TYPE__ unsigned char\n"
                                     "#define __WCHAR_WIDTH__ 32\n"
                                     "#define __WINT_WIDTH__ 32\n";

// The definitions of the options, as lines of a text.
static void add_defines(struct preprocessor *pp, struct str *text)
{
    for (int i = 0; i < pp->options->define_count; i++) {
        const struct preprocess_define *define = &pp->options->defines[i];
        str_printf(text, "#define %s %s\n", define->name, define->value != NULL ? define->value : "1");
    }
}

// Runs the lines of a text that holds directives and nothing else.
static void run_text(struct preprocessor *pp, const char *path, const char *text, size_t length, bool builtin)
{
    struct lex_token token;
    pp_open_text(pp, path, text, length, builtin);
    pp->file->depth = 0;
    pp->reading_args = true; // the end of this text is an end
    pp_next_from_file(pp, &token);
    pp->reading_args = false;
    if (token.kind != LEX_EOF) {
        diag_error(pp->diags, token.loc, "only definitions can stand here");
    }
    pp->file = pp->file->outer;
}

void pp_predefine(struct preprocessor *pp)
{
    pp_add_builtin(pp, "__FILE__", MACRO_FILE);
    pp_add_builtin(pp, "__LINE__", MACRO_LINE);
    pp_add_builtin(pp, "__COUNTER__", MACRO_COUNTER);
    pp_add_builtin(pp, "__INCLUDE_LEVEL__", MACRO_INCLUDE_LEVEL);
    pp->predefining = true;
    run_text(pp, "<built-in>", predefined, sizeof predefined - 1, true);
    run_text(pp, "<built-in>", predefined_kin, sizeof predefined_kin - 1, true);
    pp->predefining = false;
    if (pp->options->define_count > 0) {
        struct str text;
        str_init(&text, pp->arena);
        add_defines(pp, &text);
        run_text(pp, "<command line>", str_text(&text), text.length, false);
    }
}
