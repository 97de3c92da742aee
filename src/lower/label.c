// Labels and gotos of a function, sorted out before anything is emitted. A label that stands in a statement list, and
// is jumped to only from inside that list, is regular: forward jumps leave a block that ends at the label, backward
// jumps repeat a loop that starts there. Every other label, and every switch with a case label that does not stand
// straight in its body, is irregular: the smallest statement around it and its jumps becomes a control-flow graph.
#include "lower/internal.h"

#include <assert.h>

struct jump {
    struct label *label;
    int at; // position of the goto
};

struct place_of_label {
    struct label *label;
    const struct stmt *stmt;
    const struct stmt *list; // the block it stands in; NULL if it stands in none
    int item;
    int at;
};

struct survey {
    struct lower *l;
    struct lower_info *info;
    int position;
    VEC(struct jump) jumps;
    VEC(struct place_of_label) labels;
    VEC(const struct stmt *) stmts; // all, in order of entering
};

// ---- numbering -----------------------------------------------------------------------------------------------------

static struct lower_extent_of_stmt *extent_of(const struct lower_info *info, const struct stmt *stmt)
{
    return pointer_map_get(&info->extents, stmt);
}

static void number(struct survey *s, const struct stmt *stmt, const struct stmt *list, int item);

static void number_labeled(struct survey *s, const struct stmt *stmt, const struct stmt *list, int item)
{
    assert(stmt->kind == STMT_LABEL && extent_of(s->info, stmt) != NULL);
    // Its own position, not that of its body: a graph that is made of the body alone does not hold the label.
    struct place_of_label place = {stmt->label, stmt, list, item, extent_of(s->info, stmt)->enter};
    VEC_PUSH(s->l->arena, &s->labels, place);
    number(s, stmt->body, stmt->body != NULL && stmt->body->kind == STMT_LABEL ? list : NULL, item);
}

static void number(struct survey *s, const struct stmt *stmt, const struct stmt *list, int item)
{
    if (stmt == NULL) {
        return;
    }
    struct lower_extent_of_stmt *extent = ARENA_NEW(s->l->arena, struct lower_extent_of_stmt);
    extent->enter = s->position++;
    pointer_map_set(s->l->arena, &s->info->extents, stmt, extent);
    VEC_PUSH(s->l->arena, &s->stmts, stmt);
    if (stmt->kind == STMT_GOTO) {
        struct jump jump = {stmt->label, extent->enter};
        VEC_PUSH(s->l->arena, &s->jumps, jump);
    }
    if (stmt->kind == STMT_LABEL) {
        number_labeled(s, stmt, list, item);
    } else if (stmt->kind == STMT_SWITCH && stmt->body->kind == STMT_BLOCK) {
        // The list of a switch is cut by its cases: labels in it are irregular.
        struct lower_extent_of_stmt *body = ARENA_NEW(s->l->arena, struct lower_extent_of_stmt);
        body->enter = s->position++;
        pointer_map_set(s->l->arena, &s->info->extents, stmt->body, body);
        for (int i = 0; i < stmt->body->item_count; i++) {
            number(s, stmt->body->items[i], NULL, 0);
        }
        body->exit = s->position;
    } else {
        for (int i = 0; i < stmt->item_count; i++) {
            number(s, stmt->items[i], stmt, i);
        }
        number(s, stmt->init, NULL, 0);
        number(s, stmt->body, NULL, 0);
        number(s, stmt->else_body, NULL, 0);
    }
    extent->exit = s->position;
}

// ---- spans ---------------------------------------------------------------------------------------------------------

static void mark_irregular(struct survey *s, const void *what)
{
    pointer_map_set(s->l->arena, &s->info->irregular, what, (void *)what);
}

static bool is_marked(const struct lower_info *info, const void *what)
{
    return pointer_map_get(&info->irregular, what) != NULL;
}

static int item_holding(const struct lower_info *info, const struct stmt *list, int at)
{
    for (int i = 0; i < list->item_count; i++) {
        const struct lower_extent_of_stmt *extent = extent_of(info, list->items[i]);
        if (at >= extent->enter && at < extent->exit) {
            return i;
        }
    }
    return -1;
}

