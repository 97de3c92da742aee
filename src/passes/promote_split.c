// Structs that stay memory, because one of their members is an array that variables index, are taken apart: each member
// becomes a variable of its own, so that it is private, shared or a scalar by what happens to it alone. Done only where
// every use is seen to stay in one member, or copies or fills whole ones. An index that C allows does not leave the
// array that it indexes; a pointer of which that is not known keeps the struct in one piece.
//
// A helper that is called and gets the struct's address is looked at in the same way. It then gets the addresses of the
// members instead, in a copy of its code.
#include "passes/promote_split.h"

#include <assert.h>
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

// Whether every member lies inside the range or outside it, and, where padding may not get lost, whether they fill the
// range.
static bool is_of_whole_members(const struct split *s, int64_t low, int64_t high, bool may_lose)
{
    int64_t filled = 0;
    for (int i = 0; i < s->count; i++) {
        int64_t m_low = s->members[i].offset, m_high = m_low + s->members[i].size;
        bool touches = m_low < high && low < m_high;
        if (touches && (m_low < low || m_high > high)) {
            return false;
        }
        filled += touches ? s->members[i].size : 0;
    }
    return low >= 0 && high <= s->size && (may_lose || filled == high - low);
}

// ---- uses ----------------------------------------------------------------------------------------------------------

static struct place place_of(const struct split_walk *w, const struct ir_inst *value)
{
    return value->id >= 0 && value->id < w->place_count ? w->places[value->id] : (struct place){0};
}

static bool is_const(const struct ir_inst *inst, int64_t *out)
{
    *out = inst->imm;
    return inst->op == IR_OP_CONST;
}

// An index into an array whose extent is known.
static bool use_index(struct split_walk *w, const struct ir_inst *inst, struct place p)
{
    int64_t extent, stride, index;
    if (!is_const(inst->args[3], &extent) || extent <= 0 || !is_const(inst->args[2], &stride) || stride <= 0) {
        return false;
    }
    if (p.is_inside) {
        w->places[inst->id] = p;
        return true;
    }
    int64_t reach = stride * extent; // extents are those of C objects: no overflow
    int member = member_at(p.of, p.offset, reach);
    if (member < 0 || !p.of->members[member].is_array) {
        return false;
    }
    bool is_fixed = is_const(inst->args[1], &index) && index >= 0 && index < extent;
    w->places[inst->id] = is_fixed ? (struct place){.of = p.of, .offset = p.offset + index * stride}
                                   : (struct place){.of = p.of, .is_inside = true, .member = member};
    return true;
}

// An instruction that is rewritten for one struct is another one for the other: that one's turn comes later.
static void note_meeting(struct split_walk *w, struct split *a, struct split *b)
{
    struct split *later = a->var->index > b->var->index ? a : b;
    struct meeting *meeting = ARENA_NEW(w->module->arena, struct meeting);
    *meeting = (struct meeting){later == a ? b : a, later->meets};
    later->meets = meeting;
}

static void note_meetings(struct split_walk *w, const struct ir_inst *inst, int which, struct split *s)
{
    for (int i = 0; i < which && w->of_var != NULL; i++) {
        struct split *other = place_of(w, inst->args[i]).of;
        if (other != NULL && other != s) {
            note_meeting(w, other, s);
        }
    }
}

static bool is_range_use(const struct split_walk *w, const struct ir_inst *inst, int which, struct place p)
{
    int64_t size;
    bool is_target = which == 0 || (inst->op == IR_OP_COPY && which == 1);
    if (!is_target || !is_const(inst->args[2], &size) || size < 0) {
        return false;
    }
    if (inst->op == IR_OP_COPY && place_of(w, inst->args[0]).of == place_of(w, inst->args[1]).of) {
        return false; // from itself to itself
    }
    if (p.is_inside) {
        return size <= p.of->members[p.member].size;
    }
    bool may_lose = which == 0 || !inst->is_packed; // what comes in is seen when it goes out again
    return member_at(p.of, p.offset, size) >= 0 || is_of_whole_members(p.of, p.offset, p.offset + size, may_lose);
}

