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

struct ir_ctype *ir_read_ctype_at(struct reader *r, int index)
{
    return entry_at(r, &r->ctypes, index, sizeof(struct ir_ctype))->object;
}

struct ir_global *ir_read_global_at(struct reader *r, int index)
{
    return entry_at(r, &r->globals, index, sizeof(struct ir_global))->object;
}

struct ir_function *ir_read_function_at(struct reader *r, int index)
{
    return entry_at(r, &r->functions, index, sizeof(struct ir_function))->object;
}

// Lines of a table come in order: |index| must be the next one.
static void define(struct reader *r, struct read_table *table, int index, int expected, size_t size)
{
    if (index != expected) {
        ir_read_fail(r, "this is number %d, expected %d", index, expected);
        return;
    }
    entry_at(r, table, index, size)->is_defined = true;
}

static bool all_defined(struct reader *r, const struct read_table *table, const char *what)
{
    for (int i = 0; i < table->count; i++) {
        if (table->items[i].object != NULL && !table->items[i].is_defined) {
            ir_read_fail(r, "%s %d is named but does not exist", what, i);
            return false;
        }
    }
    return true;
}

int ir_read_plain_index(struct reader *r)
{
    int64_t limit = r->end - r->text;
    return ir_read_small(r, 0, limit < INT32_MAX / 2 ? limit : INT32_MAX / 2);
}

void ir_read_bad_word(struct reader *r)
{
    ir_read_fail(r, "'%.*s' does not belong here", (int)(r->length < 40 ? r->length : 40), r->word);
}

struct ir_function *ir_read_define_function(struct reader *r, int expected)
{
    int index = ir_read_plain_index(r);
    define(r, &r->functions, index, expected, sizeof(struct ir_function));
    return r->failed ? NULL : ir_read_function_at(r, index);
}

// ---- C types -------------------------------------------------------------------------------------------------------

static void read_member(struct reader *r, struct ir_cmember *member)
{
    member->bit_offset = -1;
    while (!r->is_line_end) {
        if (ir_read_is_text(r)) {
            member->name = ir_read_text(r);
        } else if (ir_read_accept(r, "ctype")) {
            member->type = ir_read_ctype_at(r, ir_read_plain_index(r));
        } else if (ir_read_accept(r, "offset")) {
            member->offset = ir_read_uint(r);
        } else if (ir_read_accept(r, "bits")) {
            member->bit_offset = ir_read_small(r, INT32_MIN, INT32_MAX);
            member->bit_width = ir_read_small(r, INT32_MIN, INT32_MAX);
        } else {
            ir_read_bad_word(r);
        }
    }
    ir_read_line_end(r);
}

static bool read_ctype_attribute(struct reader *r, struct ir_ctype *ctype)
{
    if (ir_read_is_text(r)) {
        ctype->name = ir_read_text(r);
    } else if (ir_read_accept(r, "size")) {
        ctype->size = ir_read_uint(r);
    } else if (ir_read_accept(r, "align")) {
        ctype->align = (uint32_t)ir_read_uint(r);
    } else if (ir_read_accept(r, "unsigned")) {
        ctype->is_unsigned = true;
    } else if (ir_read_accept(r, "bool")) {
        ctype->is_bool = true;
    } else if (ir_read_accept(r, "union")) {
        ctype->is_union = true;
    } else if (ir_read_accept(r, "element")) {
        ctype->element = ir_read_ctype_at(r, ir_read_plain_index(r));
    } else if (ir_read_accept(r, "length")) {
        ctype->length = ir_read_int(r);
    } else if (ir_read_is_type(r)) {
        ctype->scalar = ir_read_type(r);
    } else {
        return false;
    }
    return true;
}

