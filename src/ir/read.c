#include "ir/read.h"
#include "ir/text.h"

#include <string.h>

enum { BYTE_LIMIT = 256 * 1024 * 1024 };

static const char *const kind_names[] = {
#define ROW(name, text) [IR_FUNCTION_##name] = text,
    IR_FUNCTION_KIND_LIST(ROW)
#undef ROW
};
static const char *const ctype_names[] = {
#define ROW(name, text) [IR_CTYPE_##name] = text,
    IR_CTYPE_KIND_LIST(ROW)
#undef ROW
};

// ---- tables --------------------------------------------------------------------------------------------------------

static struct read_entry *entry_at(struct reader *r, struct read_table *table, int index, size_t size)
{
    if (index >= table->count) {
        VEC_RESERVE(r->arena, table, index + 1);
        memset(table->items + table->count, 0, sizeof *table->items * (size_t)(index + 1 - table->count));
        table->count = index + 1;
    }
    struct read_entry *entry = &table->items[index];
    if (entry->object == NULL) {
        entry->object = arena_alloc(r->arena, size);
    }
    return entry;
}

static struct ir_ctype *ctype_at(struct reader *r, int index)
{
    return entry_at(r, &r->ctypes, index, sizeof(struct ir_ctype))->object;
}

struct ir_global *read_global_at(struct reader *r, int index)
{
    return entry_at(r, &r->globals, index, sizeof(struct ir_global))->object;
}

struct ir_function *read_function_at(struct reader *r, int index)
{
    return entry_at(r, &r->functions, index, sizeof(struct ir_function))->object;
}

// Lines of a table come in order: |index| must be the next one.
static void define(struct reader *r, struct read_table *table, int index, int expected, size_t size)
{
    if (index != expected) {
        read_fail(r, "this is number %d, expected %d", index, expected);
        return;
    }
    entry_at(r, table, index, size)->is_defined = true;
}

static bool all_defined(struct reader *r, const struct read_table *table, const char *what)
{
    for (int i = 0; i < table->count; i++) {
        if (table->items[i].object != NULL && !table->items[i].is_defined) {
            read_fail(r, "%s %d is named but does not exist", what, i);
            return false;
        }
    }
    return true;
}

static int read_plain_index(struct reader *r)
{
    int64_t limit = r->end - r->text;
    return read_small(r, 0, limit < INT32_MAX / 2 ? limit : INT32_MAX / 2);
}

static void bad_word(struct reader *r)
{
    read_fail(r, "'%.*s' does not belong here", (int)(r->length < 40 ? r->length : 40), r->word);
}

// ---- C types -------------------------------------------------------------------------------------------------------

static void read_member(struct reader *r, struct ir_cmember *member)
{
    member->bit_offset = -1;
    while (!r->is_line_end) {
        if (read_is_text(r)) {
            member->name = read_text(r);
        } else if (read_accept(r, "ctype")) {
            member->type = ctype_at(r, read_plain_index(r));
        } else if (read_accept(r, "offset")) {
            member->offset = read_uint(r);
        } else if (read_accept(r, "bits")) {
            member->bit_offset = read_small(r, INT32_MIN, INT32_MAX);
            member->bit_width = read_small(r, INT32_MIN, INT32_MAX);
        } else {
            bad_word(r);
        }
    }
    read_line_end(r);
}

static bool read_ctype_attribute(struct reader *r, struct ir_ctype *ctype)
{
    if (read_is_text(r)) {
        ctype->name = read_text(r);
    } else if (read_accept(r, "size")) {
        ctype->size = read_uint(r);
    } else if (read_accept(r, "align")) {
        ctype->align = (uint32_t)read_uint(r);
    } else if (read_accept(r, "unsigned")) {
        ctype->is_unsigned = true;
    } else if (read_accept(r, "bool")) {
        ctype->is_bool = true;
    } else if (read_accept(r, "union")) {
        ctype->is_union = true;
    } else if (read_accept(r, "element")) {
        ctype->element = ctype_at(r, read_plain_index(r));
    } else if (read_accept(r, "length")) {
        ctype->length = read_int(r);
    } else if (read_is_type(r)) {
        ctype->scalar = read_type(r);
    } else {
        return false;
    }
    return true;
}

