// The programs of rill selftest, several at once. Each writes into a file without a name and is in a process group of
// its own, so that whatever it started ends with it. The signals that matter are waited for, never handled: there is
// nothing that runs at a bad moment.
#include "cli/selftest.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE = 400, SILENCE = 15 }; // bytes; seconds without a line after which the programs that run are named

extern char **environ;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void selftest_say(struct selftest *test, const char *format, ...)
{
    FILE *files[] = {stdout, test->report};
    for (int i = 0; i < 2; i++) {
        if (files[i] != NULL) {
            va_list args;
            va_start(args, format);
            vfprintf(files[i], format, args);
            va_end(args);
            fflush(files[i]);
        }
    }
}

// ---- one program --------------------------------------------------------------------------------------------------

// The program gets none of the signals blocked that this process waits for.
static bool start(struct selftest *test, struct selftest_program *program)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test->folder, program->name);
    char *argv[] = {path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    program->output = tmpfile();
    program->begin = now();
    if (program->output == NULL || fcntl(fileno(program->output), F_SETFD, FD_CLOEXEC) != 0 ||
        posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    bool is_made = posix_spawnattr_init(&attributes) == 0;
    bool is_good = is_made && posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0) == 0 &&
                   posix_spawn_file_actions_adddup2(&actions, fileno(program->output), STDOUT_FILENO) == 0 &&
                   posix_spawn_file_actions_adddup2(&actions, fileno(program->output), STDERR_FILENO) == 0 &&
                   posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                   posix_spawnattr_setpgroup(&attributes, 0) == 0 &&
                   posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP) == 0 &&
                   posix_spawn(&program->pid, path, &actions, &attributes, argv, environ) == 0;
    program->pid = is_good ? program->pid : 0;
    if (is_made) {
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return is_good;
}

static void count_lines(struct selftest_program *program)
{
    char line[LINE_SIZE];
    rewind(program->output);
    while (fgets(line, sizeof line, program->output) != NULL) {
        program->passed += strncmp(line, "ok ", 3) == 0;
        program->failed += strncmp(line, "FAIL ", 5) == 0;
        program->skipped += strncmp(line, "skip ", 5) == 0;
    }
}

static enum selftest_end how_it_ended(const struct selftest *test, const struct selftest_program *program)
{
    if (program->failed > 0) {
        return SELFTEST_FAILED;
    }
    if (program->status == 0 && program->passed + program->skipped > 0) {
        return SELFTEST_PASSED;
    }
    bool is_killed = WIFSIGNALED(program->status) && WTERMSIG(program->status) == SIGKILL;
    return test->is_stopped && is_killed ? SELFTEST_STOPPED : SELFTEST_DIED;
}

static void say_end(struct selftest *test, const struct selftest_program *program, int ended)
{
    char words[100] = "";
    if (program->end == SELFTEST_NO_START) {
        snprintf(words, sizeof words, ", and could not be started");
    } else if (program->end == SELFTEST_STOPPED) {
        snprintf(words, sizeof words, ", and had not ended");
    } else if (WIFSIGNALED(program->status)) {
        snprintf(words, sizeof words, ", and was ended by signal %d (%s)", WTERMSIG(program->status),
                 strsignal(WTERMSIG(program->status)));
    } else if (program->end == SELFTEST_DIED) {
        snprintf(words, sizeof words, ", and did not end well: exit status %d", WEXITSTATUS(program->status));
    }
    selftest_say(test, "  [%*d/%d] %-18s %3d passed, %d failed, %d skipped, %.1f s%s\n",
                 test->program_count > 9 ? 2 : 1, ended, test->program_count, program->name, program->passed,
                 program->failed, program->skipped, program->seconds, words);
}

// ---- all of them --------------------------------------------------------------------------------------------------

// What a loop over the programs knows.
struct progress {
    int next;    // the first that is not started
    int running; //
    int ended;
    double begin;
    double said; // when the last line was
};

static void take_end(struct selftest *test, struct selftest_program *program, struct progress *progress)
{
    program->seconds = now() - program->begin;
    if (program->output != NULL) {
        count_lines(program);
    }
    program->end = program->pid == 0 ? SELFTEST_NO_START : how_it_ended(test, program);
    program->pid = 0;
    say_end(test, program, ++progress->ended);
    progress->said = now();
}

static void start_some(struct selftest *test, struct progress *progress)
{
    while (!test->is_stopped && progress->running < test->jobs && progress->next < test->program_count) {
        struct selftest_program *program = &test->programs[progress->next++];
        if (start(test, program)) {
            progress->running++;
        } else {
            take_end(test, program, progress);
        }
    }
}

static void collect_ended(struct selftest *test, struct progress *progress)
{
    for (int i = 0; i < progress->next; i++) {
        struct selftest_program *program = &test->programs[i];
        siginfo_t info = {0};
        if (program->pid != 0 && waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == program->pid) {
            kill(-program->pid, SIGKILL); // whatever it may have left behind; its number is not given away yet
            waitpid(program->pid, &program->status, 0);
            progress->running--;
            take_end(test, program, progress);
        }
    }
}

static void stop_all(struct selftest *test, const char *why)
{
    selftest_say(test, "%s: what still runs is ended\n", why);
    test->is_stopped = true;
    for (int i = 0; i < test->program_count; i++) {
        if (test->programs[i].pid != 0) {
            kill(-test->programs[i].pid, SIGKILL);
        }
    }
}

static void say_running(struct selftest *test, struct progress *progress)
{
    printf("  still running:");
    for (int i = 0; i < progress->next; i++) {
        if (test->programs[i].pid != 0) {
            printf(" %s (%.0f s)", test->programs[i].name, now() - test->programs[i].begin);
        }
    }
    printf("\n");
    fflush(stdout);
    progress->said = now();
}

static void watch(struct selftest *test, const sigset_t *signals, struct progress *progress)
{
    while (progress->running > 0) {
        const struct timespec second = {.tv_sec = 1};
        int got = sigtimedwait(signals, NULL, &second);
        collect_ended(test, progress);
        if (got > 0 && got != SIGCHLD && !test->is_stopped) {
            stop_all(test, strsignal(got));
        } else if (!test->is_stopped && now() - progress->begin > test->time_limit) {
            stop_all(test, "the time is over");
        } else if (now() - progress->said > SILENCE) {
            say_running(test, progress);
        }
        start_some(test, progress);
    }
}

void selftest_run(struct selftest *test)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    struct progress progress = {.begin = now(), .said = now()};
    start_some(test, &progress);
    watch(test, &signals, &progress);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
