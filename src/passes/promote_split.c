// Structs that stay memory, because one of their members is an array that variables index, are taken apart: each member
// becomes a variable of its own, so that it is private, shared or a scalar by what happens to it alone. Done only where
// every use is seen to stay in one member, or copies or fills whole ones. An index that C allows does not leave the
// array that it indexes; a pointer of which that is not known keeps the struct in one piece.
//
// A helper that is called and gets the struct's address is looked at in the same way. It then gets the addresses of the
// members instead, in a copy of its code.
#include "passes/promote_split.h"

#include <string.h>

// ---- members -------------------------------------------------------------------------------------------------------

// The members of a struct and of the structs in it. False: it has parts that share bytes, or too many.
static bool add_members(struct split *s, const struct ir_ctype *type, int64_t offset, const char *prefix)
{
    if (type->is_union) {
        return false;
    }
    for (int i = 0; i < type->member_count; i++) {
        const struct ir_cmember *m = &type->members[i];
        const char *name = m->name[0] != '\0' ? arena_printf(s->module->arena, "%s.%s", prefix, m->name) : prefix;
        bool is_record = m->type->kind == IR_CTYPE_RECORD;
        if (m->bit_offset >= 0) {
            return false;
        }
        if (is_record && !m->type->is_union) {
            if (!add_members(s, m->type, offset + (int64_t)m->offset, name)) {
                return false;
            }
            continue;
        }
        if (s->count == MAX_MEMBERS || m->type->size == 0) {
            return false;
        }
        s->members[s->count++] = (struct member){.offset = offset + (int64_t)m->offset,
                                                 .size = (int64_t)m->type->size,
                                                 .name = name,
                                                 .type = m->type,
                                                 .is_array = m->type->kind == IR_CTYPE_ARRAY};
    }
    return true;
}

static int member_at(const struct split *s, int64_t offset, int64_t size)
{
    for (int i = 0; i < s->count; i++) {
        const struct member *m = &s->members[i];
        if (offset >= m->offset && offset + size <= m->offset + m->size && size >= 0) {
            return i;
        }
    }
    return -1;
}

// Whether every member lies inside the range or outside it.
static bool is_of_whole_members(const struct split *s, int64_t low, int64_t high)
{
    for (int i = 0; i < s->count; i++) {
        int64_t m_low = s->members[i].offset, m_high = m_low + s->members[i].size;
        bool touches = m_low < high && low < m_high;
        if (touches && (m_low < low || m_high > high)) {
            return false;
        }
    }
    return low >= 0 && high <= s->size;
}

// ---- uses ----------------------------------------------------------------------------------------------------------

static struct place place_of(const struct split *s, const struct ir_inst *value)
{
    return value->id >= 0 && value->id < s->place_count ? s->places[value->id] : (struct place){0};
}

static bool is_const(const struct ir_inst *inst, int64_t *out)
{
    *out = inst->imm;
    return inst->op == IR_OP_CONST;
}

// An index into an array whose extent is known.
static void use_index(struct split *s, const struct ir_inst *inst, struct place p)
{
    int64_t extent, stride, index;
    bool is_known = is_const(inst->args[3], &extent) && extent > 0 && is_const(inst->args[2], &stride) && stride > 0;
    if (!is_known) {
        s->is_good = false;
        return;
    }
    if (p.is_inside) {
        s->places[inst->id] = p;
        return;
    }
    int64_t reach = stride * extent; // extents are those of C objects: no overflow
    int member = member_at(s, p.offset, reach);
    if (member < 0 || !s->members[member].is_array) {
        s->is_good = false;
        return;
    }
    bool is_fixed = is_const(inst->args[1], &index) && index >= 0 && index < extent;
    s->places[inst->id] = is_fixed ? (struct place){.is_address = true, .offset = p.offset + index * stride}
                                   : (struct place){.is_address = true, .is_inside = true, .member = member};
}

static bool is_range_use(const struct split *s, const struct ir_inst *inst, int which, struct place p)
{
    int64_t size;
    bool is_target = which == 0 || (inst->op == IR_OP_COPY && which == 1);
    if (!is_target || !is_const(inst->args[2], &size) || size < 0) {
        return false;
    }
    if (inst->op == IR_OP_COPY && place_of(s, inst->args[0]).is_address && place_of(s, inst->args[1]).is_address) {
        return false; // from itself to itself
    }
    if (p.is_inside) {
        return size <= s->members[p.member].size;
    }
    return member_at(s, p.offset, size) >= 0 || is_of_whole_members(s, p.offset, p.offset + size);
}

static void use_argument(struct split *s, struct ir_inst *inst, int which)
{
    struct place p = place_of(s, inst->args[which]);
    if (!p.is_address) {
        return;
    }
    switch (inst->op) {
    case IR_OP_OFFSET:
        p.offset += p.is_inside ? 0 : inst->imm;
        s->places[inst->id] = p;
        return;
    case IR_OP_INDEX:
        if (which == 0) {
            use_index(s, inst, p);
            return;
        }
        break;
    case IR_OP_LOAD:
    case IR_OP_STORE:
    case IR_OP_UPDATE:
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
        if (which == 0 && (p.is_inside || member_at(s, p.offset, ir_type_size(inst->type)) >= 0)) {
            return;
        }
        break;
    case IR_OP_COPY:
    case IR_OP_FILL:
        if (is_range_use(s, inst, which, p)) {
            return;
        }
        break;
    case IR_OP_CALL:
        if (!p.is_inside && split_is_kept_by(s, inst, which, p.offset)) {
            return;
        }
        break;
    default: break;
    }
    s->is_good = false;
}

