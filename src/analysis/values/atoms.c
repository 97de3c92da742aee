// What is known of atoms: ranges, facts that tie them to others, in which loops they vary, and how the launch computes
// them.
#include "analysis/values/atoms.h"

#include "analysis/values/evaluate.h"
#include "base/hash.h"

#include <assert.h>

int atom_create(struct analysis *an, struct atom atom)
{
    struct atom *made = ARENA_NEW(an->arena, struct atom);
    *made = atom;
    VEC_PUSH(an->arena, &an->atoms, made);
    return 2 * (an->atoms.count - 1);
}

uint64_t value_hash(uint64_t hash, const struct poly *value)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        const struct poly_term *term = &value->terms[i];
        hash = hash_bytes(hash, &term->coef, sizeof term->coef);
        hash = hash_bytes(hash, term->ids, (size_t)term->degree * sizeof term->ids[0]);
    }
    return hash;
}

int value_weight(const struct analysis *an, const struct poly *value)
{
    enum { MOST = 1 << 20 }; // sums of it fit
    int weight = 0;
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree && weight < MOST; k++) {
            weight += 1 + atom_of(an, value->terms[i].ids[k])->weight;
        }
    }
    return weight < MOST ? weight : MOST;
}

// Twice as many, at least: a function of thousands of lines has tens of thousands of atoms.
static void grow_buckets(struct analysis *an)
{
    enum { FIRST = 1024 };
    an->bucket_count = an->bucket_count == 0 ? FIRST : 2 * an->bucket_count;
    an->op_buckets = ARENA_ARRAY(an->arena, int, an->bucket_count);
    for (int i = 0; i < an->atoms.count; i++) {
        struct atom *atom = an->atoms.items[i];
        if (atom->kind == ATOM_OP) {
            int *bucket = &an->op_buckets[atom->hash & (uint64_t)(an->bucket_count - 1)];
            atom->next_op = *bucket;
            *bucket = i + 1;
        }
    }
}

int atom_intern_op(struct analysis *an, enum ir_op op, enum ir_type type, const struct poly *a, const struct poly *b,
                   struct poly_range range)
{
    if (an->op_count >= an->bucket_count) {
        grow_buckets(an);
    }
    uint64_t hash = value_hash(value_hash((uint64_t)op * 64 + (uint64_t)type, a), b);
    int *bucket = &an->op_buckets[hash & (uint64_t)(an->bucket_count - 1)];
    for (int i = *bucket; i != 0; i = an->atoms.items[i - 1]->next_op) {
        const struct atom *atom = an->atoms.items[i - 1];
        if (atom->hash == hash && atom->op == op && atom->type == type && poly_equal(atom->a, a) &&
            (b == NULL ? atom->b == NULL : poly_equal(atom->b, b))) {
            return 2 * (i - 1);
        }
    }
    int id = atom_create(an, (struct atom){.kind = ATOM_OP,
                                           .op = op,
                                           .type = type,
                                           .a = poly_copy(&an->pool, a),
                                           .b = b != NULL ? poly_copy(&an->pool, b) : NULL,
                                           .range = range,
                                           .hash = hash,
                                           .weight = value_weight(an, a) + value_weight(an, b),
                                           .next_op = *bucket});
    *bucket = id / 2 + 1;
    an->op_count++;
    return id;
}

void atom_add_fact(struct analysis *an, int id, const struct poly *value, bool is_equal, const struct poly *guard)
{
    assert(id >> 1 < an->atoms.count);
    if (value == NULL) {
        return;
    }
    struct fact *fact = ARENA_NEW(an->arena, struct fact);
    *fact = (struct fact){value, is_equal, guard, NULL};
    struct atom *atom = atom_of(an, id);
    fact->next = atom->facts;
    atom->facts = fact;
}

struct poly_range value_range(const struct analysis *an, const struct poly *value)
{
    struct poly_range sum = {0, 0};
    if (value == NULL) {
        return (struct poly_range){-POLY_INFINITY, POLY_INFINITY};
    }
    for (int i = 0; i < value->count; i++) {
        const struct poly_term *term = &value->terms[i];
        struct poly_range product = {term->coef, term->coef};
        for (int k = 0; k < term->degree; k++) {
            struct poly_range range = atom_of(an, term->ids[k])->range;
            product = poly_range_mul(product, range);
        }
        sum = poly_range_add(sum, product);
    }
    return sum;
}

