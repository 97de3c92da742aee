// Pragmas go into the text at the places that the plan names: as a line of their own where the statement begins its
// line, as _Pragma where it does not. What OpenMP cannot say (a selection, a last value, an atomic minimum, several
// updates of one array, a scatter, a condition that the launch tests) leaves its loop serial: the file computes what
// the kernel computes, for arguments that do not overlap.
#include "compiler/openmp.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct insertion {
    size_t at;
    const char *text; // "omp parallel for"
};

struct openmp {
    const struct plan_module *plan;
    const char *text;
    size_t length;
    size_t *lines; // where each line begins
    uint32_t line_count;
    struct insertion *insertions;
    int count;
    struct arena *arena;
};

static void find_lines(struct openmp *o)
{
    o->line_count = 1;
    for (size_t i = 0; i < o->length; i++) {
        o->line_count += o->text[i] == '\n';
    }
    o->lines = ARENA_ARRAY(o->arena, size_t, o->line_count);
    uint32_t line = 1;
    for (size_t i = 0; i < o->length; i++) {
        if (o->text[i] == '\n') {
            o->lines[line++] = i + 1;
        }
    }
}

// The offset of a place in the main file; the text's length if it is elsewhere.
static size_t offset_of(const struct openmp *o, struct loc loc)
{
    assert(o->lines != NULL);
    if (loc.line == 0 || loc.line > o->line_count) {
        return o->length;
    }
    size_t at = o->lines[loc.line - 1] + (loc.column > 0 ? loc.column - 1 : 0);
    return at < o->length ? at : o->length;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_word_at(const struct openmp *o, size_t at, const char *word)
{
    size_t length = strlen(word);
    return at + length <= o->length && memcmp(o->text + at, word, length) == 0 &&
           (at == 0 || !is_word(o->text[at - 1])) && (at + length == o->length || !is_word(o->text[at + length]));
}

// The end of the statement at |at|: of the first semicolon outside parentheses, or of its braces.
static size_t statement_end(const struct openmp *o, size_t at)
{
    int depth = 0;
    int braces = 0;
    for (; at < o->length; at++) {
        char c = o->text[at];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        if ((c == ';' && depth == 0 && braces == 0) || (c == '}' && braces <= 0)) {
            return at + 1;
        }
    }
    return at;
}

static int count_word(const struct openmp *o, size_t from, size_t to, const char *word)
{
    int count = 0;
    for (size_t at = from; at < to; at++) {
        count += is_word_at(o, at, word);
    }
    return count;
}

static size_t skip_space_back(const struct openmp *o, size_t at)
{
    while (at > 0 && isspace((unsigned char)o->text[at - 1])) {
        at--;
    }
    return at;
}

static size_t match_back(const struct openmp *o, size_t at, char open, char close)
{
    int depth = 0;
    while (at > 0) {
        at--;
        depth += o->text[at] == close ? 1 : o->text[at] == open ? -1 : 0;
        if (depth == 0) {
            break;
        }
    }
    return at;
}

// Where the left side of the assignment operator at |at| begins.
static size_t left_side(const struct openmp *o, size_t at)
{
    size_t start = at;
    for (;;) {
        size_t end = skip_space_back(o, start);
        while (end > 0 && o->text[end - 1] == ']') {
            end = skip_space_back(o, match_back(o, end, '[', ']'));
        }
        size_t base = end;
        while (base > 0 && is_word(o->text[base - 1])) {
            base--;
        }
        if (base == end) {
            return start; // the operator stands in front: ++x
        }
        start = base;
        size_t before = skip_space_back(o, base);
        if (before > 0 && o->text[before - 1] == '.') {
            start = before - 1;
        } else if (before > 1 && o->text[before - 1] == '>' && o->text[before - 2] == '-') {
            start = before - 2;
        } else {
            return start;
        }
    }
}

static const char *base_name(const struct openmp *o, const struct plan_kernel *kernel, const struct plan_effect *effect)
{
    return effect->base == PLAN_BASE_PARAM   ? kernel->params[effect->index].name
           : effect->base == PLAN_BASE_FIELD ? o->plan->fields[effect->index].name
                                             : NULL;
}

static bool is_atomic_update(const struct plan_effect *effect)
{
    return effect->access == PLAN_UPDATE && effect->is_atomic;
}

// Whether an atomic update is one statement of the loop at |at|, of a form that OpenMP has, and the only use of its
// array there: effects are merged, and what they do not tell apart must not be there.
static bool can_say_update(const struct openmp *o, const struct plan_kernel *kernel, const struct plan_effect *effect,
                           size_t at)
{
    const char *name = base_name(o, kernel, effect);
    if (effect->is_explicit || !ir_update_has_assignment(effect->update) || name == NULL ||
        effect->loc.file != kernel->loc.file) {
        return false;
    }
    size_t end = statement_end(o, at);
    size_t statement = left_side(o, offset_of(o, effect->loc));
    return statement > at && statement < end && count_word(o, at, end, name) == 1 &&
           (is_word_at(o, statement, name) || memcmp(o->text + statement, "++", 2) == 0 ||
            memcmp(o->text + statement, "--", 2) == 0);
}

// Where the |count|-th of |letters| stands from |at| on, outside of parentheses and brackets; the text's length:
// nowhere.
static size_t find_outside(const struct openmp *o, size_t at, const char *letters, int count)
{
    int depth = 0;
    for (; at < o->length; at++) {
        char c = o->text[at];
        if (depth == 0 && strchr(letters, c) != NULL && c != '\0' && --count == 0) {
            return at;
        }
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (depth < 0) {
            break;
        }
    }
    return o->length;
}

// Whether nothing stands in [at, end) but a name that the step, which follows |step|, has too.
static bool is_variable(const struct openmp *o, size_t at, size_t end, size_t step)
{
    while (at < end && isspace((unsigned char)o->text[at])) {
        at++;
    }
    while (end > at && isspace((unsigned char)o->text[end - 1])) {
        end--;
    }
    for (size_t i = at; i < end; i++) {
        if (!is_word(o->text[i])) {
            return false;
        }
    }
    char *name = arena_printf(o->arena, "%.*s", (int)(end - at), o->text + at);
    return at < end && count_word(o, step, find_outside(o, step + 1, ")", 1), name) > 0;
}

// OpenMP's loops set, compare and step one variable: the variable itself, not a sum of it, and by one comparison.
// Before its type there are no attributes.
static bool has_canonical_form(const struct openmp *o, size_t at)
{
    size_t open = find_outside(o, at, "(", 1);
    size_t first = open < o->length ? find_outside(o, open + 1, ";", 1) : o->length;
    size_t second = first < o->length ? find_outside(o, first + 1, ";", 1) : o->length;
    size_t compare = first < o->length ? find_outside(o, first + 1, "<>!", 1) : o->length;
    if (compare >= second || second == o->length) {
        return false;
    }
    bool has_several = find_outside(o, open + 1, ",", 1) < o->length || find_outside(o, first + 1, "&|", 1) < second;
    if (has_several || o->text[open + 1 + strspn(o->text + open + 1, " \t\n")] == '[') {
        return false;
    }
    size_t right = compare + (o->text[compare + 1] == '=' ? 2 : 1);
    return is_variable(o, first + 1, compare, second) || is_variable(o, right, second, second);
}

// Whether OpenMP can say what this loop's task does.
static bool can_say(const struct openmp *o, const struct plan_kernel *kernel, const struct plan_loop *loop, size_t at)
{
    const char *clauses = loop->clauses != NULL ? loop->clauses : "";
    if (!is_word_at(o, at, "for") || strpbrk(clauses, ".[") != NULL || strstr(clauses, "lastprivate") != NULL) {
        return false;
    }
    const struct plan_task *task = &kernel->tasks[loop->task];
    if (task->condition_count > 0 || !has_canonical_form(o, at) || loop->verdict == IR_VERDICT_SCATTER) {
        return false;
    }
    for (int e = 0; e < task->effect_count; e++) {
        if (is_atomic_update(&task->effects[e]) && !can_say_update(o, kernel, &task->effects[e], at)) {
            return false;
        }
    }
    return true;
}

static void insert(struct openmp *o, size_t at, const char *text)
{
    for (int i = 0; i < o->count; i++) {
        if (o->insertions[i].at == at) {
            return; // another kernel that calls this one
        }
    }
    o->insertions[o->count++] = (struct insertion){at, text};
}

static void add_loop(struct openmp *o, const struct plan_kernel *kernel, const struct plan_loop *loop)
{
    size_t at = offset_of(o, loop->loc);
    if (at == o->length || !can_say(o, kernel, loop, at)) {
        return;
    }
    insert(o, at, arena_printf(o->arena, "omp parallel for%s", loop->clauses != NULL ? loop->clauses : ""));
    const struct plan_task *task = &kernel->tasks[loop->task];
    for (int e = 0; e < task->effect_count; e++) {
        if (is_atomic_update(&task->effects[e])) {
            insert(o, left_side(o, offset_of(o, task->effects[e].loc)), "omp atomic");
        }
    }
}

static int compare(const void *a, const void *b)
{
    size_t x = ((const struct insertion *)a)->at;
    size_t y = ((const struct insertion *)b)->at;
    return (x > y) - (x < y);
}

static void print(struct openmp *o, struct str *out)
{
    qsort(o->insertions, (size_t)o->count, sizeof *o->insertions, compare);
    size_t done = 0;
    for (int i = 0; i < o->count; i++) {
        const struct insertion *insertion = &o->insertions[i];
        size_t line = insertion->at;
        while (line > 0 && (o->text[line - 1] == ' ' || o->text[line - 1] == '\t')) {
            line--;
        }
        bool begins_line = line == 0 || o->text[line - 1] == '\n';
        str_add_n(out, o->text + done, insertion->at - done);
        if (begins_line) {
            str_printf(out, "#pragma %s\n", insertion->text);
            str_add_n(out, o->text + line, insertion->at - line);
        } else {
            str_printf(out, "_Pragma(\"%s\") ", insertion->text);
        }
        done = insertion->at;
    }
    str_add_n(out, o->text + done, o->length - done);
}

void openmp_print(const struct plan_module *plan, const char *text, size_t length, struct str *out)
{
    struct openmp o = {.plan = plan, .text = text, .length = length, .arena = plan->arena};
    int most = 0;
    for (int i = 0; i < plan->kernel_count; i++) {
        for (int k = 0; k < plan->kernels[i]->task_count; k++) {
            most += 1 + plan->kernels[i]->tasks[k].effect_count;
        }
        most += plan->kernels[i]->loop_count;
    }
    o.insertions = ARENA_ARRAY(o.arena, struct insertion, (size_t)most + 1);
    find_lines(&o);
    for (int i = 0; i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; k < kernel->loop_count; k++) {
            const struct plan_loop *loop = &kernel->loops[k];
            if (loop->task >= 0 && !loop->inside_task && loop->loc.file == kernel->loc.file) {
                add_loop(&o, kernel, loop);
            }
        }
    }
    print(&o, out);
}
