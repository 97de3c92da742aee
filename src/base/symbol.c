#include "base/symbol.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool symbol_spell(const char *name, char dot, char *out, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t at = 0;
    for (; *name != '\0'; name++) {
        unsigned char byte = (unsigned char)*name;
        if (at + 4 >= size) {
            return false;
        }
        if (byte == '.' || is_plain(*name)) {
            out[at++] = byte == '.' ? dot : *name;
        } else {
            out[at++] = '$';
            out[at++] = '$';
            out[at++] = digits[byte >> 4];
            out[at++] = digits[byte & 15];
        }
    }
    if (at >= size) {
        return false;
    }
    out[at] = '\0';
    return true;
}