bool loop_contains(const struct loop_info *outer, const struct loop_info *inner)
{
    while (inner != NULL && inner != outer) {
        inner = inner->parent;
    }
    return inner != NULL;
}

// ---- facts in systems ----------------------------------------------------------------------------------------------

struct seen {
    int ids[64];
    int count;
};

static void add_atom_facts(struct analysis *an, struct system *system, int id, struct seen *seen);

static void add_facts_of(struct analysis *an, struct system *system, const struct poly *value, struct seen *seen)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            add_atom_facts(an, system, value->terms[i].ids[k], seen);
        }
    }
}

static void add_range(struct analysis *an, struct system *system, int id)
{
    struct poly_range range = atom_of(an, id)->range;
    const struct poly *atom = poly_atom(&an->scratch, id);
    const poly_wide far = (poly_wide)1 << 55; // beyond, it decides nothing, and sums would not fit
    if (range.lo > -far) {
        system_add(system, poly_plus(&an->scratch, atom, (int64_t)-range.lo), false);
    }
    if (range.hi < far) {
        system_add(system, poly_plus(&an->scratch, poly_scale(&an->scratch, atom, -1), (int64_t)range.hi), false);
    }
}

static void add_atom_facts(struct analysis *an, struct system *system, int id, struct seen *seen)
{
    for (int i = 0; i < seen->count; i++) {
        if (seen->ids[i] == id) {
            return;
        }
    }
    if (seen->count == (int)(sizeof seen->ids / sizeof seen->ids[0])) {
        return;
    }
    seen->ids[seen->count++] = id;
    add_range(an, system, id);
    for (const struct fact *fact = atom_of(an, id)->facts; fact != NULL; fact = fact->next) {
        if (fact->guard == NULL || value_range(an, fact->guard).lo >= 1) {
            system_add(system, fact->value, fact->is_equal);
            add_facts_of(an, system, fact->value, seen);
        }
    }
}

void system_add_facts(struct analysis *an, struct system *system, const struct poly *const *values, int count)
{
    struct seen seen = {.count = 0};
    for (int i = 0; i < count; i++) {
        add_facts_of(an, system, values[i], &seen);
    }
    for (const struct fact *fact = an->facts; fact != NULL; fact = fact->next) {
        system_add(system, fact->value, fact->is_equal);
    }
}

bool value_is_nonnegative(struct analysis *an, const struct poly *value, const struct guard *guards)
{
    if (value == NULL) {
        return false;
    }
    if (value_range(an, value).lo >= 0) {
        return true;
    }
    struct poly_mark mark = poly_mark(&an->scratch);
    struct system *system = &an->systems[SYSTEM_COUNT - 1];
    system_clear(system);
    system_add(system, poly_plus(&an->scratch, poly_scale(&an->scratch, value, -1), -1), false);
    system_add_facts(an, system, &value, 1);
    for (const struct guard *guard = guards; guard != NULL; guard = guard->next) {
        system_add(system, guard->value, guard->is_equal);
        system_add_facts(an, system, &guard->value, 1);
    }
    bool holds = system_is_infeasible(system);
    poly_release(&an->scratch, mark);
    return holds;
}

// ---- expressions for the launch ------------------------------------------------------------------------------------

static struct plan_expr *widened(struct arena *arena, struct plan_expr *expr, enum ir_type type, bool is_signed)
{
    if (expr == NULL || type == IR_I64) {
        return expr;
    }
    return plan_op(arena, is_signed && type != IR_I1 ? IR_OP_SEXT : IR_OP_ZEXT, IR_I64, type, expr, NULL);
}

static struct plan_expr *narrowed(struct arena *arena, struct plan_expr *expr, enum ir_type type)
{
    return type == IR_I64 || expr == NULL ? expr : plan_op(arena, IR_OP_TRUNC, type, IR_I64, expr, NULL);
}

// Whether a variable of this type holds the atom itself: one that was cut to fewer bits has the same polynomial.
static bool holds_all(const struct atom *atom, enum ir_type type, bool *out_signed)
{
    struct poly_range with_sign = poly_type_range(type, true), without = poly_type_range(type, false);
    *out_signed = atom->range.hi <= with_sign.hi;
    bool fits = *out_signed ? atom->range.lo >= with_sign.lo : atom->range.lo >= 0 && atom->range.hi <= without.hi;
    return fits || type == IR_I64;
}

