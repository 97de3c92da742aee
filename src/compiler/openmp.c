#include "compiler/openmp.h"

#include <string.h>

// The task made for a loop that begins on this line of the main file; NULL: none.
static const struct plan_task *task_on_line(const struct plan_module *plan, uint32_t line)
{
    for (int i = 0; i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; k < kernel->loop_count; k++) {
            const struct plan_loop *loop = &kernel->loops[k];
            if (loop->task >= 0 && loop->loc.line == line && loop->loc.file == kernel->loc.file) {
                return &kernel->tasks[loop->task];
            }
        }
    }
    return NULL;
}

// Whether a line of the main file makes an update that must be atomic.
static bool is_atomic_line(const struct plan_module *plan, uint32_t line)
{
    for (int i = 0; i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; k < kernel->task_count; k++) {
            const struct plan_task *task = &kernel->tasks[k];
            for (int e = 0; e < task->effect_count; e++) {
                const struct plan_effect *effect = &task->effects[e];
                if (effect->access == PLAN_UPDATE && effect->is_atomic && !effect->is_explicit &&
                    effect->loc.line == line && effect->loc.file == kernel->loc.file) {
                    return true;
                }
            }
        }
    }
    return false;
}

static const struct plan_loop *loop_of(const struct plan_module *plan, const struct plan_task *task)
{
    for (int i = 0; i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        if (task >= kernel->tasks && task < kernel->tasks + kernel->task_count) {
            return &kernel->loops[task->loop];
        }
    }
    return NULL;
}

void openmp_print(const struct plan_module *plan, const char *text, size_t length, struct str *out)
{
    uint32_t line = 1;
    for (size_t at = 0; at < length; line++) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline != NULL ? (size_t)(newline - text) + 1 : length;
        const struct plan_task *task = task_on_line(plan, line);
        if (task != NULL) {
            const struct plan_loop *loop = loop_of(plan, task);
            size_t indent = strspn(text + at, " \t");
            str_add_n(out, text + at, indent < end - at ? indent : 0);
            str_printf(out, "#pragma omp parallel for%s\n", loop->clauses != NULL ? loop->clauses : "");
        }
        if (is_atomic_line(plan, line)) {
            str_printf(out, "#pragma omp atomic\n");
        }
        str_add_n(out, text + at, end - at);
        at = end;
    }
}
