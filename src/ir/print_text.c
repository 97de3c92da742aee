#include "ir/print.h"

#include <inttypes.h>
#include <string.h>

static void print_quoted(struct printer *p, const char *text)
{
    str_add_char(p->out, '"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            str_printf(p->out, "\\%c", *c);
        } else if (*c == '\n') {
            str_add(p->out, "\\n");
        } else if (*c < 0x20 || *c >= 0x7f) {
            str_printf(p->out, "\\x%02x", *c);
        } else {
            str_add_char(p->out, (char)*c);
        }
    }
    str_add_char(p->out, '"');
}

// An optional text: NULL and "" are different.
void ir_print_text(struct printer *p, const char *text)
{
    if (text != NULL) {
        str_add_char(p->out, ' ');
        print_quoted(p, text);
    }
}

void ir_print_flag(struct printer *p, const char *word, bool is_set)
{
    if (is_set) {
        str_printf(p->out, " %s", word);
    }
}

void ir_print_number(struct printer *p, const char *word, int64_t value, int64_t usual)
{
    if (value != usual) {
        str_printf(p->out, " %s %" PRId64, word, value);
    }
}

void ir_print_loc(struct printer *p, struct loc loc)
{
    if (loc.line != 0 || loc.file != 0 || loc.column != 0) {
        str_printf(p->out, " !%" PRIu32 ":%" PRIu32 ":%" PRIu32, loc.file, loc.line, loc.column);
    }
}

// In hex, exactly, by hand: printf's %a follows the host's locale.
void ir_print_float(struct printer *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const char *sign = bits >> 63 != 0 ? "-" : "";
    if (exponent == 0x7ff && fraction != 0) {
        str_printf(p->out, " nan:%016" PRIx64, bits);
        return;
    }
    if (exponent == 0x7ff) {
        str_printf(p->out, " %sinf", sign);
        return;
    }
    str_printf(p->out, " %s0x%d", sign, exponent != 0);
    if (fraction != 0) {
        int digits = 13;
        while ((fraction & 15) == 0) {
            fraction >>= 4;
            digits--;
        }
        str_printf(p->out, ".%0*" PRIx64, digits, fraction);
    }
    int unbiased = exponent != 0 ? exponent - 1023 : (bits << 1) != 0 ? -1022 : 0;
    str_printf(p->out, "p%+d", unbiased);
}

// "$name#index": names that are no words are left out.
void ir_print_named(struct printer *p, char sigil, const char *name, int index)
{
    bool is_word = name != NULL && name[0] != '\0';
    for (const char *c = name; is_word && *c != '\0'; c++) {
        is_word =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '.';
    }
    str_printf(p->out, " %c%s#%d", sigil, is_word ? name : "", index);
}

void ir_print_var(struct printer *p, const struct ir_var *var)
{
    ir_print_named(p, '$', var->name, var->index);
}

int ir_print_function_index(const struct ir_module *module, const struct ir_function *function)
{
    for (int i = 0; i < module->function_count; i++) {
        if (module->functions[i] == function) {
            return i;
        }
    }
    return -1;
}
