// The helpers that the notes of races call, made once for a module: they look up which watched array an address lies
// in, and what the records of its pieces say (races_note.c).
#include "offload/races_note.h"

#include "plan/abi.h"

#include <string.h>

static struct ir_function *find_function(const struct ir_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i]->name, name) == 0) {
            return module->functions[i];
        }
    }
    return NULL;
}

struct ir_ctype *races_integer_type(struct ir_module *module)
{
    struct ir_ctype *type = ARENA_NEW(module->arena, struct ir_ctype);
    *type = (struct ir_ctype){.kind = IR_CTYPE_SCALAR, .name = "long", .scalar = IR_I64, .size = 8, .align = 8};
    return type;
}

static struct ir_function *new_helper(struct ir_module *module, const char *name, int param_count)
{
    struct ir_function *helper = ir_function_create(module, IR_FUNCTION_HELPER, name);
    helper->return_type = IR_I64;
    helper->params = ARENA_ARRAY(module->arena, struct ir_param, param_count);
    helper->param_count = param_count;
    struct ir_ctype *type = races_integer_type(module);
    for (int i = 0; i < param_count; i++) {
        helper->params[i] =
            (struct ir_param){.name = arena_printf(module->arena, ".p%d", i), .type = IR_I64, .ctype = type};
    }
    return helper;
}

static struct ir_inst *param(struct ir_builder *b, int index)
{
    struct ir_inst *inst = ir_emit0(b, IR_OP_PARAM, IR_I64);
    inst->imm = index;
    return inst;
}

static struct ir_inst *number(struct ir_builder *b, int64_t value)
{
    return ir_const(b, IR_I64, value);
}

static struct ir_inst *op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, IR_I64, x, y);
}

static struct ir_inst *is(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, IR_I1, x, y);
}

static struct ir_builder under(struct ir_builder *b, struct ir_inst *condition)
{
    struct ir_inst *choice = ir_control(b, IR_OP_IF, condition, 2);
    struct ir_builder inner = *b;
    inner.region = &choice->regions[0];
    inner.before = NULL;
    return inner;
}

static void give(struct ir_builder *b, struct ir_inst *value)
{
    ir_emit(b, IR_OP_RETURN, IR_VOID, 1, &value);
}

static struct ir_inst *word_address(struct ir_builder *b, struct ir_inst *record, struct ir_inst *byte)
{
    return ir_emit1(b, IR_OP_INTTOPTR, IR_PTR, op(b, IR_OP_ADD, record, byte));
}

static struct ir_inst *load_word(struct ir_builder *b, struct ir_inst *address)
{
    struct ir_inst *load = ir_emit1(b, IR_OP_LOAD, IR_I64, address);
    load->atomic = true;
    return load;
}

// Puts |me| where nobody is yet, and gives who was there before: 0, nobody.
static void take_word(struct ir_builder *b, struct ir_inst *address, struct ir_inst *me, struct ir_var *before)
{
    ir_set(b, before, load_word(b, address));
    struct ir_builder free = under(b, is(b, IR_OP_EQ, ir_get(b, before), number(b, 0)));
    ir_set(&free, before, ir_emit3(&free, IR_OP_CAS, IR_I64, address, number(&free, 0), me));
}

static struct ir_inst *is_another(struct ir_builder *b, struct ir_inst *word, struct ir_inst *me)
{
    struct ir_inst *is_some = is(b, IR_OP_NE, word, number(b, 0));
    struct ir_inst *differ = op(b, IR_OP_LSHR, op(b, IR_OP_XOR, word, me), number(b, ABI_RACE_ITERATION_SHIFT));
    struct ir_inst *is_other = is(b, IR_OP_NE, differ, number(b, 0));
    return ir_emit2(b, IR_OP_AND, IR_I1, is_some, is_other);
}

// Leaves with the word if that one and |me| race: two iterations, unless they are of one class.
static void leave_if_race(struct ir_builder *b, struct ir_inst *address, struct ir_inst *me)
{
    struct ir_inst *word = load_word(b, address);
    struct ir_inst *mask = number(b, ABI_RACE_CLASS_MASK << ABI_RACE_CLASS_SHIFT);
    struct ir_inst *classes = op(b, IR_OP_AND, op(b, IR_OP_XOR, word, me), mask);
    struct ir_inst *differ = is(b, IR_OP_NE, classes, number(b, 0));
    struct ir_inst *is_any = is(b, IR_OP_EQ, op(b, IR_OP_AND, me, mask), number(b, 0));
    struct ir_inst *is_race =
        ir_emit2(b, IR_OP_AND, IR_I1, is_another(b, word, me), ir_emit2(b, IR_OP_OR, IR_I1, differ, is_any));
    struct ir_builder found = under(b, is_race);
    give(&found, word);
}