// Whether what the instruction does with this argument, which is an address in a struct, lets it be taken apart.
static bool use_argument(struct split_walk *w, struct ir_inst *inst, int which)
{
    struct place p = place_of(w, inst->args[which]);
    if (ir_op_is_element(inst->op)) {
        return which == 0 && (p.is_inside || member_at(p.of, p.offset, ir_type_size(inst->type)) >= 0);
    }
    switch (inst->op) {
    case IR_OP_OFFSET:
        p.offset += p.is_inside ? 0 : inst->imm;
        w->places[inst->id] = p;
        return true;
    case IR_OP_INDEX: return which == 0 && use_index(w, inst, p);
    case IR_OP_COPY:
    case IR_OP_FILL: note_meetings(w, inst, which, p.of); return is_range_use(w, inst, which, p);
    case IR_OP_CALL:
        note_meetings(w, inst, which, p.of);
        return !p.is_inside && split_is_kept_by(p.of, inst, which, p.offset);
    default: return false;
    }
}

static struct split *root_of(const struct split_walk *w, const struct ir_inst *inst)
{
    if (w->of_var != NULL) {
        bool is_there = inst->op == IR_OP_ADDR_VAR && inst->var->index < w->var_count;
        return is_there ? w->of_var[inst->var->index] : NULL;
    }
    return inst->op == IR_OP_PARAM && inst->imm == w->of_param->param ? w->of_param : NULL;
}

