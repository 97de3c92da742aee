#include "ir/print.h"

#include "ir/text.h"
#include "ir/walk.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const verdict_names[] = {
#define ROW(name, text) [IR_VERDICT_##name] = text,
    IR_VERDICT_LIST(ROW)
#undef ROW
};
static const char *const role_names[] = {
#define ROW(name, text) [IR_ROLE_##name] = text,
    IR_ROLE_LIST(ROW)
#undef ROW
};

// ---- labels --------------------------------------------------------------------------------------------------------

static int compare_labels(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct label *)a)->inst;
    uintptr_t y = (uintptr_t)((const struct label *)b)->inst;
    return (x > y) - (x < y);
}

int ir_print_label_of(const struct printer *p, const struct ir_inst *inst)
{
    struct label wanted = {.inst = inst};
    const struct label *found = p->labels.count == 0 ? NULL
                                                     : bsearch(&wanted, p->labels.items, (size_t)p->labels.count,
                                                               sizeof wanted, compare_labels);
    return found != NULL ? found->number : -1;
}

static void collect_labels(struct printer *p, const struct ir_region *region)
{
    WALK (inst, region) {
        if (inst->region_count > 0) {
            struct label label = {inst, p->labels.count};
            VEC_PUSH(p->out->arena, &p->labels, label);
        }
    }
}

void ir_print_number_labels(struct printer *p, const struct ir_function *function)
{
    p->labels.count = 0;
    p->next_label = 0;
    collect_labels(p, &function->prologue);
    collect_labels(p, &function->body);
    if (p->labels.count > 0) {
        qsort(p->labels.items, (size_t)p->labels.count, sizeof *p->labels.items, compare_labels);
    }
}

// ---- instructions --------------------------------------------------------------------------------------------------

static void print_roles(struct printer *p, const struct ir_for *loop)
{
    for (int i = 0; i < loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->roles[i];
        str_add(p->out, " role");
        ir_print_var(p, role->var);
        str_printf(p->out, " %s", role_names[role->role]);
        if (role->update != IR_UPDATE_NONE) {
            str_printf(p->out, " update %s", ir_update_name(role->update));
        }
        ir_print_flag(p, "inclusive", role->inclusive);
        ir_print_flag(p, "unordered", role->unordered);
        ir_print_flag(p, "always_written", role->always_written);
        if (role->leader != NULL) {
            str_add(p->out, " leader");
            ir_print_var(p, role->leader);
        }
    }
}

static void print_for(struct printer *p, const struct ir_for *loop)
{
    str_printf(p->out, " step %" PRId64, loop->step);
    ir_print_flag(p, "recheck", loop->recheck);
    ir_print_flag(p, "tested", loop->tested);
    ir_print_flag(p, "parallel", loop->pragma_parallel);
    ir_print_flag(p, "serial", loop->pragma_serial);
    ir_print_flag(p, "single", loop->pragma_single);
    ir_print_flag(p, "carries", loop->carries);
    ir_print_flag(p, "fallback", loop->is_fallback);
    ir_print_number(p, "few", loop->few, 0);
    ir_print_number(p, "scan", (int64_t)loop->scan, 0);
    ir_print_number(p, "runs", loop->runs, 0);
    ir_print_number(p, "collapse", loop->collapse, 0);
    ir_print_number(p, "block_dim", loop->block_dim, 0);
    ir_print_flag(p, "map_outer", loop->map == IR_MAP_OUTER);
    ir_print_flag(p, "map_two_level", loop->map == IR_MAP_TWO_LEVEL);
    if (loop->map == IR_MAP_TILE) {
        str_printf(p->out, " map_tile %d %d", loop->tile_rows, loop->tile_columns);
    }
    ir_print_number(p, "level", loop->level, 0);
    if (loop->verdict != IR_VERDICT_NONE) {
        str_printf(p->out, " verdict %s", verdict_names[loop->verdict]);
    }
    if (loop->reason != NULL) {
        str_add(p->out, " reason");
        ir_print_text(p, loop->reason);
    }
    if (loop->reason_loc_a.line != 0 || loop->reason_loc_b.line != 0) {
        str_printf(p->out, " between !%" PRIu32 ":%" PRIu32 ":%" PRIu32, loop->reason_loc_a.file,
                   loop->reason_loc_a.line, loop->reason_loc_a.column);
        str_printf(p->out, " !%" PRIu32 ":%" PRIu32 ":%" PRIu32, loop->reason_loc_b.file, loop->reason_loc_b.line,
                   loop->reason_loc_b.column);
    }
    print_roles(p, loop);
}