// i64 rill.race.note(first record, records, word of this access): the word of an access that it races with, or 0.
static struct ir_function *note_helper(struct ir_module *module)
{
    const char *name = "rill.race.note";
    struct ir_function *helper = find_function(module, name);
    if (helper != NULL) {
        return helper;
    }
    helper = new_helper(module, name, 3);
    struct ir_var *at = ir_var_create(module, helper, "at", IR_I64);
    struct ir_var *before = ir_var_create(module, helper, "before", IR_I64);
    struct ir_builder b = {.module = module, .function = helper, .region = &helper->body};
    struct ir_inst *me = param(&b, 2);
    struct ir_inst *is_write = ir_emit1(&b, IR_OP_TRUNC, IR_I1, op(&b, IR_OP_AND, me, number(&b, ABI_RACE_WRITE)));
    struct ir_inst *own = ir_emit3(&b, IR_OP_SELECT, IR_I64, is_write, number(&b, 0), number(&b, 16));
    ir_set(&b, at, param(&b, 0));
    struct ir_inst *bytes = op(&b, IR_OP_MUL, param(&b, 1), number(&b, ABI_RACE_RECORD_SIZE));
    struct ir_inst *end = op(&b, IR_OP_ADD, param(&b, 0), bytes);
    struct ir_inst *loop = ir_control(&b, IR_OP_LOOP, NULL, 1);
    loop->text = "records";
    struct ir_builder body = b;
    body.region = &loop->regions[0];
    struct ir_inst *record = ir_get(&body, at);
    struct ir_builder over = under(&body, is(&body, IR_OP_UGE, record, end));
    give(&over, number(&over, 0));
    take_word(&body, word_address(&body, record, own), me, before);
    struct ir_builder second = under(&body, is_another(&body, ir_get(&body, before), me));
    struct ir_inst *next = op(&second, IR_OP_ADD, own, number(&second, 8));
    take_word(&second, word_address(&second, record, next), me, before);
    for (int i = 0; i < 2; i++) {
        leave_if_race(&body, word_address(&body, record, number(&body, i * 8)), me);
    }
    struct ir_builder write = under(&body, is_write);
    for (int i = 2; i < 4; i++) {
        leave_if_race(&write, word_address(&write, record, number(&write, i * 8)), me);
    }
    ir_set(&body, at, op(&body, IR_OP_ADD, record, number(&body, ABI_RACE_RECORD_SIZE)));
    give(&b, number(&b, 0));
    return helper;
}

// i64 rill.race.find.N(address, bytes, word of this access, N times: begin of an array, bytes, granule, shadow), looks
// the address up.
struct ir_function *races_find_helper(struct ir_module *module, int array_count)
{
    const char *name = arena_printf(module->arena, "rill.race.find.%d", array_count);
    struct ir_function *helper = find_function(module, name);
    if (helper != NULL) {
        return helper;
    }
    struct ir_function *note = note_helper(module);
    helper = new_helper(module, name, RACES_BEFORE_ARRAYS + RACES_PER_ARRAY * array_count);
    struct ir_builder b = {.module = module, .function = helper, .region = &helper->body};
    struct ir_inst *address = param(&b, 0), *size = param(&b, 1), *me = param(&b, 2);
    for (int i = 0; i < array_count; i++) {
        int first = RACES_BEFORE_ARRAYS + RACES_PER_ARRAY * i;
        struct ir_inst *length = param(&b, first + 1), *granule = param(&b, first + 2);
        struct ir_inst *way = op(&b, IR_OP_SUB, address, param(&b, first));
        struct ir_builder inside = under(&b, is(&b, IR_OP_ULT, way, length));
        // What is smaller than a piece is another argument's that overlaps with this one: pieces would be too coarse.
        struct ir_builder fits = under(&inside, is(&inside, IR_OP_UGE, size, granule));
        struct ir_inst *from = op(&fits, IR_OP_UDIV, way, granule);
        struct ir_inst *end = op(&fits, IR_OP_UMIN, op(&fits, IR_OP_ADD, way, size), length);
        struct ir_inst *last = op(&fits, IR_OP_UDIV, op(&fits, IR_OP_SUB, end, number(&fits, 1)), granule);
        struct ir_inst *count = op(&fits, IR_OP_ADD, op(&fits, IR_OP_SUB, last, from), number(&fits, 1));
        struct ir_inst *bytes = op(&fits, IR_OP_MUL, from, number(&fits, ABI_RACE_RECORD_SIZE));
        struct ir_inst *args[3] = {op(&fits, IR_OP_ADD, param(&fits, first + 3), bytes), count, me};
        struct ir_inst *call = ir_emit(&fits, IR_OP_CALL, IR_I64, 3, args);
        call->function = note;
        give(&fits, call);
    }
    give(&b, number(&b, 0));
    return helper;
}
