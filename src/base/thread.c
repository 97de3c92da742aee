#include "base/thread.h"

#include "base/hot.h"
#include "base/status.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Present only in programs built with ThreadSanitizer.
__attribute__((weak)) void __tsan_release(void *address);
__attribute__((weak)) void __tsan_acquire(void *address);

void thread_mutex_init(struct thread_mutex *mutex)
{
    // What locks protect here is short: a thread that looks again for a moment is faster than one that sleeps.
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&mutex->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void thread_mutex_finish(struct thread_mutex *mutex)
{
    pthread_mutex_destroy(&mutex->mutex);
}

void thread_lock(struct thread_mutex *mutex)
{
    pthread_mutex_lock(&mutex->mutex);
}

void thread_unlock(struct thread_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->mutex);
}

void thread_cond_init(struct thread_cond *cond)
{
    pthread_cond_init(&cond->cond, NULL);
}

void thread_cond_finish(struct thread_cond *cond)
{
    pthread_cond_destroy(&cond->cond);
}

void thread_wait(struct thread_cond *cond, struct thread_mutex *mutex)
{
    pthread_cond_wait(&cond->cond, &mutex->mutex);
}

void thread_signal(struct thread_cond *cond)
{
    pthread_cond_signal(&cond->cond);
}

void thread_broadcast(struct thread_cond *cond)
{
    pthread_cond_broadcast(&cond->cond);
}

enum {
    LATCH_LOOKS = 2000,
    LATCH_NAP = 1000 * 1000, // nanoseconds of sleep before it is looked at again: see thread.h
};

void thread_latch_wait(struct thread_latch *latch)
{
    for (int i = 0; i < LATCH_LOOKS; i++) {
        if (atomic_load_explicit(&latch->state, memory_order_relaxed) == 0 && thread_latch_try(latch)) {
            return;
        }
        thread_relax();
    }
    // Whoever has it is not running. From here on it is taken as one that somebody may sleep for.
    const struct timespec nap = {.tv_nsec = LATCH_NAP};
    while (atomic_exchange_explicit(&latch->state, 2, memory_order_acquire) != 0) {
        syscall(SYS_futex, &latch->state, FUTEX_WAIT_PRIVATE, 2, &nap, NULL, 0);
    }
}

void thread_latch_rouse(struct thread_latch *latch)
{
    thread_wake(&latch->state, 1);
}

void thread_sleep(atomic_uint *word, unsigned seen)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

// Who wakes a pool that slept finds nothing in the caches: see base/hot.h.
HOT void thread_wake(atomic_uint *word, int count)
{
#if defined(__x86_64__)
    long number = SYS_futex; // and what the call returns
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(word), "S"(FUTEX_WAKE_PRIVATE), "d"(count)
                     : "rcx", "r11", "memory");
#else
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#endif
}

rill_status thread_start(struct thread *thread, const char *name, void *(*body)(void *), void *arg)
{
    assert(!thread->is_started && strlen(name) <= 15); // what the system keeps of a name
    // A new thread inherits the mask, so that no signal can reach it before it could block them itself.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) {
        pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&thread->thread, &attributes, body, arg);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (error != 0) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "cannot start the thread '%s': %s", name, strerror(error));
    }
    thread->is_started = true;
    pthread_setname_np(thread->thread, name);
    return RILL_OK;
}

void thread_join(struct thread *thread)
{
    if (thread->is_started) {
        pthread_join(thread->thread, NULL);
        thread->is_started = false;
    }
}

// Where the thread's stack is. Asking is slow for the first thread of a process: the C library reads a file for it.
struct stack {
    uintptr_t low;
    uintptr_t high; // 0: not asked yet
};

static _Thread_local struct stack stack;

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
    }
    stack.low = (uintptr_t)low;
    stack.high = size > 0 ? (uintptr_t)low + size : 1;
    assert(stack.low < stack.high);
}

size_t thread_stack_left(void)
{
    if (stack.high == 0) {
        find_stack();
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here > stack.low && here < stack.high ? here - stack.low : 0;
}

#if defined(__x86_64__)
enum {
    FLOAT_DEFAULT = 0x1f80, // round to nearest, keep subnormals, no traps, nothing raised
    FLOAT_RAISED = 0x3f,    // what has been raised, which no code of ours asks for
};

void thread_fenv_enter(struct thread_fenv *out_before)
{
    out_before->error = errno;
    out_before->float_control = __builtin_ia32_stmxcsr();
    if ((out_before->float_control & ~(unsigned)FLOAT_RAISED) != FLOAT_DEFAULT) {
        __builtin_ia32_ldmxcsr(FLOAT_DEFAULT);
    }
}

void thread_fenv_leave(const struct thread_fenv *before)
{
    if (__builtin_ia32_stmxcsr() != before->float_control) { // to set it takes longer than to look
        __builtin_ia32_ldmxcsr(before->float_control);
    }
    errno = before->error;
}
#else
void thread_fenv_enter(struct thread_fenv *out_before)
{
    out_before->error = errno;
    out_before->float_control = 0;
}

void thread_fenv_leave(const struct thread_fenv *before)
{
    errno = before->error;
}
#endif

void thread_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void thread_yield(void)
{
    sched_yield();
}

int thread_processor(void)
{
    int processor = sched_getcpu();
    return processor < THREAD_PROCESSORS ? processor : -1;
}

void thread_move_from(const uint64_t busy[THREAD_PROCESSORS / 64])
{
    cpu_set_t allowed;
    cpu_set_t wanted;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    CPU_ZERO(&wanted);
    for (int i = 0; i < THREAD_PROCESSORS; i++) {
        if (CPU_ISSET(i, &allowed) && (busy[i / 64] >> i % 64 & 1) == 0) {
            CPU_SET(i, &wanted);
        }
    }
    if (CPU_COUNT(&wanted) > 0 && sched_setaffinity(0, sizeof wanted, &wanted) == 0) {
        sched_setaffinity(0, sizeof allowed, &allowed);
    }
}

void thread_publish_checked(void *address)
{
    __tsan_release(address);
}

void thread_observe_checked(void *address)
{
    __tsan_acquire(address);
}

bool thread_checked;

// Before main() and, where the library is loaded later, before anything in it is called.
__attribute__((constructor)) static void find_checker(void)
{
    thread_checked = __tsan_release != NULL && __tsan_acquire != NULL;
}
