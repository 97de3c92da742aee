#include "base/thread.h"

#include "base/status.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

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

rill_status thread_start(struct thread *thread, const char *name, void *(*body)(void *), void *arg)
{
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

void thread_publish(void *address)
{
    if (__tsan_release != NULL) {
        __tsan_release(address);
    }
}

void thread_observe(void *address)
{
    if (__tsan_acquire != NULL) {
        __tsan_acquire(address);
    }
}
