// The text form. It loses nothing but `note` and `analysis`: ir_read makes the same module of it, and printing that
// gives the same bytes. Things are named by their place in a table ("$i#3" is variable 3, whose name is i); the name
// before the '#' is for people. A word that begins with ';' begins a comment, which is not kept.
//
//     rill-ir 1
//     file 0 "square.c"
//     ctype 0 scalar "int" size 4 align 4 i32
//     ctype 1 scalar "float" size 4 align 4 f32
//     kernel 0 "square" returns void !0:3:1
//       param 0 "n" i32 ctype 0 !0:3:24
//       param 1 "a" ptr ctype 1 array extent %1 !0:3:33
//       var 0 "i" i32 !0:5:14
//       body {
//         %0 = param i32 0 !0:3:24
//         %1 = sext i64 %0 !0:3:35
//         %2 = param ptr 1 !0:3:33
//         %3 = const i32 0 !0:5:18
//         for L0 $i#0 slt %3 %0 step 1 verdict proven !0:5:5 {
//           …
//         }
//       }
//     end
#include "ir/print.h"

#include "ir/text.h"

#include <inttypes.h>

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

// ---- C types and globals -------------------------------------------------------------------------------------------

static int ctype_index(struct printer *p, const struct ir_ctype *ctype)
{
    for (int i = 0; i < p->ctypes.count; i++) {
        if (p->ctypes.items[i] == ctype) {
            return i;
        }
    }
    return -1;
}

static void collect_ctype(struct printer *p, const struct ir_ctype *ctype)
{
    if (ctype == NULL || ctype_index(p, ctype) >= 0) {
        return;
    }
    VEC_PUSH(p->out->arena, &p->ctypes, ctype);
    collect_ctype(p, ctype->element);
    for (int i = 0; i < ctype->member_count; i++) {
        collect_ctype(p, ctype->members[i].type);
    }
}

static void collect_ctypes(struct printer *p)
{
    for (int i = 0; i < p->module->global_count; i++) {
        collect_ctype(p, p->module->globals[i]->ctype);
    }
    for (int i = 0; i < p->module->function_count; i++) {
        const struct ir_function *function = p->module->functions[i];
        collect_ctype(p, function->return_ctype);
        for (int k = 0; k < function->param_count; k++) {
            collect_ctype(p, function->params[k].ctype);
        }
    }
}

static void print_ctype_ref(struct printer *p, const char *word, const struct ir_ctype *ctype)
{
    if (ctype != NULL) {
        str_printf(p->out, " %s %d", word, ctype_index(p, ctype));
    }
}

static void print_ctype(struct printer *p, int index)
{
    const struct ir_ctype *ctype = p->ctypes.items[index];
    str_printf(p->out, "ctype %d %s", index, ctype_names[ctype->kind]);
    ir_print_text(p, ctype->name);
    str_printf(p->out, " size %" PRIu64 " align %" PRIu32, ctype->size, ctype->align);
    if (ctype->scalar != IR_VOID) {
        str_printf(p->out, " %s", ir_type_name(ctype->scalar));
    }
    ir_print_flag(p, "unsigned", ctype->is_unsigned);
    ir_print_flag(p, "bool", ctype->is_bool);
    ir_print_flag(p, "union", ctype->is_union);
    print_ctype_ref(p, "element", ctype->element);
    ir_print_number(p, "length", ctype->length, 0);
    for (int i = 0; i < ctype->member_count; i++) {
        const struct ir_cmember *member = &ctype->members[i];
        str_add(p->out, "\n  member");
        ir_print_text(p, member->name);
        print_ctype_ref(p, "ctype", member->type);
        str_printf(p->out, " offset %" PRIu64, member->offset);
        if (member->bit_offset != -1 || member->bit_width != 0) {
            str_printf(p->out, " bits %d %d", member->bit_offset, member->bit_width);
        }
    }
    str_add_char(p->out, '\n');
}