static struct lower_spans *spans_of(struct survey *s, const struct stmt *list)
{
    struct lower_spans *spans = pointer_map_get(&s->info->spans, list);
    if (spans == NULL) {
        spans = ARENA_NEW(s->l->arena, struct lower_spans);
        pointer_map_set(s->l->arena, &s->info->spans, list, spans);
    }
    return spans;
}

static void add_label(struct survey *s, const struct place_of_label *place)
{
    struct lower_span forward = {.low = place->item, .high = place->item, .label = place->label};
    struct lower_span loop = {.is_loop = true, .low = place->item, .high = place->item, .label = place->label};
    for (int i = 0; i < s->jumps.count; i++) {
        if (s->jumps.items[i].label != place->label) {
            continue;
        }
        int item = place->list != NULL ? item_holding(s->info, place->list, s->jumps.items[i].at) : -1;
        if (item < 0) {
            mark_irregular(s, place->label);
            return;
        }
        if (item < place->item) {
            forward.low = item < forward.low ? item : forward.low;
        } else {
            loop.high = item + 1 > loop.high ? item + 1 : loop.high;
        }
    }
    if (forward.low < forward.high) {
        struct lower_spans *spans = spans_of(s, place->list);
        VEC_PUSH(s->l->arena, spans, forward);
    }
    if (loop.low < loop.high) {
        struct lower_spans *spans = spans_of(s, place->list);
        VEC_PUSH(s->l->arena, spans, loop);
    }
}

// Two spans that cross: |a| starts first. Returns whether anything was changed.
static bool uncross(struct survey *s, struct lower_span *a, struct lower_span *b)
{
    if (is_marked(s->info, a->label) || is_marked(s->info, b->label) ||
        !(a->low < b->low && b->low < a->high && a->high < b->high)) {
        return false;
    }
    if (!b->is_loop) {
        b->low = a->low; // a block may as well begin earlier
    } else if (a->is_loop) {
        a->high = b->high; // a loop may as well end later: what is added runs once, before the break
    } else {
        mark_irregular(s, a->label); // a jump into a loop
        mark_irregular(s, b->label);
    }
    return true;
}

static void nest_spans(struct survey *s, struct lower_spans *spans)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < spans->count; i++) {
            for (int k = 0; k < spans->count; k++) {
                changed |= i != k && uncross(s, &spans->items[i], &spans->items[k]);
            }
        }
    }
}

static void drop_irregular(struct survey *s, struct lower_spans *spans)
{
    int kept = 0;
    for (int i = 0; i < spans->count; i++) {
        if (!is_marked(s->info, spans->items[i].label)) {
            spans->items[kept++] = spans->items[i];
        }
    }
    spans->count = kept;
}

// ---- switches ------------------------------------------------------------------------------------------------------

bool lower_switch_is_regular(const struct stmt *stmt)
{
    struct stmt *const single = stmt->body;
    struct stmt *const *items = stmt->body->kind == STMT_BLOCK ? stmt->body->items : &single;
    int item_count = stmt->body->kind == STMT_BLOCK ? stmt->body->item_count : 1;
    int found = 0;
    for (int i = 0; i < item_count; i++) {
        for (const struct stmt *s = items[i]; s->kind == STMT_CASE || s->kind == STMT_DEFAULT; s = s->body) {
            found++;
        }
    }
    return found == stmt->case_count;
}

// ---- roots ---------------------------------------------------------------------------------------------------------

bool lower_is_irregular(const struct lower_info *info, const struct stmt *stmt)
{
    const struct lower_extent_of_stmt *extent = extent_of(info, stmt);
    if (extent == NULL) {
        return false;
    }
    for (int i = 0; i < info->irregular.capacity; i++) {
        const void *key = info->irregular.slots[i].key;
        if (key == NULL) {
            continue;
        }
        // Keys are labels and case statements; a label's place is that of its statement.
        const struct lower_extent_of_stmt *inner = pointer_map_get(&info->extents, key);
        if (inner == NULL) {
            inner = pointer_map_get(&info->extents, ((const struct label *)key)->stmt);
        }
        if (inner != NULL && inner->enter >= extent->enter && inner->exit <= extent->exit) {
            return true;
        }
    }
    return false;
}