// A variable that holds just this atom at the entry.
static struct plan_expr *variable_expr(struct analysis *an, int id, const struct var_values *entry)
{
    for (int v = 0; entry != NULL && v < an->var_count; v++) {
        const struct sym *sym = var_values_get(entry, v);
        int held;
        if (sym == NULL || sym->alt_count != 1 || sym->alts[0].needs != NULL ||
            !poly_is_atom(sym->alts[0].value, &held) || held != id || !ir_type_is_int(an->kernel->vars[v]->type)) {
            continue;
        }
        const struct ir_var *var = an->kernel->vars[v];
        bool is_signed; // the atom is the value in the integers; how the bits are to be read shows in its range
        if (!holds_all(atom_of(an, id), var->type, &is_signed)) {
            continue;
        }
        struct plan_expr *expr = ARENA_NEW(an->arena, struct plan_expr);
        *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = var->type, .index = v};
        return widened(an->arena, expr, var->type, is_signed);
    }
    return NULL;
}

static struct plan_expr *atom_expr(struct analysis *an, int id, const struct var_values *entry)
{
    const struct atom *atom = atom_of(an, id);
    if (atom->kind == ATOM_MEMBER) {
        struct plan_expr *member = plan_param(an->arena, atom->type, atom->index);
        member->imm = atom->offset;
        return widened(an->arena, member, atom->type, true);
    }
    if (atom->kind == ATOM_PARAM) {
        return widened(an->arena, plan_param(an->arena, atom->type, atom->index), atom->type,
                       atom->range.hi <= poly_type_range(atom->type, true).hi);
    }
    if (atom->kind != ATOM_OP) {
        return variable_expr(an, id, entry);
    }
    struct plan_expr *a = value_expr(an, atom->a, entry);
    if (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT) {
        return widened(an->arena, narrowed(an->arena, a, atom->type), atom->type, atom->op == IR_OP_SEXT);
    }
    // The operands are exact, so that 64 bits will do.
    struct plan_expr *b = value_expr(an, atom->b, entry);
    struct plan_expr *expr = plan_op(an->arena, atom->op, IR_I64, IR_I64, a, b);
    if (expr != NULL) {
        return expr;
    }
    return variable_expr(an, id, entry);
}

// The product of the term's atoms and of its coefficient's magnitude.
static struct plan_expr *term_expr(struct analysis *an, const struct poly_term *term, const struct var_values *entry)
{
    struct plan_expr *product = atom_expr(an, term->ids[0], entry);
    for (int k = 1; k < term->degree; k++) {
        product = plan_op(an->arena, IR_OP_MUL, IR_I64, IR_I64, product, atom_expr(an, term->ids[k], entry));
    }
    bool is_minus = term->coef < 0 && term->coef != INT64_MIN;
    return plan_op(an->arena, IR_OP_MUL, IR_I64, IR_I64, product,
                   plan_const(an->arena, IR_I64, is_minus ? -term->coef : term->coef));
}

struct plan_expr *value_expr(struct analysis *an, const struct poly *value, const struct var_values *entry)
{
    if (value == NULL) {
        return NULL;
    }
    struct plan_expr *sum = NULL; // terms that are added first, so that "n * 4 - 4" reads as one writes it
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < value->count; i++) {
            const struct poly_term *term = &value->terms[i];
            bool is_minus = term->coef < 0 && term->coef != INT64_MIN;
            if (term->degree == 0 || is_minus != (pass == 1)) {
                continue;
            }
            struct plan_expr *product = term_expr(an, term, entry);
            if (product == NULL) {
                return NULL;
            }
            struct plan_expr *before = sum == NULL && is_minus ? plan_const(an->arena, IR_I64, 0) : sum;
            sum = before == NULL
                      ? product
                      : plan_op(an->arena, is_minus ? IR_OP_SUB : IR_OP_ADD, IR_I64, IR_I64, before, product);
        }
    }
    int64_t constant = poly_constant_of(value);
    if (sum == NULL || constant == 0) {
        return sum != NULL ? sum : plan_const(an->arena, IR_I64, constant);
    }
    bool is_minus = constant < 0 && constant != INT64_MIN;
    return plan_op(an->arena, is_minus ? IR_OP_SUB : IR_OP_ADD, IR_I64, IR_I64, sum,
                   plan_const(an->arena, IR_I64, is_minus ? -constant : constant));
}

