// The text form. It loses nothing but `note` and `analysis`: ir_read makes the same module of it, and printing that
// gives the same bytes. Things are named by their place in a table ("$i#3" is variable 3, whose name is i); the name
// before the '#' is for people.
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
#include "ir/ir.h"
#include "ir/text.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct label {
    const struct ir_inst *inst;
    int number;
};

struct printer {
    const struct ir_module *module;
    struct str *out;
    VEC(const struct ir_ctype *) ctypes;
    VEC(struct label) labels; // of every instruction with regions, sorted by its address
    int next_label;           // labels count up in the order of the text
};

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

// ---- small pieces --------------------------------------------------------------------------------------------------

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
static void print_text(struct printer *p, const char *text)
{
    if (text != NULL) {
        str_add_char(p->out, ' ');
        print_quoted(p, text);
    }
}

static void print_flag(struct printer *p, const char *word, bool is_set)
{
    if (is_set) {
        str_printf(p->out, " %s", word);
    }
}

static void print_number(struct printer *p, const char *word, int64_t value, int64_t usual)
{
    if (value != usual) {
        str_printf(p->out, " %s %" PRId64, word, value);
    }
}

static void print_loc(struct printer *p, struct loc loc)
{
    if (loc.line != 0 || loc.file != 0 || loc.column != 0) {
        str_printf(p->out, " !%" PRIu32 ":%" PRIu32 ":%" PRIu32, loc.file, loc.line, loc.column);
    }
}

// In hex, exactly, by hand: printf's %a follows the host's locale.
static void print_float(struct printer *p, double value)
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
static void print_named(struct printer *p, char sigil, const char *name, int index)
{
    bool is_word = name != NULL && name[0] != '\0';
    for (const char *c = name; is_word && *c != '\0'; c++) {
        is_word =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '.';
    }
    str_printf(p->out, " %c%s#%d", sigil, is_word ? name : "", index);
}

static void print_var(struct printer *p, const struct ir_var *var)
{
    print_named(p, '$', var->name, var->index);
}

static int function_index(const struct ir_module *module, const struct ir_function *function)
{
    for (int i = 0; i < module->function_count; i++) {
        if (module->functions[i] == function) {
            return i;
        }
    }
    return -1;
}

static int compare_labels(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct label *)a)->inst;
    uintptr_t y = (uintptr_t)((const struct label *)b)->inst;
    return (x > y) - (x < y);
}

static int label_of(const struct printer *p, const struct ir_inst *inst)
{
    struct label wanted = {.inst = inst};
    const struct label *found = p->labels.count == 0 ? NULL
                                                     : bsearch(&wanted, p->labels.items, (size_t)p->labels.count,
                                                               sizeof wanted, compare_labels);
    return found != NULL ? found->number : -1;
}

static void collect_labels(struct printer *p, const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->region_count > 0) {
            struct label label = {inst, p->labels.count};
            VEC_PUSH(p->out->arena, &p->labels, label);
        }
        for (int i = 0; i < inst->region_count; i++) {
            collect_labels(p, &inst->regions[i]);
        }
    }
}