static void add_root(struct survey *s, int low, int high)
{
    const struct stmt *best = NULL;
    for (int i = 0; i < s->stmts.count; i++) {
        const struct lower_extent_of_stmt *extent = extent_of(s->info, s->stmts.items[i]);
        if (extent->enter <= low && extent->exit > high) {
            best = s->stmts.items[i]; // later ones are smaller
        }
    }
    if (best != NULL) {
        pointer_map_set(s->l->arena, &s->info->roots, best, (void *)best);
    }
}

static void find_roots(struct survey *s)
{
    for (int i = 0; i < s->labels.count; i++) {
        const struct place_of_label *place = &s->labels.items[i];
        if (!is_marked(s->info, place->label)) {
            continue;
        }
        int low = place->at;
        int high = place->at;
        for (int k = 0; k < s->jumps.count; k++) {
            if (s->jumps.items[k].label == place->label) {
                low = s->jumps.items[k].at < low ? s->jumps.items[k].at : low;
                high = s->jumps.items[k].at > high ? s->jumps.items[k].at : high;
            }
        }
        add_root(s, low, high);
    }
}

// A list that is flattened has no blocks and loops for its labels: they become targets of the graph as well.
static void mark_lists(struct survey *s)
{
    for (int i = 0; i < s->labels.count; i++) {
        const struct place_of_label *place = &s->labels.items[i];
        if (place->list == NULL || is_marked(s->info, place->label)) {
            continue;
        }
        for (int k = 0; k < s->stmts.count; k++) {
            const struct stmt *root = s->stmts.items[k];
            const struct lower_extent_of_stmt *extent = extent_of(s->info, root);
            if (pointer_map_get(&s->info->roots, root) != NULL && extent->enter <= place->at &&
                place->at < extent->exit && lower_is_irregular(s->info, place->list)) {
                mark_irregular(s, place->label);
            }
        }
    }
}

// So do the cases of a switch that is flattened for what stands in it.
static void mark_switches(struct survey *s)
{
    for (int i = 0; i < s->stmts.count; i++) {
        const struct stmt *stmt = s->stmts.items[i];
        if (stmt->kind != STMT_SWITCH || !lower_is_irregular(s->info, stmt)) {
            continue;
        }
        for (int k = 0; k < stmt->case_count; k++) {
            mark_irregular(s, stmt->cases[k]);
        }
    }
}

void lower_label_survey(struct lower *l, struct lower_info *info)
{
    struct survey s = {.l = l, .info = info};
    number(&s, info->function->body, NULL, 0);
    for (int i = 0; i < s.labels.count; i++) {
        s.labels.items[i].label->stmt = (struct stmt *)s.labels.items[i].stmt;
        add_label(&s, &s.labels.items[i]);
    }
    for (int i = 0; i < info->spans.capacity; i++) {
        if (info->spans.slots[i].key != NULL) {
            nest_spans(&s, info->spans.slots[i].value);
        }
    }
    for (int i = 0; i < s.stmts.count; i++) {
        const struct stmt *stmt = s.stmts.items[i];
        if (stmt->kind == STMT_SWITCH && !lower_switch_is_regular(stmt)) {
            for (int k = 0; k < stmt->case_count; k++) {
                mark_irregular(&s, stmt->cases[k]);
            }
            pointer_map_set(l->arena, &info->roots, stmt, (void *)stmt);
        }
    }
    find_roots(&s);
    mark_lists(&s);
    mark_switches(&s);
    for (int i = 0; i < info->spans.capacity; i++) {
        if (info->spans.slots[i].key != NULL) {
            drop_irregular(&s, info->spans.slots[i].value);
        }
    }
}
