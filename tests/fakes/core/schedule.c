// Operations: each waits for others, then runs on a thread of the driver's own. What is ready may run in any order.
// With a seed one thread does everything and the seed picks order and delays, so that it replays as far as the
// program's own threads allow. Without one several threads run what is ready, and host functions have a thread to
// themselves, since they may take their time. A lazy driver leaves what nobody on the host waits for where it is, so
// that work really is in flight when a call fails or an object goes.
#include "fake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, POLL_NS = 20000 };

// ---- work -----------------------------------------------------------------------------------------------------------

void fake_work_finish(struct fake_work *work)
{
    if (work->kind == FAKE_OP_KERNEL) {
        free(work->u.kernel.params);
        free(work->u.kernel.addresses);
    } else if (work->kind == FAKE_OP_COPY) {
        free(work->u.copy.snapshot);
    } else if (work->kind == FAKE_OP_CONDITION || work->kind == FAKE_OP_DEFAULTS) {
        fake_graph_destroy_locked(work->u.condition.graph, NULL);
    }
    *work = (struct fake_work){0};
}

void fake_work_copy(struct fake_work *to, const struct fake_work *from)
{
    *to = *from;
    if (from->kind == FAKE_OP_COPY) {
        to->u.copy.snapshot = NULL;
        return;
    }
    if (from->kind != FAKE_OP_KERNEL) {
        return;
    }
    const struct fake_kernel *kernel = &from->u.kernel;
    size_t size = (kernel->params_size + 15) / 16 * 16 + 16;
    to->u.kernel.params = aligned_alloc(16, size);
    to->u.kernel.addresses = fake_alloc(sizeof(void *) * (size_t)(kernel->param_count + 1));
    memcpy(to->u.kernel.params, kernel->params, kernel->params_size);
    for (int i = 0; i < kernel->param_count; i++) {
        to->u.kernel.addresses[i] = to->u.kernel.params + ((unsigned char *)kernel->addresses[i] - kernel->params);
    }
}

// ---- operations -----------------------------------------------------------------------------------------------------

struct fake_op *fake_op_create(struct fake_context *context, struct fake_stream *stream, const struct fake_work *work)
{
    struct fake_op *op = fake_alloc(sizeof *op);
    op->work = *work;
    op->context = context;
    op->stream = stream;
    op->ref_count = 1;
    op->waiting_for = 1; // until it is submitted
    return op;
}

struct fake_op *fake_op_hold(struct fake_op *op)
{
    op->ref_count++;
    return op;
}

void fake_op_release(struct fake_op *op)
{
    if (op != NULL && --op->ref_count == 0) {
        fake_work_finish(&op->work);
        free(op->dependents);
        free(op);
    }
}

void fake_op_after_locked(struct fake_op *op, struct fake_op *before)
{
    if (before == NULL || before->is_done) {
        return;
    }
    FAKE_GROW(before->dependents, before->dependent_count, before->dependent_capacity);
    before->dependents[before->dependent_count++] = op;
    op->waiting_for++;
}

static void make_ready(struct fake_op *op)
{
    op->is_ready = true;
    FAKE_GROW(fake.ready, fake.ready_count, fake.ready_capacity);
    fake.ready[fake.ready_count++] = op;
    pthread_cond_broadcast(&fake.work);
}

// The pending operation owns a reference until it is done.
void fake_op_submit_locked(struct fake_op *op)
{
    fake_op_hold(op);
    op->number = ++fake.op_number;
    if (fake.lazy_ns > 0) {
        int64_t delay = fake.is_seeded ? (int64_t)fake_random_locked((uint64_t)fake.lazy_ns) : fake.lazy_ns;
        op->not_before = fake_now() + delay;
    }
    op->context->pending_count++;
    op->next_pending = fake.pending;
    if (fake.pending != NULL) {
        fake.pending->previous_pending = op;
    }
    fake.pending = op;
    if (--op->waiting_for == 0) {
        make_ready(op);
    }
}

void fake_op_complete_locked(struct fake_op *op)
{
    op->is_done = true;
    if (fake.is_traced) {
        fprintf(stderr, "fake driver has done %lu\n", (unsigned long)op->number);
    }
    op->is_running = false;
    op->done_at = fake_now();
    op->context->pending_count--;
    if (op->previous_pending != NULL) {
        op->previous_pending->next_pending = op->next_pending;
    } else {
        fake.pending = op->next_pending;
    }
    if (op->next_pending != NULL) {
        op->next_pending->previous_pending = op->previous_pending;
    }
    for (int i = 0; i < op->dependent_count; i++) {
        if (--op->dependents[i]->waiting_for == 0) {
            make_ready(op->dependents[i]);
        }
    }
    op->dependent_count = 0;
    fake_op_release(op);
    pthread_cond_broadcast(&fake.done);
}