static void number_labels(struct printer *p, const struct ir_function *function)
{
    p->labels.count = 0;
    p->next_label = 0;
    collect_labels(p, &function->prologue);
    collect_labels(p, &function->body);
    if (p->labels.count > 0) {
        qsort(p->labels.items, (size_t)p->labels.count, sizeof *p->labels.items, compare_labels);
    }
}

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
    print_text(p, ctype->name);
    str_printf(p->out, " size %" PRIu64 " align %" PRIu32, ctype->size, ctype->align);
    if (ctype->scalar != IR_VOID) {
        str_printf(p->out, " %s", ir_type_name(ctype->scalar));
    }
    print_flag(p, "unsigned", ctype->is_unsigned);
    print_flag(p, "bool", ctype->is_bool);
    print_flag(p, "union", ctype->is_union);
    print_ctype_ref(p, "element", ctype->element);
    print_number(p, "length", ctype->length, 0);
    for (int i = 0; i < ctype->member_count; i++) {
        const struct ir_cmember *member = &ctype->members[i];
        str_add(p->out, "\n  member");
        print_text(p, member->name);
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

static void print_global(struct printer *p, const struct ir_global *global)
{
    str_printf(p->out, "global %d", global->index);
    print_text(p, global->name);
    str_printf(p->out, " size %" PRIu64 " align %" PRIu32, global->size, global->align);
    print_flag(p, "const", global->is_const);
    print_ctype_ref(p, "ctype", global->ctype);
    print_loc(p, global->loc);
    if (global->bytes != NULL) {
        str_add(p->out, " bytes");
        print_bytes(p, global->bytes, global->size);
    }
    for (int i = 0; i < global->reloc_count; i++) {
        const struct ir_reloc *reloc = &global->relocs[i];
        str_printf(p->out, "\n  reloc %" PRIu64, reloc->offset);
        print_named(p, '&', reloc->target->name, reloc->target->index);
        str_printf(p->out, " %" PRId64, reloc->addend);
    }
    str_add_char(p->out, '\n');
}

// ---- instructions --------------------------------------------------------------------------------------------------

static void print_roles(struct printer *p, const struct ir_for *loop)
{
    for (int i = 0; i < loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->roles[i];
        str_add(p->out, " role");
        print_var(p, role->var);
        str_printf(p->out, " %s", role_names[role->role]);
        if (role->update != IR_UPDATE_NONE) {
            str_printf(p->out, " update %s", ir_update_name(role->update));
        }
        print_flag(p, "inclusive", role->inclusive);
        print_flag(p, "always_written", role->always_written);
        if (role->leader != NULL) {
            str_add(p->out, " leader");
            print_var(p, role->leader);
        }
    }
}

static void print_for(struct printer *p, const struct ir_for *loop)
{
    str_printf(p->out, " step %" PRId64, loop->step);
    print_flag(p, "recheck", loop->recheck);
    print_flag(p, "tested", loop->tested);
    print_flag(p, "parallel", loop->pragma_parallel);
    print_flag(p, "serial", loop->pragma_serial);
    print_flag(p, "single", loop->pragma_single);
    print_number(p, "collapse", loop->collapse, 0);
    print_number(p, "block_dim", loop->block_dim, 0);
    print_number(p, "level", loop->level, 0);
    if (loop->verdict != IR_VERDICT_NONE) {
        str_printf(p->out, " verdict %s", verdict_names[loop->verdict]);
    }
    if (loop->reason != NULL) {
        str_add(p->out, " reason");
        print_text(p, loop->reason);
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
    print_number(p, "default", inst->default_region, -1);
}

// What an operation is about, before its operands.
static void print_references(struct printer *p, const struct ir_inst *inst)
{
    if (inst->loop != NULL) {
        print_var(p, inst->loop->var);
        str_printf(p->out, " %s", ir_op_name(inst->loop->compare));
    }
    if (inst->var != NULL) {
        print_var(p, inst->var);
    }
    if (inst->global != NULL) {
        print_named(p, '&', inst->global->name, inst->global->index);
    }
    if (inst->function != NULL) {
        print_named(p, '@', inst->function->name, function_index(p->module, inst->function));
    }
    if (inst->update != IR_UPDATE_NONE) {
        str_printf(p->out, " %s", ir_update_name(inst->update));
    }
}

static void print_attributes(struct printer *p, const struct ir_inst *inst)
{
    if (inst->target != NULL) {
        str_printf(p->out, " of L%d", label_of(p, inst->target));
    }
    if (inst->loop != NULL) {
        print_for(p, inst->loop);
    }
    print_switch(p, inst);
    print_text(p, inst->text);
    if (!ir_op_has_imm(inst->op) && inst->op != IR_OP_MATH) {
        print_number(p, "imm", inst->imm, 0);
    }
    print_flag(p, "volatile", inst->is_volatile);
    print_flag(p, "unsigned", inst->is_unsigned);
    print_flag(p, "atomic", inst->atomic);
    print_flag(p, "in_bounds", inst->in_bounds);
    print_flag(p, "no_wrap", inst->no_wrap);
    print_flag(p, "fused", inst->fused);
    print_number(p, "base", inst->base, 0);
    print_loc(p, inst->loc);
}

static void indent(struct printer *p, int depth)
{
    for (int i = 0; i < depth; i++) {
        str_add(p->out, "  ");
    }
}

static void print_inst(struct printer *p, const struct ir_inst *inst, int depth);

static void print_region(struct printer *p, const struct ir_region *region, int depth)
{
    str_add(p->out, " {");
    print_flag(p, "in_order", region->in_order);
    print_loc(p, region->loc);
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
        print_float(p, inst->fimm);
    } else if (inst->op == IR_OP_MATH) {
        str_printf(p->out, " %s", ir_math_name((enum ir_math)inst->imm));
    }
    print_references(p, inst);
    for (int i = 0; i < inst->arg_count; i++) {
        str_printf(p->out, " %%%d", inst->args[i] != NULL ? inst->args[i]->id : -1);
    }
    print_attributes(p, inst);
    for (int i = 0; i < inst->region_count; i++) {
        print_region(p, &inst->regions[i], depth);
    }
    str_add_char(p->out, '\n');
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void print_param(struct printer *p, const struct ir_param *param, int index)
{
    str_printf(p->out, "  param %d", index);
    print_text(p, param->name);
    str_printf(p->out, " %s", ir_type_name(param->type));
    print_ctype_ref(p, "ctype", param->ctype);
    print_flag(p, "struct", param->is_struct);
    print_flag(p, "array", param->is_array);
    print_flag(p, "const", param->is_const);
    print_flag(p, "restrict", param->is_restrict);
    for (int i = 0; i < param->rank; i++) {
        str_printf(p->out, " extent %%%d", param->extents[i] != NULL ? param->extents[i]->id : -1);
    }
    print_loc(p, param->loc);
    str_add_char(p->out, '\n');
}

static void print_var_line(struct printer *p, const struct ir_var *var)
{
    str_printf(p->out, "  var %d", var->index);
    print_text(p, var->name);
    if (var->type != IR_VOID) {
        str_printf(p->out, " %s", ir_type_name(var->type));
    }
    print_flag(p, "memory", var->is_memory);
    print_flag(p, "unsigned", var->is_unsigned);
    print_number(p, "size", (int64_t)var->size, 0);
    print_number(p, "align", var->align, 0);
    print_number(p, "depth", var->depth_key, 0);
    print_number(p, "slot", var->slot, -1);
    if (var->scope != NULL) {
        str_printf(p->out, " scope L%d", label_of(p, var->scope));
    }
    print_loc(p, var->loc);
    str_add_char(p->out, '\n');
}

static void print_accumulator(struct printer *p, const struct ir_accumulator *accumulator)
{
    str_add(p->out, "  accumulator");
    print_var(p, accumulator->var);
    str_printf(p->out, " offset %" PRIu64, accumulator->offset);
    const struct ir_inst *init = accumulator->init;
    if (init != NULL && init->op == IR_OP_CONST) {
        str_printf(p->out, " const %s %" PRId64, ir_type_name(init->type), init->imm);
    } else if (init != NULL) {
        str_printf(p->out, " fconst %s", ir_type_name(init->type));
        print_float(p, init->fimm);
    }
    str_add_char(p->out, '\n');
}

static void print_header(struct printer *p, const struct ir_function *function)
{
    str_printf(p->out, "%s %d", kind_names[function->kind], function_index(p->module, function));
    print_text(p, function->name);
    str_printf(p->out, " returns %s", ir_type_name(function->return_type));
    print_ctype_ref(p, "ctype", function->return_ctype);
    print_flag(p, "may_fail", function->may_fail);
    print_flag(p, "single", function->pragma_single);
    print_flag(p, "serial", function->is_serial);
    print_flag(p, "independent", function->assume_independent);
    print_number(p, "partial", (int64_t)function->partial_size, 0);
    if (function->kernel != NULL) {
        str_add(p->out, " of");
        print_named(p, '@', function->kernel->name, function_index(p->module, function->kernel));
    }
    print_loc(p, function->loc);
    str_add_char(p->out, '\n');
}

static void print_function(struct printer *p, const struct ir_function *function)
{
    number_labels(p, function);
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
        print_region(p, &function->prologue, 1);
        str_add_char(p->out, '\n');
    }
    str_add(p->out, "  body");
    print_region(p, &function->body, 1);
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
    for (int i = 0; i < module->file_count; i++) {
        str_printf(out, "file %d", i);
        print_text(&p, module->files[i]);
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
