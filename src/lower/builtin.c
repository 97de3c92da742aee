// Library functions by name: math, memory, printf, assert, atomics; and why the others are refused.
#include "lower/internal.h"

#include "base/format.h"

#include <stdio.h>
#include <string.h>

enum builtin_kind {
    BUILTIN_NONE,
    BUILTIN_MATH,
    BUILTIN_FMA,
    BUILTIN_FREXP,
    BUILTIN_REMQUO,
    BUILTIN_ABS,
    BUILTIN_COPY,
    BUILTIN_FILL,
    BUILTIN_COMPARE,
    BUILTIN_PRINT,
    BUILTIN_ASSERT,
    BUILTIN_ATOMIC,
    BUILTIN_CAS,
    BUILTIN_BITS,
    BUILTIN_OVERFLOW,
    BUILTIN_OVERFLOW_P,
    BUILTIN_NOTHING,
};

struct builtin {
    enum builtin_kind kind;
    enum ir_math math;
    enum ir_update update;
};

static bool find_math(const char *name, struct builtin *out)
{
    static const char *const names[] = {
#define MATH_NAME(name, text, args) [IR_MATH_##name] = text,
        IR_MATH_LIST(MATH_NAME)
#undef MATH_NAME
    };
    size_t length = strlen(name);
    for (int i = 0; i < IR_MATH_FREXP_FRACTION; i++) {
        size_t known = strlen(names[i]);
        bool is_double = length == known && memcmp(name, names[i], known) == 0;
        bool is_float = length == known + 1 && memcmp(name, names[i], known) == 0 && name[known] == 'f';
        if (is_double || is_float) {
            *out = (struct builtin){BUILTIN_MATH, (enum ir_math)i, IR_UPDATE_NONE};
            return true;
        }
    }
    return false;
}

// By the names that begin with __builtin_.
static struct builtin find_gnu(const struct function *function)
{
    bool is_question;
    struct builtin found = {BUILTIN_NONE, 0, 0};
    if (lower_is_overflow(function, &is_question)) {
        found.kind = is_question ? BUILTIN_OVERFLOW_P : BUILTIN_OVERFLOW;
    } else if (lower_is_bits(function)) {
        found.kind = BUILTIN_BITS;
    } else if (strcmp(function->name, "__builtin_unreachable") == 0) {
        found.kind = BUILTIN_NOTHING;
    } else if (strcmp(function->name, "__builtin_trap") == 0) {
        found.kind = BUILTIN_ASSERT;
    }
    return found;
}

static struct builtin find_builtin(const struct function *function)
{
    static const struct {
        const char *name;
        struct builtin builtin;
    } table[] = {
        {"fma", {BUILTIN_FMA, 0, 0}},
        {"fmaf", {BUILTIN_FMA, 0, 0}},
        {"frexp", {BUILTIN_FREXP, 0, 0}},
        {"frexpf", {BUILTIN_FREXP, 0, 0}},
        {"remquo", {BUILTIN_REMQUO, 0, 0}},
        {"remquof", {BUILTIN_REMQUO, 0, 0}},
        {"abs", {BUILTIN_ABS, 0, 0}},
        {"labs", {BUILTIN_ABS, 0, 0}},
        {"llabs", {BUILTIN_ABS, 0, 0}},
        {"memcpy", {BUILTIN_COPY, 0, 0}},
        {"memmove", {BUILTIN_COPY, 0, 0}},
        {"memset", {BUILTIN_FILL, 0, 0}},
        {"memcmp", {BUILTIN_COMPARE, 0, 0}},
        {"printf", {BUILTIN_PRINT, 0, 0}},
        {"__rill_assert_fail", {BUILTIN_ASSERT, 0, 0}},
        {"rill_atomic_add", {BUILTIN_ATOMIC, 0, IR_UPDATE_ADD}},
        {"rill_atomic_sub", {BUILTIN_ATOMIC, 0, IR_UPDATE_SUB}},
        {"rill_atomic_mul", {BUILTIN_ATOMIC, 0, IR_UPDATE_MUL}},
        {"rill_atomic_min", {BUILTIN_ATOMIC, 0, IR_UPDATE_SMIN}},
        {"rill_atomic_max", {BUILTIN_ATOMIC, 0, IR_UPDATE_SMAX}},
        {"rill_atomic_and", {BUILTIN_ATOMIC, 0, IR_UPDATE_AND}},
        {"rill_atomic_or", {BUILTIN_ATOMIC, 0, IR_UPDATE_OR}},
        {"rill_atomic_xor", {BUILTIN_ATOMIC, 0, IR_UPDATE_XOR}},
        {"rill_atomic_exchange", {BUILTIN_ATOMIC, 0, IR_UPDATE_EXCHANGE}},
        {"rill_atomic_cas", {BUILTIN_CAS, 0, 0}},
    };
    struct builtin found = {BUILTIN_NONE, 0, 0};
    if (function->is_builtin && strncmp(function->name, "__builtin_", 10) == 0) {
        return find_gnu(function);
    }
    if (!function->is_builtin || find_math(function->name, &found)) {
        return found;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, function->name) == 0) {
            return table[i].builtin;
        }
    }
    return found;
}

