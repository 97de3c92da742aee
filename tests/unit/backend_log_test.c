// What back ends tell a program that may not listen to all of it.
#include "backend/backend.h"
#include "test.h"

static bool listens_to_errors(void *user, enum backend_log_level level)
{
    (void)user;
    return level == BACKEND_LOG_ERROR;
}

static void count_text(void *user, enum backend_log_level level, const char *text)
{
    (void)level;
    (void)text;
    ++*(int *)user;
}

TEST(log_is_given_what_it_listens_to)
{
    int count = 0;
    struct backend_host host = {.user = &count, .log = count_text, .listens = listens_to_errors};
    backend_log(&host, BACKEND_LOG_NOTE, "%d", 1);
    backend_log(&host, BACKEND_LOG_WARNING, "%d", 2);
    CHECK_INT(count, 0);
    backend_log(&host, BACKEND_LOG_ERROR, "%d", 3);
    CHECK_INT(count, 1);
    host.listens = NULL;
    backend_log(&host, BACKEND_LOG_NOTE, "%d", 4);
    CHECK_INT(count, 2);
}
