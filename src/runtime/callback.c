#include "runtime/callback.h"

#include "base/status.h"
#include "base/thread.h"
#include "runtime/context.h"

#include <assert.h>

struct callback_thread {
    struct thread_mutex lock;
    struct thread_cond wake;
    struct callback *first; // guarded by lock
    struct callback *last;  //
    bool stop;              //
    struct thread thread;   //
};

static _Thread_local bool is_running;

bool callback_is_running(void)
{
    return is_running;
}

rill_status callback_refuse(const char *who)
{
    if (!is_running) {
        return RILL_OK;
    }
    return status_fail(RILL_ERR_IN_CALLBACK, "%s: the call waits, which a callback must not do", who);
}

static void *run_callbacks(void *arg)
{
    struct callback_thread *thread = arg;
    is_running = true;
    thread_lock(&thread->lock);
    for (;;) {
        struct callback *callback = thread->first;
        if (callback != NULL) {
            thread->first = callback->next;
            thread_unlock(&thread->lock);
            callback->run(callback);
            thread_lock(&thread->lock);
        } else if (thread->stop) {
            break;
        } else {
            thread_wait(&thread->wake, &thread->lock);
        }
    }
    thread_unlock(&thread->lock);
    return NULL;
}

rill_status callback_thread_create(struct context *context)
{
    struct callback_thread *thread = context_alloc(context, sizeof *thread);
    if (thread == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the callback thread");
    }
    thread_mutex_init(&thread->lock);
    thread_cond_init(&thread->wake);
    context->callbacks = thread;
    return RILL_OK;
}

rill_status callback_thread_start(struct context *context)
{
    struct callback_thread *thread = context->callbacks;
    thread_lock(&thread->lock);
    rill_status status = RILL_OK;
    if (!thread->thread.is_started) {
        status = thread_start(&thread->thread, "rill-callback", run_callbacks, thread);
    }
    thread_unlock(&thread->lock);
    return status;
}

void callback_post(struct context *context, struct callback *callback)
{
    struct callback_thread *thread = context->callbacks;
    assert(callback->run != NULL && thread->thread.is_started); // who wants callbacks starts it
    callback->next = NULL;
    thread_lock(&thread->lock);
    if (thread->first == NULL) {
        thread->first = callback;
    } else {
        thread->last->next = callback;
    }
    thread->last = callback;
    // Under the lock: once the callback has run, closing may take the thread apart.
    thread_signal(&thread->wake);
    thread_unlock(&thread->lock);
}

void callback_thread_destroy(struct context *context)
{
    struct callback_thread *thread = context->callbacks;
    if (thread == NULL) {
        return;
    }
    thread_lock(&thread->lock);
    thread->stop = true;
    thread_unlock(&thread->lock);
    thread_signal(&thread->wake);
    thread_join(&thread->thread);
    thread_cond_finish(&thread->wake);
    thread_mutex_finish(&thread->lock);
    context_free(context, thread, sizeof *thread);
    context->callbacks = NULL;
}