static void read_ctype(struct reader *r, int expected)
{
    int index = read_plain_index(r);
    define(r, &r->ctypes, index, expected, sizeof(struct ir_ctype));
    if (r->failed) {
        return;
    }
    struct ir_ctype *ctype = ctype_at(r, index);
    int kind = read_find(r, ctype_names, IR_CTYPE_POINTER + 1);
    if (kind < 0) {
        read_fail(r, "expected scalar, record, array or pointer");
        return;
    }
    ctype->kind = (enum ir_ctype_kind)kind;
    read_next(r);
    while (!r->is_line_end) {
        if (!read_ctype_attribute(r, ctype)) {
            bad_word(r);
        }
    }
    read_line_end(r);
    VEC(struct ir_cmember) members = {0};
    while (read_accept(r, "member")) {
        struct ir_cmember member = {0};
        read_member(r, &member);
        VEC_PUSH(r->arena, &members, member);
    }
    ctype->members = members.items;
    ctype->member_count = members.count;
}

// ---- globals -------------------------------------------------------------------------------------------------------

static int nibble(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_hex(struct reader *r, struct ir_global *global, uint64_t *at)
{
    if (r->length % 2 != 0 || r->length / 2 > global->size - *at) {
        read_fail(r, "more bytes than the global's %llu", (unsigned long long)global->size);
        return;
    }
    for (size_t i = 0; i < r->length; i += 2) {
        int high = nibble(r->word[i]);
        int low = nibble(r->word[i + 1]);
        if (high < 0 || low < 0) {
            read_fail(r, "expected bytes in hex");
            return;
        }
        global->bytes[(*at)++] = (uint8_t)(high << 4 | low);
    }
    read_next(r);
}

static void read_bytes(struct reader *r, struct ir_global *global)
{
    if (global->size > r->byte_budget) {
        read_fail(r, "the globals are too large");
        return;
    }
    r->byte_budget -= global->size;
    global->bytes = arena_alloc(r->arena, global->size + 1);
    uint64_t at = 0;
    for (;;) {
        if (read_accept(r, "hex")) {
            read_hex(r, global, &at);
        } else if (read_accept(r, "zeros")) {
            uint64_t zeros = read_uint(r);
            if (!r->failed && zeros > global->size - at) {
                read_fail(r, "more bytes than the global's %llu", (unsigned long long)global->size);
            }
            at += r->failed ? 0 : zeros;
        } else {
            break;
        }
        read_line_end(r);
    }
    if (!r->failed && at != global->size) {
        read_fail(r, "%llu bytes of the global's %llu", (unsigned long long)at, (unsigned long long)global->size);
    }
}

static void read_relocs(struct reader *r, struct ir_global *global)
{
    VEC(struct ir_reloc) relocs = {0};
    while (read_accept(r, "reloc")) {
        struct ir_reloc reloc = {0};
        reloc.offset = read_uint(r);
        reloc.target = read_global_at(r, read_index(r, '&'));
        reloc.addend = read_int(r);
        read_line_end(r);
        VEC_PUSH(r->arena, &relocs, reloc);
    }
    global->relocs = relocs.items;
    global->reloc_count = relocs.count;
}

static bool read_global_attribute(struct reader *r, struct ir_global *global)
{
    if (read_is_text(r)) {
        global->name = read_text(r);
    } else if (read_accept(r, "size")) {
        global->size = read_uint(r);
    } else if (read_accept(r, "align")) {
        global->align = (uint32_t)read_uint(r);
    } else if (read_accept(r, "const")) {
        global->is_const = true;
    } else if (read_accept(r, "ctype")) {
        global->ctype = ctype_at(r, read_plain_index(r));
    } else if (read_is_loc(r)) {
        global->loc = read_loc(r);
    } else {
        return false;
    }
    return true;
}

static void read_global(struct reader *r, int expected)
{
    int index = read_plain_index(r);
    define(r, &r->globals, index, expected, sizeof(struct ir_global));
    if (r->failed) {
        return;
    }
    struct ir_global *global = read_global_at(r, index);
    global->index = index;
    bool has_bytes = false;
    while (!r->is_line_end) {
        if (read_accept(r, "bytes")) {
            has_bytes = true;
        } else if (!read_global_attribute(r, global)) {
            bad_word(r);
        }
    }
    read_line_end(r);
    if (has_bytes && !r->failed) {
        read_bytes(r, global);
    }
    read_relocs(r, global);
}

// ---- functions -----------------------------------------------------------------------------------------------------

// What a line names before it exists: filled in when the body has been read.
struct late {
    struct ir_var *var;     // its scope is label |number| …
    struct ir_inst **value; // … or this is value |number|
    int number;
    uint32_t line;
};

struct late_list {
    struct late *items;
    int count;
    int capacity;
};

static void read_param(struct reader *r, struct ir_param *param, struct late_list *lates)
{
    VEC(int) extents = {0};
    while (!r->is_line_end) {
        if (read_is_text(r)) {
            param->name = read_text(r);
        } else if (read_accept(r, "ctype")) {
            param->ctype = ctype_at(r, read_plain_index(r));
        } else if (read_accept(r, "struct")) {
            param->is_struct = true;
        } else if (read_accept(r, "array")) {
            param->is_array = true;
        } else if (read_accept(r, "const")) {
            param->is_const = true;
        } else if (read_accept(r, "restrict")) {
            param->is_restrict = true;
        } else if (read_accept(r, "extent")) {
            int number = read_value_number(r);
            VEC_PUSH(r->arena, &extents, number);
        } else if (read_is_loc(r)) {
            param->loc = read_loc(r);
        } else if (read_is_type(r)) {
            param->type = read_type(r);
        } else {
            bad_word(r);
        }
    }
    param->rank = extents.count;
    param->extents = ARENA_ARRAY(r->arena, struct ir_inst *, extents.count + 1);
    for (int i = 0; i < extents.count; i++) {
        VEC_PUSH(r->arena, lates, (struct late){NULL, &param->extents[i], extents.items[i], r->line});
    }
    read_line_end(r);
}

static void read_params(struct reader *r, struct late_list *lates)
{
    VEC(struct ir_param) params = {0};
    while (read_accept(r, "param")) {
        struct ir_param param = {0};
        if (read_small(r, 0, INT32_MAX) != params.count) {
            read_fail(r, "expected parameter %d", params.count);
        }
        read_param(r, &param, lates);
        VEC_PUSH(r->arena, &params, param);
    }
    r->function->params = params.items;
    r->function->param_count = params.count;
}

static bool read_var_attribute(struct reader *r, struct ir_var *var, struct late_list *lates)
{
    if (read_is_text(r)) {
        var->name = read_text(r);
    } else if (read_accept(r, "memory")) {
        var->is_memory = true;
    } else if (read_accept(r, "unsigned")) {
        var->is_unsigned = true;
    } else if (read_accept(r, "size")) {
        var->size = (uint64_t)read_int(r);
    } else if (read_accept(r, "align")) {
        var->align = (uint32_t)read_int(r);
    } else if (read_accept(r, "depth")) {
        var->depth_key = read_small(r, INT32_MIN, INT32_MAX);
    } else if (read_accept(r, "slot")) {
        var->slot = read_int(r);
    } else if (read_accept(r, "scope")) {
        int label = read_label(r);
        VEC_PUSH(r->arena, lates, (struct late){var, NULL, label, r->line});
    } else if (read_is_loc(r)) {
        var->loc = read_loc(r);
    } else if (read_is_type(r)) {
        var->type = read_type(r);
    } else {
        return false;
    }
    return true;
}

static void read_vars(struct reader *r, struct late_list *lates)
{
    while (read_accept(r, "var")) {
        if (read_small(r, 0, INT32_MAX) != r->function->var_count) {
            read_fail(r, "expected variable %d", r->function->var_count);
        }
        struct ir_var *var = ir_var_create(r->module, r->function, NULL, IR_VOID);
        while (!r->is_line_end) {
            if (!read_var_attribute(r, var, lates)) {
                bad_word(r);
            }
        }
        read_line_end(r);
    }
}

static void read_accumulators(struct reader *r)
{
    VEC(struct ir_accumulator) accumulators = {0};
    while (read_accept(r, "accumulator")) {
        struct ir_accumulator accumulator = {.var = read_var(r)};
        read_expect(r, "offset");
        accumulator.offset = read_uint(r);
        struct ir_inst *init = ARENA_NEW(r->arena, struct ir_inst);
        init->id = -1;
        init->default_region = -1;
        if (read_accept(r, "const")) {
            init->op = IR_OP_CONST;
            init->type = read_type(r);
            init->imm = read_int(r);
            accumulator.init = init;
        } else if (read_accept(r, "fconst")) {
            init->op = IR_OP_FCONST;
            init->type = read_type(r);
            init->fimm = read_float(r);
            accumulator.init = init;
        }
        read_line_end(r);
        VEC_PUSH(r->arena, &accumulators, accumulator);
    }
    r->function->accumulators = accumulators.items;
    r->function->accumulator_count = accumulators.count;
}

static void resolve(struct reader *r, const struct late_list *lates)
{
    for (int i = 0; i < lates->count && !r->failed; i++) {
        const struct late *late = &lates->items[i];
        if (late->var != NULL && late->number < r->labels.count) {
            late->var->scope = r->labels.items[late->number];
        } else if (late->value != NULL && late->number < r->values.count && r->values.items[late->number] != NULL) {
            *late->value = r->values.items[late->number];
        } else {
            read_fail(r, "line %u names %s%d, which the body does not have", (unsigned)late->line,
                      late->var != NULL ? "L" : "%", late->number);
        }
    }
}

static bool read_function_attribute(struct reader *r, struct ir_function *function)
{
    if (read_is_text(r)) {
        function->name = read_text(r);
    } else if (read_accept(r, "returns")) {
        function->return_type = read_type(r);
    } else if (read_accept(r, "ctype")) {
        function->return_ctype = ctype_at(r, read_plain_index(r));
    } else if (read_accept(r, "may_fail")) {
        function->may_fail = true;
    } else if (read_accept(r, "single")) {
        function->pragma_single = true;
    } else if (read_accept(r, "serial")) {
        function->is_serial = true;
    } else if (read_accept(r, "independent")) {
        function->assume_independent = true;
    } else if (read_accept(r, "partial")) {
        function->partial_size = (uint64_t)read_int(r);
    } else if (read_accept(r, "of")) {
        function->kernel = read_function_at(r, read_index(r, '@'));
    } else if (read_is_loc(r)) {
        function->loc = read_loc(r);
    } else {
        return false;
    }
    return true;
}

static void read_function(struct reader *r, enum ir_function_kind kind, int expected)
{
    int index = read_plain_index(r);
    define(r, &r->functions, index, expected, sizeof(struct ir_function));
    if (r->failed) {
        return;
    }
    struct ir_function *function = read_function_at(r, index);
    function->kind = kind;
    r->function = function;
    r->values.count = 0;
    r->labels.count = 0;
    while (!r->is_line_end) {
        if (!read_function_attribute(r, function)) {
            bad_word(r);
        }
    }
    read_line_end(r);
    struct late_list lates = {0};
    read_params(r, &lates);
    read_vars(r, &lates);
    read_accumulators(r);
    if (read_accept(r, "prologue")) {
        read_region(r, &function->prologue, NULL);
        read_line_end(r);
    }
    read_expect(r, "body");
    read_region(r, &function->body, NULL);
    read_line_end(r);
    read_expect(r, "end");
    read_line_end(r);
    resolve(r, &lates);
}

// ---- the module ----------------------------------------------------------------------------------------------------

static void read_head(struct reader *r)
{
    read_expect(r, "rill-ir");
    read_expect(r, "1");
    read_line_end(r);
    if (read_accept(r, "check_bounds")) {
        r->module->check_bounds = true;
        read_line_end(r);
    }
    VEC(const char *) files = {0};
    while (read_accept(r, "file")) {
        if (read_small(r, 0, INT32_MAX) != files.count) {
            read_fail(r, "expected file %d", files.count);
        }
        const char *name = NULL;
        if (read_is_text(r)) {
            name = read_text(r);
        }
        VEC_PUSH(r->arena, &files, name);
        read_line_end(r);
    }
    r->module->files = files.items;
    r->module->file_count = files.count;
}

static void read_module(struct reader *r)
{
    read_head(r);
    for (int i = 0; read_accept(r, "ctype"); i++) {
        read_ctype(r, i);
    }
    int global_count = 0;
    for (; read_accept(r, "global"); global_count++) {
        read_global(r, global_count);
    }
    int function_count = 0;
    while (!r->is_end) {
        int kind = read_find(r, kind_names, IR_FUNCTION_FINISH + 1);
        if (kind < 0) {
            bad_word(r);
            return;
        }
        read_next(r);
        read_function(r, (enum ir_function_kind)kind, function_count++);
    }
    if (r->failed || !all_defined(r, &r->ctypes, "ctype") || !all_defined(r, &r->globals, "global") ||
        !all_defined(r, &r->functions, "function")) {
        return;
    }
    r->module->globals = ARENA_ARRAY(r->arena, struct ir_global *, global_count + 1);
    r->module->global_count = global_count;
    r->module->global_capacity = global_count + 1;
    for (int i = 0; i < global_count; i++) {
        r->module->globals[i] = r->globals.items[i].object;
    }
    r->module->functions = ARENA_ARRAY(r->arena, struct ir_function *, function_count + 1);
    r->module->function_count = function_count;
    r->module->function_capacity = function_count + 1;
    for (int i = 0; i < function_count; i++) {
        r->module->functions[i] = r->functions.items[i].object;
    }
}

struct ir_module *ir_read(struct arena *arena, struct diags *diags, const char *text)
{
    size_t length = strlen(text);
    struct reader r = {
        .arena = arena,
        .diags = diags,
        .module = ir_module_create(arena),
        .text = text,
        .end = text + length,
        .at = text,
        .word = text,
        .line = 0,
        .line_start = text,
        .is_line_end = true, // before the first line
        .byte_budget = BYTE_LIMIT,
    };
    r.file = diags_add_file(diags, (struct source_file){.path = "<ir>", .text = text, .length = length});
    do {
        read_next(&r);
    } while (r.is_line_end && !r.is_end);
    read_module(&r);
    return r.failed ? NULL : r.module;
}
