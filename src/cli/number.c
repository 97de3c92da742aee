// Numbers of the command line: C's spellings, held to what the parameter's type can take, so that nothing wraps or
// rounds in silence.
#include "cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool parse_float(const char *text, const rill_type_info *type, rill_arg *out)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || (errno == ERANGE && isinf(value))) {
        return false;
    }
    *out = rill_arg_float(value);
    if (type->type == RILL_F16 || type->type == RILL_BF16) {
        double held = type->type == RILL_F16 ? rill_f16_to_double(rill_f16_from_double(value))
                                             : rill_bf16_to_double(rill_bf16_from_double(value));
        return !isfinite(value) || isfinite(held);
    }
    return type->type != RILL_F32 || !isfinite(value) || fabs(value) <= (double)FLT_MAX;
}

// 1e6 and 2.0 are integers too; 1.5 is not.
static bool parse_whole(const char *text, bool *is_negative, uint64_t *magnitude)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || value != floor(value) || fabs(value) >= 0x1p64) { // a NaN equals nothing
        return false;
    }
    *is_negative = value < 0;
    *magnitude = (uint64_t)fabs(value);
    return true;
}

static bool parse_integer(const char *text, const rill_type_info *type, rill_arg *out)
{
    bool is_negative = text[0] == '-';
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t magnitude;
    if (strpbrk(digits, is_hex ? ".pP" : ".eE") != NULL) {
        if (!parse_whole(text, &is_negative, &magnitude)) {
            return false;
        }
    } else {
        char *end;
        errno = 0;
        magnitude = strtoull(digits, &end, 0);
        if (digits[0] < '0' || digits[0] > '9' || *end != '\0' || errno == ERANGE) {
            return false;
        }
    }
    bool is_unsigned = type->type == RILL_BOOL || type->type % 2 != 0; // the unsigned types have the odd numbers
    uint64_t most = type->type == RILL_BOOL ? 1 : UINT64_MAX >> (64 - 8 * type->size + (is_unsigned ? 0 : 1));
    if (is_negative && magnitude > 0) {
        *out = rill_arg_int((int64_t)(0 - magnitude));
        return !is_unsigned && magnitude - 1 <= most;
    }
    *out = rill_arg_uint(magnitude);
    return magnitude <= most;
}

int cli_number(const char *option, const char *name, const char *text, const rill_type_info *type, rill_arg *out)
{
    bool is_word = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (type->type == RILL_BOOL && is_word) {
        *out = rill_arg_uint(text[0] == 't');
        return CLI_OK;
    }
    bool is_float = type->type >= RILL_F32; // the other types are before them
    assert(type->kind == RILL_KIND_SCALAR);
    if (is_float ? parse_float(text, type, out) : parse_integer(text, type, out)) {
        return CLI_OK;
    }
    return cli_fail(CLI_USAGE, "%s %s=%s: '%s' is no number that %s can hold", option, name, text, text, type->name);
}