// An extreme of two values is that of their floats: the values themselves might wrap.
static struct plan_expr *atom_expr_float(struct analysis *an, int id, const struct var_values *entry)
{
    const struct atom *atom = atom_of(an, id);
    if (atom->kind == ATOM_OP && (atom->op == IR_OP_SMIN || atom->op == IR_OP_SMAX)) {
        struct plan_expr *a = value_expr_float(an, atom->a, entry), *b = value_expr_float(an, atom->b, entry);
        struct plan_expr *is_first =
            plan_op(an->arena, atom->op == IR_OP_SMIN ? IR_OP_FLT : IR_OP_FGT, IR_I1, IR_F64, a, b);
        return plan_select(an->arena, is_first, a, b);
    }
    return plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, atom_expr(an, id, entry), NULL);
}

// In f64: for values that might not fit 64 bits.
struct plan_expr *value_expr_float(struct analysis *an, const struct poly *value, const struct var_values *entry)
{
    if (value == NULL) {
        return NULL;
    }
    struct plan_expr *sum = NULL;
    for (int i = 0; i < value->count; i++) {
        const struct poly_term *term = &value->terms[i];
        struct plan_expr *product =
            plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, term->coef), NULL);
        for (int k = 0; k < term->degree; k++) {
            struct plan_expr *factor = atom_expr_float(an, term->ids[k], entry);
            product = plan_op(an->arena, IR_OP_FMUL, IR_F64, IR_F64, product, factor);
        }
        if (product == NULL) {
            return NULL;
        }
        sum = i == 0 ? product : plan_op(an->arena, IR_OP_FADD, IR_F64, IR_F64, sum, product);
    }
    if (value->count == 0) {
        return plan_op(an->arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(an->arena, IR_I64, 0), NULL);
    }
    return sum;
}

// |value| lies between -limit and limit, as a test in f64.
static struct plan_expr *is_within(struct analysis *an, struct plan_expr *value, int64_t limit)
{
    struct arena *arena = an->arena;
    struct plan_expr *most = plan_op(arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(arena, IR_I64, limit), NULL);
    struct plan_expr *least = plan_op(arena, IR_OP_SITOFP, IR_F64, IR_I64, plan_const(arena, IR_I64, -limit), NULL);
    return plan_op(arena, IR_OP_AND, IR_I1, IR_I1, plan_op(arena, IR_OP_FLE, IR_I1, IR_F64, value, most),
                   plan_op(arena, IR_OP_FGE, IR_I1, IR_F64, value, least));
}

struct plan_expr *value_operands_within(struct analysis *an, const struct poly *value, int64_t limit,
                                        const struct var_values *entry)
{
    struct arena *arena = an->arena;
    struct plan_expr *all = plan_const(arena, IR_I1, 1);
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            const struct atom *atom = atom_of(an, value->terms[i].ids[k]);
            if (atom->kind == ATOM_OP && (atom->op == IR_OP_SMIN || atom->op == IR_OP_SMAX)) {
                struct plan_expr *a = value_terms_within(an, atom->a, limit, entry);
                struct plan_expr *b = value_terms_within(an, atom->b, limit, entry);
                all = plan_op(arena, IR_OP_AND, IR_I1, IR_I1, all, plan_op(arena, IR_OP_AND, IR_I1, IR_I1, a, b));
            }
        }
    }
    return all;
}

// Every product of integers is at least as large as each of its parts unless it is 0, so that the rounded product says
// enough about all of them.
struct plan_expr *value_terms_within(struct analysis *an, const struct poly *value, int64_t limit,
                                     const struct var_values *entry)
{
    if (value == NULL) {
        return NULL;
    }
    struct plan_expr *all = value_operands_within(an, value, limit, entry);
    for (int i = 0; i < value->count; i++) {
        struct poly *one = poly_alloc(&an->scratch, sizeof *one + sizeof one->terms[0]);
        one->count = 1;
        one->terms[0] = value->terms[i];
        struct poly_range range = value_range(an, one);
        if (range.lo < -(poly_wide)limit || range.hi > limit) {
            struct plan_expr *fits = is_within(an, value_expr_float(an, one, entry), limit);
            all = plan_op(an->arena, IR_OP_AND, IR_I1, IR_I1, all, fits);
        }
    }
    return all;
}

// ---- text ----------------------------------------------------------------------------------------------------------

