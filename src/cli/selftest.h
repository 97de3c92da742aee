// rill selftest: the programs that it runs, several at once, and what each said. Private to the command.
#ifndef RILL_CLI_SELFTEST_H
#define RILL_CLI_SELFTEST_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { SELFTEST_MAX_PROGRAMS = 64, SELFTEST_MAX_JOBS = 64 };

enum selftest_end {
    SELFTEST_NOT_RUN, // there was no time left for it
    SELFTEST_PASSED,
    SELFTEST_FAILED,  // it said so
    SELFTEST_DIED,    // its exit status is not 0, or a signal ended it, and it said nothing of a failure
    SELFTEST_STOPPED, // by us: the time was over, or the user had enough
    SELFTEST_NO_START,
};

struct selftest_program {
    char name[64];
    pid_t pid;    // 0: it is not running
    FILE *output; // owned: a file without a name, until the program is reported
    double begin; // seconds, of a clock that only goes on
    double seconds;
    enum selftest_end end;
    int status; // as waitpid gives it
    int passed;
    int failed;
    int skipped;
};

struct selftest {
    const char *device;
    const char *report_path; // NULL: none
    char folder[512];        // of the programs
    struct selftest_program programs[SELFTEST_MAX_PROGRAMS];
    int program_count;
    int jobs;       // programs at once
    int time_limit; // seconds, for all of them
    bool is_stopped;
    FILE *report; // NULL: none
};

// Prints to the terminal and to the report, at once: a run that is cut off leaves what it saw.
void selftest_say(struct selftest *test, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Runs all programs and says a line of each when it ends. Ends them when the time is over or a signal comes that would
// end this process; programs that had not ended then say so.
void selftest_run(struct selftest *test);

#endif