// ---- questions -----------------------------------------------------------------------------------------------------

// Neither reads nor writes anything.
static bool is_arithmetic(enum builtin_kind kind)
{
    return kind == BUILTIN_MATH || kind == BUILTIN_FMA || kind == BUILTIN_ABS || kind == BUILTIN_BITS ||
           kind == BUILTIN_OVERFLOW_P || kind == BUILTIN_NOTHING;
}

bool lower_builtin_is_pure(const struct function *function)
{
    enum builtin_kind kind = find_builtin(function).kind;
    return is_arithmetic(kind) || kind == BUILTIN_COMPARE;
}

int lower_builtin_written(const struct function *function)
{
    switch (find_builtin(function).kind) {
    case BUILTIN_COPY:
    case BUILTIN_FILL: return 0;
    case BUILTIN_FREXP: return 1;
    case BUILTIN_REMQUO:
    case BUILTIN_OVERFLOW: return 2;
    default: return -1;
    }
}

bool lower_builtin_reads_memory(const struct function *function)
{
    return !is_arithmetic(find_builtin(function).kind);
}

bool lower_builtin_is_cheap(const struct function *function)
{
    struct builtin builtin = find_builtin(function);
    switch (builtin.kind) {
    case BUILTIN_FMA:
    case BUILTIN_ABS:
    case BUILTIN_BITS: return true;
    case BUILTIN_MATH: break;
    default: return false;
    }
    switch (builtin.math) {
    case IR_MATH_FABS:
    case IR_MATH_FMIN:
    case IR_MATH_FMAX:
    case IR_MATH_COPYSIGN:
    case IR_MATH_FLOOR:
    case IR_MATH_CEIL:
    case IR_MATH_TRUNC:
    case IR_MATH_RINT: return true;
    default: return false;
    }
}