static const char *op_sign(enum ir_op op)
{
    switch (op) {
    case IR_OP_SDIV:
    case IR_OP_UDIV: return "/";
    case IR_OP_SREM:
    case IR_OP_UREM: return "%";
    case IR_OP_AND: return "&";
    case IR_OP_OR: return "|";
    case IR_OP_XOR: return "^";
    case IR_OP_SHL: return "<<";
    case IR_OP_LSHR:
    case IR_OP_ASHR: return ">>";
    default: return NULL;
    }
}

static void print_operand(struct analysis *an, const struct poly *value, struct str *out)
{
    bool is_sum = value != NULL && value->count > 1;
    str_add(out, is_sum ? "(" : "");
    value_print(an, value, out);
    str_add(out, is_sum ? ")" : "");
}

static void print_member(struct analysis *an, const struct atom *atom, struct str *out)
{
    const struct ir_ctype *type = an->kernel->params[atom->index].ctype;
    str_add(out, an->kernel->params[atom->index].name);
    for (int i = 0; type != NULL && i < type->member_count; i++) {
        if ((int64_t)type->members[i].offset == atom->offset) {
            str_printf(out, ".%s", type->members[i].name);
            return;
        }
    }
    str_printf(out, "+%lld", (long long)atom->offset);
}

// A variable of the source that holds just this value.
static const char *name_of(const struct analysis *an, int id)
{
    for (int v = 0; an->names != NULL && v < an->var_count; v++) {
        int held;
        const struct sym *sym = var_values_get(an->names, v);
        const char *name = an->kernel->vars[v]->name;
        if (sym != NULL && sym->alt_count == 1 && poly_is_atom(sym->alts[0].value, &held) && held == id &&
            name != NULL && name[0] != '.') {
            return name;
        }
    }
    return NULL;
}

static void print_atom(struct analysis *an, int id, struct str *out)
{
    const struct atom *atom = atom_of(an, id);
    const char *name = name_of(an, id);
    if (name != NULL) {
        str_add(out, name);
        return;
    }
    switch (atom->kind) {
    case ATOM_PARAM: str_add(out, an->kernel->params[atom->index].name); return;
    case ATOM_MEMBER: print_member(an, atom, out); return;
    case ATOM_LOOP: str_add(out, atom->loop->inst->loop->var->name); return;
    case ATOM_COUNT: str_printf(out, "(iteration of %s)", atom->loop->inst->loop->var->name); return;
    case ATOM_UNKNOWN:
        str_add(out, atom->var != NULL && atom->var->name != NULL && atom->var->name[0] != '.' ? atom->var->name
                     : atom->inst != NULL && atom->inst->op == IR_OP_LOAD                      ? "a loaded value"
                                                                                               : "…");
        return;
    case ATOM_OP: break;
    }
    if (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT) {
        str_add_char(out, '(');
        value_print(an, atom->a, out);
        str_add_char(out, ')');
        return;
    }
    const char *sign = op_sign(atom->op);
    if (sign != NULL) {
        str_add_char(out, '(');
        print_operand(an, atom->a, out);
        str_printf(out, " %s ", sign);
        print_operand(an, atom->b, out);
    } else {
        str_printf(out, "%s(", atom->op == IR_OP_SMIN ? "min" : atom->op == IR_OP_SMAX ? "max" : ir_op_name(atom->op));
        value_print(an, atom->a, out);
        str_add(out, ", ");
        value_print(an, atom->b, out);
    }
    str_add_char(out, ')');
}

void value_print(struct analysis *an, const struct poly *value, struct str *out)
{
    if (value == NULL) {
        str_add(out, "?");
        return;
    }
    bool is_first = true;
    for (int pass = 0; pass < 2; pass++) { // the constant comes last, as one writes it
        for (int i = 0; i < value->count; i++) {
            const struct poly_term *term = &value->terms[i];
            if ((term->degree == 0) != (pass == 1)) {
                continue;
            }
            uint64_t magnitude = term->coef < 0 ? -(uint64_t)term->coef : (uint64_t)term->coef;
            str_add(out, is_first ? (term->coef < 0 ? "-" : "") : term->coef < 0 ? " - " : " + ");
            if (magnitude != 1 || term->degree == 0) {
                str_printf(out, "%llu%s", (unsigned long long)magnitude, term->degree > 0 ? "*" : "");
            }
            for (int k = 0; k < term->degree; k++) {
                str_add(out, k > 0 ? "*" : "");
                print_atom(an, term->ids[k], out);
            }
            is_first = false;
        }
    }
    if (is_first) {
        str_add(out, "0");
    }
}