static bool is_followed_by_wanted(const struct fake_op *op)
{
    for (int i = 0; i < op->dependent_count; i++) {
        if (op->dependents[i]->is_wanted) {
            return true;
        }
    }
    return false;
}

// What follows an operation was submitted after it and comes first in the list.
void fake_hurry_locked(struct fake_op *op)
{
    if (fake.lazy_ns == 0) {
        return;
    }
    if (op != NULL) {
        op->is_wanted = true;
        op->not_before = 0;
    }
    for (struct fake_op *other = fake.pending; other != NULL; other = other->next_pending) {
        if (op == NULL || is_followed_by_wanted(other)) {
            other->is_wanted = true;
            other->not_before = 0;
        }
    }
    pthread_cond_broadcast(&fake.work);
}

void fake_op_wait_locked(struct fake_op *op)
{
    if (op == NULL) {
        return;
    }
    fake_op_hold(op);
    fake_hurry_locked(op);
    while (!op->is_done) {
        pthread_cond_wait(&fake.done, &fake.lock);
    }
    fake_op_release(op);
}

// ---- threads --------------------------------------------------------------------------------------------------------

static bool is_for(const struct fake_op *op, bool for_host)
{
    return fake.is_seeded || (op->work.kind == FAKE_OP_HOST) == for_host;
}

static bool is_runnable(struct fake_op *op, bool for_host, int64_t now)
{
    if (!is_for(op, for_host) || op->not_before > now) {
        return false;
    }
    if (op->work.kind == FAKE_OP_WAIT_VALUE && op->context->lost_code == 0 && !fake_value_holds(&op->work.u.value)) {
        op->not_before = now + POLL_NS;
        return false;
    }
    return true;
}

// The next operation, out of the list; NULL and when to look again.
static struct fake_op *take(bool for_host, int64_t *out_next)
{
    int64_t now = fake_now();
    int count = 0, chosen = -1;
    *out_next = now + 100000000;
    for (int i = 0; i < fake.ready_count; i++) {
        struct fake_op *op = fake.ready[i];
        if (is_runnable(op, for_host, now)) {
            count++;
            if (chosen < 0 || (fake.is_seeded && fake_random_locked((uint64_t)count) == 0)) {
                chosen = i;
            }
        } else if (is_for(op, for_host) && op->not_before < *out_next) {
            *out_next = op->not_before;
        }
    }
    if (chosen < 0) {
        return NULL;
    }
    struct fake_op *op = fake.ready[chosen];
    memmove(&fake.ready[chosen], &fake.ready[chosen + 1], sizeof *fake.ready * (size_t)(fake.ready_count - chosen - 1));
    fake.ready_count--;
    op->is_ready = false;
    op->is_running = true;
    return op;
}

static void *run_thread(void *arg)
{
    bool for_host = arg != NULL;
    fake_lock();
    while (!fake.is_gone) {
        int64_t next;
        struct fake_op *op = take(for_host, &next);
        if (op == NULL) {
            struct timespec until = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};
            pthread_cond_timedwait(&fake.work, &fake.lock, &until);
            continue;
        }
        if (op->context->lost_code == 0) {
            static const useconds_t delays[] = {10, 50, 200, 1000};
            useconds_t delay = fake.is_seeded && fake_random_locked(6) == 0 ? delays[fake_random_locked(4)] : 0;
            fake_unlock();
            if (delay > 0) {
                usleep(delay);
            }
            fake_op_run(op);
            fake_lock();
        }
        fake_op_complete_locked(op);
    }
    fake_unlock();
    return NULL;
}

void fake_start_threads_locked(void)
{
    if (fake.has_threads) {
        return;
    }
    fake.has_threads = true;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int count = fake.is_seeded ? 1 : THREADS + 1; // the first is for host functions
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        static int for_host;
        if (pthread_create(&thread, NULL, run_thread, i == 0 ? &for_host : NULL) != 0) {
            fprintf(stderr, "fake driver: no thread\n");
            _exit(98);
        }
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
