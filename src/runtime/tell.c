#include "runtime/tell.h"

#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

enum { MANY_OPERATIONS = 10 * 1000 * 1000 }; // about ten milliseconds of one thread

// As the compiler words it: that one comes with the first launch, which knows how long the loop is.
static bool is_of_loop(const struct compiler_diagnostic *diagnostic)
{
    static const char words[] = "this loop runs in order, on one thread";
    return strncmp(diagnostic->text, words, sizeof words - 1) == 0;
}

void tell_warnings(struct context *context, const struct compiler_result *result)
{
    bool is_told = false;
    for (int i = 0; i < result->diagnostic_count; i++) {
        const struct compiler_diagnostic *diagnostic = &result->diagnostics[i];
        bool is_note = diagnostic->severity == RILL_SEVERITY_NOTE; // belongs to the one before
        is_told = is_note ? is_told : diagnostic->severity == RILL_SEVERITY_WARNING && !is_of_loop(diagnostic);
        if (is_told) {
            context_log(context, is_note ? RILL_LOG_NOTE : RILL_LOG_WARNING, "%s:%u:%u: %s", diagnostic->file,
                        diagnostic->line, diagnostic->column, diagnostic->text);
        }
    }
}

bool tell_has_loops(const struct plan_kernel *plan)
{
    for (int i = 0; i < plan->loop_count; i++) {
        if (plan->loops[i].is_told) {
            return true;
        }
    }
    return false;
}

// " (lines 3 and 4)"
static void describe_lines(const struct plan_loop *loop, char *out, size_t size)
{
    uint32_t a = loop->loc_a.line, b = loop->loc_b.line;
    out[0] = '\0';
    if (a != 0 && b != 0 && a != b) {
        snprintf(out, size, " (lines %u and %u)", a, b);
    } else if (a != 0 && a != loop->loc.line) {
        snprintf(out, size, " (line %u)", a);
    }
}

// What to write, if the loop's order is not meant: "… if …, "
static void describe_advice(const struct plan_loop *loop, char *out, size_t size)
{
    out[0] = '\0';
    switch (loop->advice) {
    case PLAN_ADVICE_NONE: break;
    case PLAN_ADVICE_ANY_ORDER: snprintf(out, size, "'#pragma rill parallel' before it if any order will do, "); break;
    case PLAN_ADVICE_APART:
        snprintf(out, size, "'#pragma rill parallel' before it if no two iterations share '%.100s', ",
                 loop->advice_place);
        break;
    case PLAN_ADVICE_EXCHANGE:
        snprintf(out, size, "'rill_atomic_exchange(&%.100s, …)' in it if any order will do, ", loop->advice_place);
        break;
    }
}

static void tell_loop(const struct packed_args *packed, const struct kernel *kernel, const struct plan_loop *loop)
{
    struct plan_values values = {.kernel = kernel->plan, .args = packed->buffer, .array_sizes = packed->sizes};
    union ir_value work = {0};
    bool is_known = loop->work != NULL && plan_eval(loop->work, &values, &work);
    bool is_long = is_known && work.i >= MANY_OPERATIONS;
    char lines[48];
    char advice[192];
    describe_lines(loop, lines, sizeof lines);
    describe_advice(loop, advice, sizeof advice);
    context_log(packed->context, is_long ? RILL_LOG_WARNING : RILL_LOG_NOTE,
                "kernel '%s', %s:%u: this loop runs in order, on one thread%s%s%s; write %s'#pragma rill serial' "
                "before it if its order is meant",
                kernel->plan->name, plan_file(kernel->module->plan, loop->loc.file), loop->loc.line,
                loop->reason != NULL ? ": " : "", loop->reason != NULL ? loop->reason : "", lines, advice);
}

__attribute__((noinline)) void tell_loops(const struct packed_args *packed, struct kernel *kernel)
{
    if (!atomic_exchange(&kernel->is_untold, false)) {
        return; // another thread was faster
    }
    for (int i = 0; i < kernel->plan->loop_count; i++) {
        if (kernel->plan->loops[i].is_told) {
            tell_loop(packed, kernel, &kernel->plan->loops[i]);
        }
    }
}