static bool is_root(const struct split *s, const struct ir_inst *inst)
{
    return s->var != NULL ? inst->op == IR_OP_ADDR_VAR && inst->var == s->var
                          : inst->op == IR_OP_PARAM && inst->imm == s->param;
}

void split_collect(struct split *s, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL && s->is_good; inst = inst->next) {
        s->is_good &= --*s->budget > 0;
        if (is_root(s, inst)) {
            s->places[inst->id] = (struct place){.is_address = true, .offset = s->root_offset};
        }
        for (int i = 0; i < inst->arg_count; i++) {
            use_argument(s, inst, i);
        }
        for (int i = 0; i < inst->region_count; i++) {
            split_collect(s, &inst->regions[i]);
        }
    }
}

// ---- rewriting -----------------------------------------------------------------------------------------------------

static struct ir_inst *moved(struct ir_builder *b, struct ir_inst *address, int64_t offset)
{
    if (offset == 0) {
        return address;
    }
    struct ir_inst *inst = ir_emit1(b, IR_OP_OFFSET, IR_PTR, address);
    inst->imm = offset;
    return inst;
}

struct ir_inst *split_address_in(const struct split *s, struct ir_builder *b, int member, int64_t offset)
{
    const struct member *m = &s->members[member];
    struct ir_inst *address = ir_emit0(b, s->var != NULL ? IR_OP_ADDR_VAR : IR_OP_PARAM, IR_PTR);
    address->var = s->var != NULL ? m->var : NULL;
    address->imm = s->var != NULL ? 0 : s->first_param + member;
    return moved(b, address, offset - m->offset);
}

// A copy or fill of whole members becomes one for each.
static void rewrite_range(struct split *s, struct ir_inst *inst, int which)
{
    struct ir_builder b = {.module = s->module, .function = s->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    struct place p = place_of(s, inst->args[which]);
    int64_t low = p.offset, high = low + inst->args[2]->imm;
    for (int i = 0; i < s->count; i++) {
        const struct member *m = &s->members[i];
        if (m->offset < low || m->offset >= high) {
            continue;
        }
        struct ir_inst *args[3] = {inst->args[0], inst->args[1], ir_const(&b, IR_I64, m->size)};
        args[which] = split_address_in(s, &b, i, m->offset);
        if (inst->op == IR_OP_COPY) {
            args[1 - which] = moved(&b, inst->args[1 - which], m->offset - low);
        }
        struct ir_inst *part = ir_emit(&b, inst->op, inst->type, 3, args);
        part->is_volatile = inst->is_volatile;
        part->is_packed = inst->is_packed;
    }
    ir_remove(inst);
}

static void rewrite_argument(struct split *s, struct ir_inst *inst, int which)
{
    struct place p = place_of(s, inst->args[which]);
    if (!p.is_address || p.is_inside || inst->op == IR_OP_OFFSET) {
        return;
    }
    if (inst->op == IR_OP_CALL) {
        split_call(s, inst, which, p.offset);
        return;
    }
    int64_t size = inst->op == IR_OP_COPY || inst->op == IR_OP_FILL ? inst->args[2]->imm
                   : inst->op == IR_OP_INDEX                        ? inst->args[2]->imm * inst->args[3]->imm
                                                                    : ir_type_size(inst->type);
    int member = member_at(s, p.offset, size);
    if (member < 0) {
        rewrite_range(s, inst, which);
        return;
    }
    struct ir_builder b = {.module = s->module, .function = s->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    inst->args[which] = split_address_in(s, &b, member, p.offset);
}

void split_rewrite(struct split *s, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        for (int i = 0; i < inst->arg_count; i++) {
            rewrite_argument(s, inst, i); // but for calls, at most one of them is such an address
        }
        for (int i = 0; i < inst->region_count; i++) {
            split_rewrite(s, &inst->regions[i]);
        }
        inst = next;
    }
}

static void make_vars(struct split *s)
{
    for (int i = 0; i < s->count; i++) {
        struct member *m = &s->members[i];
        m->var = ir_var_create(s->module, s->function, m->name, IR_VOID);
        int index = m->var->index;
        *m->var = *s->var;
        m->var->name = m->name;
        m->var->index = index;
        m->var->size = (uint64_t)m->size;
        m->var->align = m->type->align;
        m->var->ctype = m->type;
    }
}

// The room for places is one for all variables: each would be as large as the function.
struct room {
    struct place *places;
    int capacity;
};

static struct place *cleared(struct room *room, struct arena *arena, int count)
{
    if (count > room->capacity) {
        room->capacity = 2 * count;
        room->places = ARENA_ARRAY(arena, struct place, room->capacity);
    }
    memset(room->places, 0, (size_t)count * sizeof *room->places);
    return room->places;
}

static bool split_var(struct ir_module *module, struct ir_function *function, struct ir_var *var, struct room *room,
                      int *budget)
{
    struct split s = {.module = module, .function = function, .var = var, .is_good = true, .budget = budget};
    if (!var->is_memory || var->ctype == NULL || var->ctype->kind != IR_CTYPE_RECORD ||
        !add_members(&s, var->ctype, 0, var->name) || s.count < 2) {
        return false;
    }
    s.size = (int64_t)var->size;
    s.place_count = function->value_count;
    s.places = cleared(room, module->arena, function->value_count + 1);
    split_collect(&s, &function->body);
    if (!s.is_good) {
        return false;
    }
    make_vars(&s);
    split_rewrite(&s, &function->body);
    return true;
}

bool promote_split(struct ir_module *module, struct ir_function *function)
{
    bool changed = false;
    struct room room = {0};
    int var_count = function->var_count; // members are no structs
    for (int i = 0; i < var_count; i++) {
        int budget = SPLIT_MAX_LOOKS;
        changed |= split_var(module, function, function->vars[i], &room, &budget);
    }
    return changed;
}