static void read_ctype(struct reader *r, int expected)
{
    int index = ir_read_plain_index(r);
    define(r, &r->ctypes, index, expected, sizeof(struct ir_ctype));
    if (r->failed) {
        return;
    }
    struct ir_ctype *ctype = ir_read_ctype_at(r, index);
    int kind = ir_read_find(r, ctype_names, IR_CTYPE_POINTER + 1);
    if (kind < 0) {
        ir_read_fail(r, "expected scalar, record, array or pointer");
        return;
    }
    ctype->kind = (enum ir_ctype_kind)kind;
    ir_read_next(r);
    while (!r->is_line_end) {
        if (!read_ctype_attribute(r, ctype)) {
            ir_read_bad_word(r);
        }
    }
    ir_read_line_end(r);
    VEC(struct ir_cmember) members = {0};
    while (ir_read_accept(r, "member")) {
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

// The word's bytes, of which |room| may come.
static bool read_hex(struct reader *r, const struct ir_global *global, uint8_t *to, uint64_t room, uint64_t *out_size)
{
    *out_size = r->length / 2;
    if (r->length % 2 != 0 || *out_size > room) {
        ir_read_fail(r, "more bytes than the global's %llu", (unsigned long long)global->size);
        return false;
    }
    for (size_t i = 0; i < r->length; i += 2) {
        int high = nibble(r->word[i]);
        int low = nibble(r->word[i + 1]);
        if (high < 0 || low < 0) {
            ir_read_fail(r, "expected bytes in hex");
            return false;
        }
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    ir_read_next(r);
    return true;
}

static void read_bytes(struct reader *r, struct ir_global *global)
{
    if (global->size > r->byte_budget) {
        ir_read_fail(r, "the globals are too large");
        return;
    }
    r->byte_budget -= global->size;
    global->bytes = arena_alloc(r->arena, global->size + 1);
    uint64_t at = 0;
    for (;;) {
        if (ir_read_accept(r, "hex")) {
            uint64_t size;
            at += read_hex(r, global, global->bytes + at, global->size - at, &size) ? size : 0;
        } else if (ir_read_accept(r, "zeros")) {
            uint64_t zeros = ir_read_uint(r);
            if (!r->failed && zeros > global->size - at) {
                ir_read_fail(r, "more bytes than the global's %llu", (unsigned long long)global->size);
            }
            at += r->failed ? 0 : zeros;
        } else {
            break;
        }
        ir_read_line_end(r);
    }
    if (!r->failed && at != global->size) {
        ir_read_fail(r, "%llu bytes of the global's %llu", (unsigned long long)at, (unsigned long long)global->size);
    }
}

// The lines of one piece; where it lies in the global is for the verifier to look at.
static void read_piece(struct reader *r, const struct ir_global *global, struct ir_piece *piece)
{
    VEC(uint8_t) bytes = {0};
    while (!r->failed && ir_read_accept(r, "hex")) {
        uint64_t size = r->length / 2 + 1;
        if (size > r->byte_budget) {
            ir_read_fail(r, "the globals are too large");
            return;
        }
        r->byte_budget -= size;
        VEC_RESERVE(r->arena, &bytes, bytes.count + (int)size);
        bytes.count += read_hex(r, global, bytes.items + bytes.count, size, &size) ? (int)size : 0;
        ir_read_line_end(r);
    }
    piece->bytes = bytes.items;
    piece->size = (uint64_t)bytes.count;
}

static void read_pieces(struct reader *r, struct ir_global *global)
{
    VEC(struct ir_piece) pieces = {0};
    while (!r->failed && ir_read_accept(r, "at")) {
        struct ir_piece piece = {.offset = ir_read_uint(r)};
        ir_read_line_end(r);
        read_piece(r, global, &piece);
        VEC_PUSH(r->arena, &pieces, piece);
    }
    global->pieces = pieces.items;
    global->piece_count = pieces.count;
}

static void read_relocs(struct reader *r, struct ir_global *global)
{
    VEC(struct ir_reloc) relocs = {0};
    while (ir_read_accept(r, "reloc")) {
        struct ir_reloc reloc = {0};
        reloc.offset = ir_read_uint(r);
        reloc.target = ir_read_global_at(r, ir_read_index(r, '&'));
        reloc.addend = ir_read_int(r);
        ir_read_line_end(r);
        VEC_PUSH(r->arena, &relocs, reloc);
    }
    global->relocs = relocs.items;
    global->reloc_count = relocs.count;
}

static bool read_global_attribute(struct reader *r, struct ir_global *global)
{
    if (ir_read_is_text(r)) {
        global->name = ir_read_text(r);
    } else if (ir_read_accept(r, "size")) {
        global->size = ir_read_uint(r);
    } else if (ir_read_accept(r, "align")) {
        global->align = (uint32_t)ir_read_uint(r);
    } else if (ir_read_accept(r, "const")) {
        global->is_const = true;
    } else if (ir_read_accept(r, "ctype")) {
        global->ctype = ir_read_ctype_at(r, ir_read_plain_index(r));
    } else if (ir_read_is_loc(r)) {
        global->loc = ir_read_loc(r);
    } else {
        return false;
    }
    return true;
}

static void read_global(struct reader *r, int expected)
{
    int index = ir_read_plain_index(r);
    define(r, &r->globals, index, expected, sizeof(struct ir_global));
    if (r->failed) {
        return;
    }
    struct ir_global *global = ir_read_global_at(r, index);
    global->index = index;
    bool has_bytes = false;
    bool has_pieces = false;
    while (!r->is_line_end) {
        if (ir_read_accept(r, "bytes")) {
            has_bytes = true;
        } else if (ir_read_accept(r, "pieces")) {
            has_pieces = true;
        } else if (!read_global_attribute(r, global)) {
            ir_read_bad_word(r);
        }
    }
    ir_read_line_end(r);
    if (has_bytes && !r->failed) {
        read_bytes(r, global);
    }
    if (has_pieces && !r->failed) {
        read_pieces(r, global);
    }
    read_relocs(r, global);
}

// ---- the module ----------------------------------------------------------------------------------------------------

static void read_head(struct reader *r)
{
    ir_read_expect(r, "rill-ir");
    ir_read_expect(r, "1");
    ir_read_line_end(r);
    if (ir_read_accept(r, "check_bounds")) {
        r->module->check_bounds = true;
        ir_read_line_end(r);
    }
    if (ir_read_accept(r, "check_races")) {
        r->module->check_races = true;
        ir_read_line_end(r);
    }
    VEC(const char *) files = {0};
    while (ir_read_accept(r, "file")) {
        if (ir_read_small(r, 0, INT32_MAX) != files.count) {
            ir_read_fail(r, "expected file %d", files.count);
        }
        const char *name = NULL;
        if (ir_read_is_text(r)) {
            name = ir_read_text(r);
        }
        VEC_PUSH(r->arena, &files, name);
        ir_read_line_end(r);
    }
    r->module->files = files.items;
    r->module->file_count = files.count;
}

static void read_module(struct reader *r)
{
    read_head(r);
    for (int i = 0; ir_read_accept(r, "ctype"); i++) {
        read_ctype(r, i);
    }
    int global_count = 0;
    for (; ir_read_accept(r, "global"); global_count++) {
        read_global(r, global_count);
    }
    int function_count = 0;
    while (!r->is_end) {
        int kind = ir_read_find(r, kind_names, IR_FUNCTION_FINISH + 1);
        if (kind < 0) {
            ir_read_bad_word(r);
            return;
        }
        ir_read_next(r);
        ir_read_function(r, (enum ir_function_kind)kind, function_count++);
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
        ir_read_next(&r);
    } while (r.is_line_end && !r.is_end);
    read_module(&r);
    return r.failed ? NULL : r.module;
}
