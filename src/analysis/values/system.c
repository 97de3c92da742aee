#include "analysis/values/system.h"

#include <assert.h>
#include <string.h>

void system_clear(struct system *system)
{
    system->column_count = 0;
    system->row_count = 0;
    system->is_infeasible = false;
}

void system_copy(struct system *to, const struct system *from)
{
    assert(to != from);
    to->column_count = from->column_count;
    to->row_count = from->row_count;
    to->is_infeasible = from->is_infeasible;
    memcpy(to->columns, from->columns, sizeof from->columns[0] * (size_t)from->column_count);
    memcpy(to->rows, from->rows, sizeof from->rows[0] * (size_t)from->row_count);
}

static int column_of(struct system *system, const struct poly_term *term)
{
    assert(system->column_count <= SYSTEM_MAX_COLUMNS);
    for (int c = 0; c < system->column_count; c++) {
        const struct poly_term *column = &system->columns[c];
        if (column->degree == term->degree &&
            memcmp(column->ids, term->ids, sizeof term->ids[0] * (size_t)term->degree) == 0) {
            return c;
        }
    }
    if (system->column_count == SYSTEM_MAX_COLUMNS) {
        return -1;
    }
    system->columns[system->column_count] = *term;
    system->columns[system->column_count].coef = 1;
    for (int r = 0; r < system->row_count; r++) {
        system->rows[r].coef[system->column_count] = 0;
    }
    return system->column_count++;
}

static int64_t gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

enum row_state { ROW_KEEP, ROW_TRIVIAL, ROW_CONTRADICTION };

// Divides by the common factor of the coefficients; over the integers the constant may then be rounded down.
static enum row_state normalise(struct system_row *row, int column_count)
{
    int64_t factor = 0;
    for (int c = 0; c < column_count; c++) {
        factor = row->coef[c] != 0 ? gcd(factor, row->coef[c]) : factor;
    }
    if (factor == 0) {
        bool holds = row->is_equal ? row->constant == 0 : row->constant >= 0;
        return holds ? ROW_TRIVIAL : ROW_CONTRADICTION;
    }
    if (factor > 1) {
        if (row->is_equal && row->constant % factor != 0) {
            return ROW_CONTRADICTION;
        }
        for (int c = 0; c < column_count; c++) {
            row->coef[c] /= factor;
        }
        row->constant = floor_div(row->constant, factor);
    }
    return ROW_KEEP;
}

static uint64_t hash_of(const struct system_row *row, int column_count)
{
    uint64_t hash = 0;
    for (int c = 0; c < column_count; c++) { // columns that are added later are 0, and so change nothing
        hash += (uint64_t)row->coef[c] * (UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)c + 1));
    }
    return hash;
}

// Puts a row in, unless another says as much already.
static void insert(struct system *system, struct system_row *row)
{
    assert(system->row_count <= SYSTEM_MAX_ROWS);
    switch (normalise(row, system->column_count)) {
    case ROW_TRIVIAL: return;
    case ROW_CONTRADICTION: system->is_infeasible = true; return;
    case ROW_KEEP: break;
    }
    size_t size = sizeof row->coef[0] * (size_t)system->column_count;
    row->hash = hash_of(row, system->column_count);
    for (int r = 0; r < system->row_count; r++) {
        struct system_row *other = &system->rows[r];
        if (other->hash == row->hash && other->is_equal == row->is_equal && memcmp(other->coef, row->coef, size) == 0) {
            if (row->is_equal) {
                system->is_infeasible |= other->constant != row->constant;
            } else if (row->constant < other->constant) {
                other->constant = row->constant;
            }
            return;
        }
    }
    if (system->row_count < SYSTEM_MAX_ROWS) {
        struct system_row *target = &system->rows[system->row_count++];
        memcpy(target->coef, row->coef, size);
        target->constant = row->constant;
        target->hash = row->hash;
        target->is_equal = row->is_equal;
    }
}

void system_add(struct system *system, const struct poly *value, bool is_equal)
{
    if (value == NULL || system->is_infeasible) {
        return;
    }
    struct system_row row = {.is_equal = is_equal};
    for (int i = 0; i < value->count; i++) {
        const struct poly_term *term = &value->terms[i];
        if (term->degree == 0) {
            row.constant = term->coef;
            continue;
        }
        int column = column_of(system, term);
        if (column < 0) {
            return;
        }
        row.coef[column] = term->coef;
    }
    insert(system, &row);
}

// *out = x * a + y * b; false on overflow.
static bool combine(const struct system_row *a, int64_t x, const struct system_row *b, int64_t y, int column_count,
                    struct system_row *out)
{
    for (int c = 0; c <= column_count; c++) {
        int64_t from_a = c < column_count ? a->coef[c] : a->constant;
        int64_t from_b = c < column_count ? b->coef[c] : b->constant;
        int64_t left, right, sum;
        if (__builtin_mul_overflow(from_a, x, &left) || __builtin_mul_overflow(from_b, y, &right) ||
            __builtin_add_overflow(left, right, &sum)) {
            return false;
        }
        *(c < column_count ? &out->coef[c] : &out->constant) = sum;
    }
    return true;
}

static void remove_row(struct system *system, int row)
{
    assert(row >= 0 && row < system->row_count);
    system->row_count--;
    if (row != system->row_count) {
        system->rows[row] = system->rows[system->row_count];
    }
}

