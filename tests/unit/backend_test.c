// The tables of the back ends: backend.h says that every function is there.
#include "test.h"

#include "backend/backend.h"

#include <string.h>

static bool is_no_function(size_t offset)
{
    return offset == offsetof(struct backend, name) || offset == offsetof(struct backend, alias) ||
           offset == offsetof(struct backend, has_own_memory);
}

TEST(every_back_end_has_every_operation)
{
    for (int i = 0; backend_registry[i] != NULL; i++) {
        for (size_t at = 0; at < sizeof(struct backend); at += sizeof(void *)) {
            void *word;
            memcpy(&word, (const char *)backend_registry[i] + at, sizeof word);
            if (word == NULL && !is_no_function(at)) {
                FAIL("the back end %s has no function at %zu", backend_registry[i]->name, at);
            }
        }
    }
}

TEST(what_a_back_end_lacks_is_refused_or_does_nothing)
{
    void *native = &native;
    struct backend_stream *stream = NULL;
    CHECK(backend_cpu.device_absence() == NULL);
    CHECK(backend_cpu.device_target(NULL) == NULL);
    CHECK(!backend_cpu.device_has(NULL, BACKEND_HAS_GRAPHS));
    CHECK_INT(backend_cpu.stream_wrap(NULL, NULL, 1, &stream), RILL_ERR_UNSUPPORTED);
    CHECK_STR(rill_message(), "streams of this device have no native handles");
    CHECK_INT(backend_cpu.stream_native(NULL, &native), RILL_ERR_UNSUPPORTED);
    CHECK(native == NULL);
    CHECK_INT(backend_cpu.stream_may_wait(NULL, true), RILL_OK);
    CHECK_INT(backend_cpu.copy_from(NULL, NULL, NULL, NULL, 0), RILL_ERR_UNSUPPORTED);
}