// Runs of 16 zeros and more are counted, the rest is written as hex.
static void print_bytes(struct printer *p, const uint8_t *bytes, uint64_t size)
{
    uint64_t at = 0;
    while (at < size) {
        uint64_t zeros = 0;
        while (at + zeros < size && bytes[at + zeros] == 0) {
            zeros++;
        }
        if (zeros >= 16 || at + zeros == size) {
            str_printf(p->out, "\n  zeros %" PRIu64, zeros);
            at += zeros;
            continue;
        }
        str_add(p->out, "\n  hex ");
        for (int i = 0; i < 32 && at < size; i++) {
            str_printf(p->out, "%02x", bytes[at++]);
        }
    }
}

static void print_pieces(struct printer *p, const struct ir_global *global)
{
    str_add(p->out, " pieces");
    for (int i = 0; i < global->piece_count; i++) {
        const struct ir_piece *piece = &global->pieces[i];
        str_printf(p->out, "\n  at %" PRIu64, piece->offset);
        for (uint64_t at = 0; at < piece->size; at++) {
            str_printf(p->out, at % 32 == 0 ? "\n  hex %02x" : "%02x", piece->bytes[at]);
        }
    }
}

static void print_global(struct printer *p, const struct ir_global *global)
{
    str_printf(p->out, "global %d", global->index);
    ir_print_text(p, global->name);
    str_printf(p->out, " size %" PRIu64 " align %" PRIu32, global->size, global->align);
    ir_print_flag(p, "const", global->is_const);
    print_ctype_ref(p, "ctype", global->ctype);
    ir_print_loc(p, global->loc);
    if (global->bytes != NULL) {
        str_add(p->out, " bytes");
        print_bytes(p, global->bytes, global->size);
    }
    if (global->piece_count > 0) {
        print_pieces(p, global);
    }
    for (int i = 0; i < global->reloc_count; i++) {
        const struct ir_reloc *reloc = &global->relocs[i];
        str_printf(p->out, "\n  reloc %" PRIu64, reloc->offset);
        ir_print_named(p, '&', reloc->target->name, reloc->target->index);
        str_printf(p->out, " %" PRId64, reloc->addend);
    }
    str_add_char(p->out, '\n');
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void print_param(struct printer *p, const struct ir_param *param, int index)
{
    str_printf(p->out, "  param %d", index);
    ir_print_text(p, param->name);
    str_printf(p->out, " %s", ir_type_name(param->type));
    print_ctype_ref(p, "ctype", param->ctype);
    ir_print_flag(p, "struct", param->is_struct);
    ir_print_flag(p, "array", param->is_array);
    ir_print_flag(p, "const", param->is_const);
    ir_print_flag(p, "restrict", param->is_restrict);
    ir_print_flag(p, "scratch", param->is_scratch);
    ir_print_flag(p, "result", param->is_result);
    for (int i = 0; i < param->rank; i++) {
        str_printf(p->out, " extent %%%d", param->extents[i] != NULL ? param->extents[i]->id : -1);
    }
    ir_print_number(p, "counts", param->counts - 1, -1);
    ir_print_loc(p, param->loc);
    str_add_char(p->out, '\n');
}

static void print_var_line(struct printer *p, const struct ir_var *var)
{
    str_printf(p->out, "  var %d", var->index);
    ir_print_text(p, var->name);
    if (var->type != IR_VOID) {
        str_printf(p->out, " %s", ir_type_name(var->type));
    }
    ir_print_flag(p, "memory", var->is_memory);
    ir_print_flag(p, "unsigned", var->is_unsigned);
    ir_print_flag(p, "team", var->is_team);
    ir_print_number(p, "size", (int64_t)var->size, 0);
    ir_print_number(p, "align", var->align, 0);
    ir_print_number(p, "depth", var->depth_key, 0);
    ir_print_number(p, "slot", var->slot, -1);
    if (var->scope != NULL) {
        str_printf(p->out, " scope L%d", ir_print_label_of(p, var->scope));
    }
    ir_print_loc(p, var->loc);
    str_add_char(p->out, '\n');
}

static void print_accumulator(struct printer *p, const struct ir_accumulator *accumulator)
{
    str_add(p->out, "  accumulator");
    ir_print_var(p, accumulator->var);
    str_printf(p->out, " offset %" PRIu64, accumulator->offset);
    const struct ir_inst *init = accumulator->init;
    if (init != NULL && init->op == IR_OP_CONST) {
        str_printf(p->out, " const %s %" PRId64, ir_type_name(init->type), init->imm);
    } else if (init != NULL) {
        str_printf(p->out, " fconst %s", ir_type_name(init->type));
        ir_print_float(p, init->fimm);
    }
    if (accumulator->merge != IR_UPDATE_NONE) {
        str_printf(p->out, " merge %s", ir_update_name(accumulator->merge));
    }
    ir_print_number(p, "chosen", accumulator->chosen, 0);
    ir_print_flag(p, "later", accumulator->choice == IR_CHOICE_LATER);
    if (accumulator->choice == IR_CHOICE_BETTER) {
        str_printf(p->out, " better %s %d", ir_op_name(accumulator->better), accumulator->leader);
        ir_print_flag(p, "inclusive", accumulator->is_inclusive);
    }
    str_add_char(p->out, '\n');
}

static void print_header(struct printer *p, const struct ir_function *function)
{
    str_printf(p->out, "%s %d", kind_names[function->kind], ir_print_function_index(p->module, function));
    ir_print_text(p, function->name);
    str_printf(p->out, " returns %s", ir_type_name(function->return_type));
    print_ctype_ref(p, "ctype", function->return_ctype);
    ir_print_flag(p, "may_fail", function->may_fail);
    ir_print_flag(p, "single", function->pragma_single);
    ir_print_flag(p, "serial", function->is_serial);
    ir_print_flag(p, "independent", function->assume_independent);
    ir_print_number(p, "partial", (int64_t)function->partial_size, 0);
    if (function->kernel != NULL) {
        str_add(p->out, " of");
        ir_print_named(p, '@', function->kernel->name, ir_print_function_index(p->module, function->kernel));
    }
    ir_print_loc(p, function->loc);
    str_add_char(p->out, '\n');
}

static void print_function(struct printer *p, const struct ir_function *function)
{
    ir_print_number_labels(p, function);
    print_header(p, function);
    for (int i = 0; i < function->param_count; i++) {
        print_param(p, &function->params[i], i);
    }
    for (int i = 0; i < function->var_count; i++) {
        print_var_line(p, function->vars[i]);
    }
    for (int i = 0; i < function->accumulator_count; i++) {
        print_accumulator(p, &function->accumulators[i]);
    }
    if (function->prologue.first != NULL) {
        str_add(p->out, "  prologue");
        ir_print_region(p, &function->prologue, 1);
        str_add_char(p->out, '\n');
    }
    if (function->count != NULL) {
        str_printf(p->out, "  count %%%d\n", function->count->id);
    }
    str_add(p->out, "  body");
    ir_print_region(p, &function->body, 1);
    str_add(p->out, "\nend\n");
}

void ir_print_function(const struct ir_module *module, const struct ir_function *function, struct str *out)
{
    struct printer p = {.module = module, .out = out};
    collect_ctypes(&p);
    print_function(&p, function);
}

void ir_print(const struct ir_module *module, struct str *out)
{
    struct printer p = {.module = module, .out = out};
    str_add(out, IR_TEXT_MAGIC "\n");
    if (module->check_bounds) {
        str_add(out, "check_bounds\n");
    }
    if (module->check_races) {
        str_add(out, "check_races\n");
    }
    for (int i = 0; i < module->file_count; i++) {
        str_printf(out, "file %d", i);
        ir_print_text(&p, module->files[i]);
        str_add_char(out, '\n');
    }
    collect_ctypes(&p);
    for (int i = 0; i < p.ctypes.count; i++) {
        print_ctype(&p, i);
    }
    for (int i = 0; i < module->global_count; i++) {
        print_global(&p, module->globals[i]);
    }
    for (int i = 0; i < module->function_count; i++) {
        print_function(&p, module->functions[i]);
    }
}