static void print_switch(struct printer *p, const struct ir_inst *inst)
{
    for (int i = 0; i < inst->case_count; i++) {
        str_printf(p->out, " case %" PRId64 " %d", inst->cases[i], inst->case_regions[i]);
    }
    ir_print_number(p, "default", inst->default_region, -1);
}

// What an operation is about, before its operands.
static void print_references(struct printer *p, const struct ir_inst *inst)
{
    if (inst->loop != NULL) {
        ir_print_var(p, inst->loop->var);
        str_printf(p->out, " %s", ir_op_name(inst->loop->compare));
    }
    if (inst->var != NULL) {
        ir_print_var(p, inst->var);
    }
    if (inst->global != NULL) {
        ir_print_named(p, '&', inst->global->name, inst->global->index);
    }
    if (inst->function != NULL) {
        ir_print_named(p, '@', inst->function->name, ir_print_function_index(p->module, inst->function));
    }
    if (inst->update != IR_UPDATE_NONE) {
        str_printf(p->out, " %s", ir_update_name(inst->update));
    }
}

static void print_attributes(struct printer *p, const struct ir_inst *inst)
{
    if (inst->target != NULL) {
        str_printf(p->out, " of L%d", ir_print_label_of(p, inst->target));
    }
    if (inst->loop != NULL) {
        print_for(p, inst->loop);
    }
    print_switch(p, inst);
    ir_print_text(p, inst->text);
    if (!ir_op_has_imm(inst->op) && inst->op != IR_OP_MATH) {
        ir_print_number(p, "imm", inst->imm, 0);
    }
    ir_print_flag(p, "volatile", inst->is_volatile);
    ir_print_flag(p, "packed", inst->is_packed);
    ir_print_flag(p, "around", inst->is_around);
    ir_print_flag(p, "unsigned", inst->is_unsigned);
    ir_print_flag(p, "atomic", inst->atomic);
    ir_print_flag(p, "in_bounds", inst->in_bounds);
    ir_print_flag(p, "no_wrap", inst->no_wrap);
    ir_print_flag(p, "fused", inst->fused);
    ir_print_number(p, "own", inst->own, 0);
    ir_print_number(p, "copy", inst->copy, 0);
    ir_print_number(p, "base", inst->base, 0);
    ir_print_loc(p, inst->loc);
}

static void indent(struct printer *p, int depth)
{
    for (int i = 0; i < depth; i++) {
        str_add(p->out, "  ");
    }
}

static void print_inst(struct printer *p, const struct ir_inst *inst, int depth);

void ir_print_region(struct printer *p, const struct ir_region *region, int depth)
{
    str_add(p->out, " {");
    ir_print_flag(p, "in_order", region->in_order);
    ir_print_loc(p, region->loc);
    str_add_char(p->out, '\n');
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        print_inst(p, inst, depth + 1);
    }
    indent(p, depth);
    str_add_char(p->out, '}');
}

static void print_inst(struct printer *p, const struct ir_inst *inst, int depth)
{
    indent(p, depth);
    if (inst->id >= 0) {
        str_printf(p->out, "%%%d = ", inst->id);
    }
    str_add(p->out, ir_op_name(inst->op));
    if (inst->region_count > 0) {
        str_printf(p->out, " L%d", p->next_label++);
    }
    if (inst->type != IR_VOID) {
        str_printf(p->out, " %s", ir_type_name(inst->type));
    }
    if (ir_op_has_imm(inst->op)) {
        str_printf(p->out, " %" PRId64, inst->imm);
    } else if (inst->op == IR_OP_FCONST) {
        ir_print_float(p, inst->fimm);
    } else if (inst->op == IR_OP_MATH) {
        str_printf(p->out, " %s", ir_math_name((enum ir_math)inst->imm));
    }
    print_references(p, inst);
    for (int i = 0; i < inst->arg_count; i++) {
        str_printf(p->out, " %%%d", inst->args[i] != NULL ? inst->args[i]->id : -1);
    }
    print_attributes(p, inst);
    for (int i = 0; i < inst->region_count; i++) {
        ir_print_region(p, &inst->regions[i], depth);
    }
    str_add_char(p->out, '\n');
}