int lower_builtin_min_max(const struct function *function)
{
    struct builtin builtin = find_builtin(function);
    if (builtin.kind != BUILTIN_MATH) {
        return 0;
    }
    return builtin.math == IR_MATH_FMIN ? -1 : builtin.math == IR_MATH_FMAX ? 1 : 0;
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static bool is_among(const char *name, const char *names)
{
    char word[64];
    int length = snprintf(word, sizeof word, " %s ", name);
    return length < (int)sizeof word && strstr(names, word) != NULL;
}

static const char *refused_name(const char *name)
{
    static const struct {
        const char *names; // between spaces
        const char *why;
    } table[] = {
        {" malloc calloc realloc free aligned_alloc alloca ", "there is no heap in a kernel: pass memory as an array"},
        {" setjmp longjmp sigsetjmp siglongjmp _setjmp ", "no jump leaves a kernel's function"},
        {" rand srand drand48 random ", "there is no random state: use rill_random_u32 or its kin"},
        {" exit abort _Exit quick_exit atexit raise signal ", "a kernel cannot end the process: use assert"},
        {" fopen fclose fread fwrite fprintf puts putchar putc fputs fputc getchar gets scanf fscanf sscanf sprintf "
         "snprintf vprintf vfprintf vsprintf vsnprintf fflush perror fgets fgetc getc fseek ftell rewind remove "
         "rename ",
         "of stdio a kernel has printf alone"},
        {" qsort bsearch ", "it calls through a function pointer"},
        {" time clock difftime mktime gmtime localtime strftime ", "a kernel has no clock"},
        {" feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround fegetenv "
         "feholdexcept fesetenv feupdateenv ",
         "the floating-point environment is fixed"},
        {" strlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr strtok memchr ",
         "of string.h a kernel has memcpy, memmove, memset and memcmp"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (is_among(name, table[i].names)) {
            return table[i].why;
        }
    }
    return NULL;
}

static const struct expr *literal_of(const struct expr *e)
{
    e = lower_strip(e);
    return e->kind == EXPR_DECAY && e->a->kind == EXPR_STRING ? e->a : NULL;
}

static bool fits_format(enum format_kind kind, const struct expr *arg)
{
    enum ir_type type = lower_type(arg->type);
    switch (kind) {
    case FORMAT_I32: return type == IR_I32;
    case FORMAT_I64: return type == IR_I64;
    case FORMAT_F64: return type == IR_F64;
    case FORMAT_TEXT: return printf_takes_text(arg);
    case FORMAT_POINTER: return type == IR_PTR;
    }
    return false;
}

static const char *print_refusal(struct lower *l, const struct expr *call)
{
    const struct expr *format = call->arg_count > 0 ? literal_of(call->args[0]) : NULL;
    if (format == NULL) {
        return "printf needs a literal format in a kernel";
    }
    static const char *const wants[] = {"an int", "a 64-bit integer", "a double", "a literal or a char array",
                                        "a pointer"};
    const char *at = format->bytes;
    int next = 1;
    struct format_item item;
    enum format_result result;
    while ((result = format_next(&at, &item)) == FORMAT_ITEM) {
        for (int i = 0; i < item.arg_count; i++, next++) {
            if (next >= call->arg_count) {
                return "printf: the format wants more arguments than there are";
            }
            if (!fits_format(item.args[i], call->args[next])) {
                return arena_printf(l->arena, "printf: '%.*s' wants %s, and argument %d is '%s'", (int)item.length,
                                    item.start, wants[item.args[i]], next + 1,
                                    type_describe(l->arena, call->args[next]->type));
            }
        }
    }
    if (result == FORMAT_BAD) {
        int length = 1 + (int)strspn(at + 1, "-+ #0123456789.*hlLjzt");
        length += at[length] != '\0';
        return arena_printf(l->arena, "printf: the conversion '%.*s' is not supported in a kernel", length, at);
    }
    return next < call->arg_count ? "printf: there are more arguments than the format wants" : NULL;
}

const char *lower_builtin_refusal(struct lower *l, const struct expr *call)
{
    const struct function *function = call->function;
    switch (find_builtin(function).kind) {
    case BUILTIN_PRINT: return print_refusal(l, call);
    case BUILTIN_NONE: break;
    default: return NULL;
    }
    // Some library names are macros over a name of Rill's own.
    bool is_own = strncmp(function->name, "__rill_", 7) == 0;
    const char *name = is_own ? function->name + 7 : function->name;
    if (is_own && strcmp(name, "errno") == 0) {
        return "a kernel cannot use errno: no function sets it";
    }
    const char *why = refused_name(name);
    if (why != NULL) {
        return arena_printf(l->arena, "a kernel cannot call '%s': %s", name, why);
    }
    if (function->is_builtin) {
        return arena_printf(l->arena, "a kernel cannot call '%s'", name);
    }
    return arena_printf(l->arena, "'%s' is declared but never defined", function->name);
}

// ---- emitting ------------------------------------------------------------------------------------------------------

static struct ir_inst *emit_atomic(struct lower *l, const struct expr *e, const struct builtin *builtin,
                                   struct ir_inst *const *args)
{
    enum ir_type type = lower_type(e->type);
    if (builtin->kind == BUILTIN_CAS) {
        return ir_emit(&l->b, IR_OP_CAS, type, 3, args);
    }
    struct ir_inst *inst = ir_emit(&l->b, IR_OP_ATOMIC, type, 2, args);
    inst->update = builtin->update;
    enum ir_update_kind kind = ir_update_kind(builtin->update);
    if (kind == IR_UPDATE_KIND_MIN || kind == IR_UPDATE_KIND_MAX) {
        inst->update = ir_update_min_max(kind == IR_UPDATE_KIND_MAX, type, lower_is_unsigned(e->type), IR_FORM_CALL);
    }
    return inst;
}

static struct ir_inst *emit_print(struct lower *l, const struct expr *e, struct ir_inst *const *args, bool is_used)
{
    struct ir_inst *inst = ir_emit(&l->b, IR_OP_PRINT, IR_VOID, e->arg_count - 1, args + 1);
    inst->text = literal_of(e->args[0])->bytes;
    if (is_used) {
        diag_error(l->diags, e->loc, "not supported: the value of printf in a kernel");
        return lower_int(l, IR_I32, 0);
    }
    return NULL;
}

static struct ir_inst *emit_memory(struct lower *l, enum builtin_kind kind, struct ir_inst *const *args)
{
    if (kind == BUILTIN_COMPARE) {
        return ir_emit(&l->b, IR_OP_COMPARE, IR_I32, 3, args);
    }
    if (kind == BUILTIN_FILL) {
        struct ir_inst *byte = lower_unary(l, IR_OP_TRUNC, IR_I8, args[1]);
        ir_emit3(&l->b, IR_OP_FILL, IR_VOID, args[0], byte, args[2]);
    } else {
        ir_emit(&l->b, IR_OP_COPY, IR_VOID, 3, args)->is_packed = true;
    }
    return args[0];
}

static struct ir_inst *emit_two_results(struct lower *l, enum builtin_kind kind, struct ir_inst *const *args)
{
    enum ir_type type = args[0]->type;
    if (kind == BUILTIN_FREXP) {
        struct ir_inst *exponent = lower_math(l, IR_MATH_FREXP_EXPONENT, IR_I32, args[0], NULL);
        struct ir_inst *fraction = lower_math(l, IR_MATH_FREXP_FRACTION, type, args[0], NULL);
        lower_store(l, args[1], exponent, (struct lower_access){0});
        return fraction;
    }
    struct ir_inst *bits = lower_math(l, IR_MATH_REMQUO_BITS, IR_I32, args[0], args[1]);
    struct ir_inst *rest = lower_math(l, IR_MATH_REMAINDER, type, args[0], args[1]);
    lower_store(l, args[2], bits, (struct lower_access){0});
    return rest;
}

// Nothing may follow a failure in its region, so that it gets one of its own unless it stands in an arm of `if`
// already.
static void emit_fail(struct lower *l, const struct expr *e)
{
    struct ir_region *outer = l->b.region;
    if (outer->owner == NULL || outer->owner->op != IR_OP_IF || outer->first != NULL) {
        struct ir_inst *always = ir_control(&l->b, IR_OP_IF, lower_int(l, IR_I1, 1), 2);
        l->b.region = &always->regions[0];
    }
    struct ir_inst *inst = ir_emit0(&l->b, IR_OP_FAIL, IR_VOID);
    const struct expr *text = e->arg_count > 0 ? literal_of(e->args[0]) : NULL;
    inst->text = text != NULL ? text->bytes : e->arg_count > 0 ? "assertion" : e->function->name;
    l->b.region = outer;
}

struct ir_inst *lower_builtin_call(struct lower *l, const struct expr *e, bool is_used)
{
    struct builtin builtin = find_builtin(e->function);
    if (builtin.kind == BUILTIN_ASSERT) {
        emit_fail(l, e);
        return NULL;
    }
    struct ir_inst **args = ARENA_ARRAY(l->arena, struct ir_inst *, e->arg_count + 1);
    for (int i = 0; i < e->arg_count; i++) {
        bool is_format = builtin.kind == BUILTIN_PRINT && i == 0;
        bool is_place = (builtin.kind == BUILTIN_ATOMIC || builtin.kind == BUILTIN_CAS) && i == 0;
        args[i] = is_format ? NULL : is_place ? lower_target(l, lower_strip(e->args[i])) : lower_value(l, e->args[i]);
    }
    lower_at(l, e->loc);
    switch (builtin.kind) {
    case BUILTIN_MATH:
        return lower_math(l, builtin.math, lower_type(e->type), args[0], e->arg_count > 1 ? args[1] : NULL);
    case BUILTIN_FMA: return ir_emit(&l->b, IR_OP_FMA, lower_type(e->type), 3, args);
    case BUILTIN_FREXP:
    case BUILTIN_REMQUO: return emit_two_results(l, builtin.kind, args);
    case BUILTIN_ABS: {
        enum ir_type type = lower_type(e->type);
        struct ir_inst *negative = lower_binary(l, IR_OP_SUB, type, lower_int(l, type, 0), args[0]);
        return lower_binary(l, IR_OP_SMAX, type, args[0], negative);
    }
    case BUILTIN_BITS: return lower_bits(l, e, args[0]);
    case BUILTIN_OVERFLOW:
    case BUILTIN_OVERFLOW_P: return lower_overflow(l, e, args);
    case BUILTIN_COPY:
    case BUILTIN_FILL:
    case BUILTIN_COMPARE: return emit_memory(l, builtin.kind, args);
    case BUILTIN_PRINT: return emit_print(l, e, args, is_used);
    case BUILTIN_ATOMIC:
    case BUILTIN_CAS: return emit_atomic(l, e, &builtin, args);
    default: return e->type->kind == TYPE_VOID ? NULL : lower_int(l, IR_I32, 0); // refused before
    }
}