void split_collect(struct split_walk *w, struct ir_region *region)
{
    struct split *helper = w->of_param;
    for (struct ir_inst *inst = region->first; inst != NULL && (helper == NULL || helper->is_good); inst = inst->next) {
        if (helper != NULL) {
            helper->is_good &= --helper->looks > 0;
        }
        struct split *root = root_of(w, inst);
        if (root != NULL) {
            w->places[inst->id] = (struct place){.of = root, .offset = root->root_offset};
        }
        for (int i = 0; i < inst->arg_count; i++) {
            struct split *s = place_of(w, inst->args[i]).of;
            if (s != NULL && s->is_good) {
                s->is_good = use_argument(w, inst, i);
            }
        }
        for (int i = 0; i < inst->region_count; i++) {
            split_collect(w, &inst->regions[i]);
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
    assert(member >= 0 && member < s->count);
    const struct member *m = &s->members[member];
    struct ir_inst *address = ir_emit0(b, s->var != NULL ? IR_OP_ADDR_VAR : IR_OP_PARAM, IR_PTR);
    address->var = s->var != NULL ? m->var : NULL;
    address->imm = s->var != NULL ? 0 : s->first_param + member;
    return moved(b, address, offset - m->offset);
}

// A copy or fill of whole members becomes one for each.
static void rewrite_range(struct ir_inst *inst, int which, struct place p)
{
    assert((inst->op == IR_OP_COPY || inst->op == IR_OP_FILL) && inst->args[2]->op == IR_OP_CONST);
    const struct split *s = p.of;
    struct ir_builder b = {.module = s->module, .function = s->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
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

static void rewrite_argument(struct split_walk *w, struct ir_inst *inst, int which)
{
    struct place p = place_of(w, inst->args[which]);
    if (p.of == NULL || !p.of->is_chosen || p.is_inside || inst->op == IR_OP_OFFSET) {
        return;
    }
    if (inst->op == IR_OP_CALL) {
        split_call(p.of, inst, which, p.offset);
        return;
    }
    int64_t size = ir_op_is_bytes(inst->op)  ? inst->args[2]->imm
                   : inst->op == IR_OP_INDEX ? inst->args[2]->imm * inst->args[3]->imm
                                             : ir_type_size(inst->type);
    int member = member_at(p.of, p.offset, size);
    if (member < 0) {
        rewrite_range(inst, which, p);
        return;
    }
    struct ir_builder b = {.module = w->module, .function = w->function, .before = inst, .loc = inst->loc};
    b.region = inst->parent;
    inst->args[which] = split_address_in(p.of, &b, member, p.offset);
}

void split_rewrite(struct split_walk *w, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL;) {
        struct ir_inst *next = inst->next;
        for (int i = 0; i < inst->arg_count; i++) {
            rewrite_argument(w, inst, i); // but for calls, at most one of them is such an address
        }
        for (int i = 0; i < inst->region_count; i++) {
            split_rewrite(w, &inst->regions[i]);
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

// ---- all structs of a function -------------------------------------------------------------------------------------

static struct split *split_of_var(struct ir_module *module, struct ir_function *function, struct ir_var *var)
{
    struct member members[MAX_MEMBERS];
    struct split s = {.module = module, .function = function, .var = var, .members = members};
    if (!var->is_memory || var->ctype == NULL || var->ctype->kind != IR_CTYPE_RECORD ||
        !add_members(&s, var->ctype, 0, var->name) || s.count < 2) {
        return NULL;
    }
    struct split *made = ARENA_NEW(module->arena, struct split);
    s.size = (int64_t)var->size;
    s.members = ARENA_ARRAY(module->arena, struct member, s.count);
    memcpy(s.members, members, sizeof *members * (size_t)s.count);
    *made = s;
    return made;
}

// In the order of the variables: each that can be, unless it meets one before it that is chosen. False: none is.
static bool choose(struct split **of_var, int count, bool *out_is_done)
{
    bool has_chosen = false;
    *out_is_done = true;
    for (int i = 0; i < count; i++) {
        struct split *s = of_var[i];
        if (s == NULL) {
            continue;
        }
        bool waits = false;
        for (const struct meeting *meeting = s->meets; meeting != NULL; meeting = meeting->next) {
            waits |= meeting->other->is_chosen;
        }
        s->is_chosen = s->is_good && !waits;
        has_chosen |= s->is_chosen;
        *out_is_done &= !s->is_good || s->is_chosen;
    }
    return has_chosen;
}

// Those that have had their turn leave the list.
static void close_round(struct split **of_var, int count)
{
    for (int i = 0; i < count; i++) {
        if (of_var[i] != NULL && (of_var[i]->is_chosen || !of_var[i]->is_good)) {
            of_var[i] = NULL;
        }
    }
}

static void open_round(struct split **of_var, int count)
{
    for (int i = 0; i < count; i++) {
        if (of_var[i] != NULL) {
            of_var[i]->is_good = true;
            of_var[i]->looks = SPLIT_MAX_LOOKS;
            of_var[i]->meets = NULL;
        }
    }
}

// The room for places is one for all rounds.
static void clear_places(struct split_walk *w)
{
    int count = w->function->value_count;
    if (count > w->place_count) {
        w->places = ARENA_ARRAY(w->module->arena, struct place, 2 * count);
        w->place_count = 2 * count;
    }
    memset(w->places, 0, (size_t)w->place_count * sizeof *w->places);
}

bool promote_split(struct ir_module *module, struct ir_function *function)
{
    bool changed = false, has_any = false;
    int count = function->var_count; // members are no structs
    struct split **of_var = ARENA_ARRAY(module->arena, struct split *, count + 1);
    for (int i = 0; i < count; i++) {
        of_var[i] = split_of_var(module, function, function->vars[i]);
        has_any |= of_var[i] != NULL;
    }
    struct split_walk walk = {.module = module, .function = function, .of_var = of_var, .var_count = count};
    for (bool is_done = !has_any; !is_done;) {
        clear_places(&walk);
        open_round(of_var, count);
        split_collect(&walk, &function->body);
        if (!choose(of_var, count, &is_done)) {
            break;
        }
        for (int i = 0; i < count; i++) {
            if (of_var[i] != NULL && of_var[i]->is_chosen) {
                make_vars(of_var[i]);
            }
        }
        split_rewrite(&walk, &function->body);
        close_round(of_var, count);
        changed = true;
    }
    return changed;
}