// Replaces the column in every other row by means of the equality |with|.
static void substitute(struct system *system, int with, int column)
{
    assert(with < system->row_count && system->rows[with].is_equal);
    struct system_row equality = system->rows[with];
    remove_row(system, with);
    int64_t pivot = equality.coef[column];
    // From the end: a row put in anew lands behind those still to do, or in the place of one that is done.
    for (int r = system->row_count - 1; r >= 0 && !system->is_infeasible; r--) {
        struct system_row row = system->rows[r];
        if (row.coef[column] == 0) {
            continue;
        }
        int64_t common = gcd(pivot, row.coef[column]);
        int64_t scale_row = pivot / common, scale_equality = -(row.coef[column] / common);
        if (scale_row < 0) {
            scale_row = -scale_row;
            scale_equality = -scale_equality;
        }
        struct system_row result = {.is_equal = row.is_equal};
        bool fits = combine(&row, scale_row, &equality, scale_equality, system->column_count, &result);
        remove_row(system, r);
        if (fits) {
            insert(system, &result);
        }
    }
}

// A row with the column in an equality, preferring a coefficient of one; -1 if there is none.
static int equality_for(const struct system *system, int column)
{
    assert(column >= 0 && column < system->column_count);
    int best = -1;
    for (int r = 0; r < system->row_count; r++) {
        const struct system_row *row = &system->rows[r];
        if (row->is_equal && row->coef[column] != 0) {
            if (row->coef[column] == 1 || row->coef[column] == -1) {
                return r;
            }
            best = r;
        }
    }
    return best;
}

static void fourier_motzkin(struct system *system, int column)
{
    assert(column >= 0 && column < system->column_count);
    static const int max_pairs = 1500;
    int pairs = 0, up_count = 0, down_count = 0;
    int ups[SYSTEM_MAX_ROWS], downs[SYSTEM_MAX_ROWS];
    for (int r = 0; r < system->row_count; r++) {
        int64_t coef = system->rows[r].coef[column];
        if (coef > 0) {
            ups[up_count++] = r;
        } else if (coef < 0) {
            downs[down_count++] = r;
        }
    }
    for (int i = 0; i < up_count; i++) {
        for (int j = 0; j < down_count && !system->is_infeasible && ++pairs <= max_pairs; j++) {
            const struct system_row *up = &system->rows[ups[i]], *down = &system->rows[downs[j]];
            int64_t common = gcd(up->coef[column], down->coef[column]);
            struct system_row row = {0};
            if (combine(up, -(down->coef[column] / common), down, up->coef[column] / common, system->column_count,
                        &row)) {
                insert(system, &row);
            }
        }
    }
    for (int r = system->row_count - 1; r >= 0; r--) {
        if (system->rows[r].coef[column] != 0) {
            remove_row(system, r);
        }
    }
}

struct column_use {
    int up, down; // rows in which the coefficient is above, below 0
    bool has_equality, has_unit;
};

// Row by row, as they lie in memory: this is where the time of an analysis goes.
static void find_uses(const struct system *system, struct column_use *uses)
{
    memset(uses, 0, sizeof *uses * (size_t)system->column_count);
    for (int r = 0; r < system->row_count; r++) {
        const struct system_row *row = &system->rows[r];
        for (int c = 0; c < system->column_count; c++) {
            uses[c].up += row->coef[c] > 0;
            uses[c].down += row->coef[c] < 0;
        }
        for (int c = 0; c < system->column_count && row->is_equal; c++) {
            uses[c].has_equality |= row->coef[c] != 0;
            uses[c].has_unit |= row->coef[c] == 1 || row->coef[c] == -1;
        }
    }
}

// The column that makes the fewest new rows: one that stands in an equality first. -1: none is left.
static int next_column(const struct system *system, const bool *eliminate)
{
    struct column_use uses[SYSTEM_MAX_COLUMNS];
    find_uses(system, uses);
    int best = -1;
    int64_t best_cost = INT64_MAX;
    for (int c = 0; c < system->column_count; c++) {
        if (!eliminate[c] || uses[c].up + uses[c].down == 0) {
            continue;
        }
        int64_t cost = uses[c].has_unit ? -2 : uses[c].has_equality ? -1 : (int64_t)uses[c].up * uses[c].down;
        if (cost < best_cost) {
            best_cost = cost;
            best = c;
        }
    }
    return best;
}

void system_project(struct system *system, system_wanted *is_wanted, void *data)
{
    bool eliminate[SYSTEM_MAX_COLUMNS];
    for (int c = 0; c < system->column_count; c++) {
        eliminate[c] = is_wanted == NULL || !is_wanted(&system->columns[c], data);
    }
    int column;
    while (!system->is_infeasible && (column = next_column(system, eliminate)) >= 0) {
        int equality = equality_for(system, column);
        if (equality >= 0) {
            substitute(system, equality, column);
        } else {
            fourier_motzkin(system, column);
        }
    }
}

bool system_is_infeasible(struct system *system)
{
    system_project(system, NULL, NULL);
    return system->is_infeasible;
}

const struct poly *system_row_value(struct poly_pool *pool, const struct system *system, int row)
{
    assert(row >= 0 && row < system->row_count);
    const struct system_row *from = &system->rows[row];
    const struct poly *value = poly_const(pool, from->constant);
    for (int c = 0; c < system->column_count; c++) {
        if (from->coef[c] != 0) {
            const struct poly *product = poly_const(pool, from->coef[c]);
            for (int k = 0; k < system->columns[c].degree; k++) {
                product = poly_mul(pool, product, poly_atom(pool, system->columns[c].ids[k]));
            }
            value = poly_add(pool, value, product);
        }
    }
    return value;
}
