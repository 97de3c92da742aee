// The test runner, one header. A test file includes it, writes TEST(name_that_claims) { ... } any number of times, and
// is an executable: the runner's main() comes from here.
//
//   program             runs every test, in the order of the file
//   program some other  runs the tests whose name contains one of the words
//   program --list      prints the names
//
// Each test prints one line: "ok name", "FAIL name file:line" or "skip name: why"; the last line gives the counts. The
// exit status is 0 only if nothing failed. A check that fails is printed at once and the test goes on, so that one run
// shows everything; every CHECK is also an expression that says whether it held, and REQUIRE ends the test.
//
// A test that runs longer than RILL_TEST_TIMEOUT seconds (120 if unset) ends the program by SIGALRM; with
// RILL_TEST_PROGRESS set each test is announced before it runs, so that whoever watches knows which one it was.
//
// Everything here is weak, so that several files of one program may include the header and share one runner.
#ifndef RILL_TESTS_SUPPORT_TEST_H
#define RILL_TESTS_SUPPORT_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_WEAK __attribute__((weak))

struct test_case {
    const char *name;
    void (*body)(void);
    struct test_case *next;
};

struct test_run {
    struct test_case *first, *last;
    struct test_case *current;
    const char *failed_file; // where the first check of the current test failed; NULL while none has
    int failed_line;
    const char *skip_reason;
    jmp_buf leave; // REQUIRE and SKIP end the test from any depth, on the test's own thread
};

TEST_WEAK struct test_run test_run;

TEST_WEAK void test_register(struct test_case *test)
{
    if (test_run.last != NULL) {
        test_run.last->next = test;
    } else {
        test_run.first = test;
    }
    test_run.last = test;
}

__attribute__((format(printf, 3, 4))) TEST_WEAK bool test_failed(const char *file, int line, const char *format, ...)
{
    if (test_run.failed_file == NULL) {
        test_run.failed_file = file;
        test_run.failed_line = line;
    }
    printf("  %s:%d: ", file, line);
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return false;
}

TEST_WEAK bool test_check(bool holds, const char *text, const char *file, int line)
{
    return holds || test_failed(file, line, "does not hold: %s", text);
}

TEST_WEAK bool test_check_int(long long actual, long long expected, const char *text, const char *file, int line)
{
    return actual == expected || test_failed(file, line, "%s is %lld, expected %lld", text, actual, expected);
}

TEST_WEAK bool test_check_uint(unsigned long long actual, unsigned long long expected, const char *text,
                               const char *file, int line)
{
    return actual == expected || test_failed(file, line, "%s is %llu (0x%llx), expected %llu (0x%llx)", text, actual,
                                             actual, expected, expected);
}

TEST_WEAK bool test_check_str(const char *actual, const char *expected, const char *text, const char *file, int line)
{
    if (actual == NULL || expected == NULL) {
        return actual == expected ||
               test_failed(file, line, "%s is %s, expected %s", text, actual == NULL ? "NULL" : actual,
                           expected == NULL ? "NULL" : expected);
    }
    return strcmp(actual, expected) == 0 ||
           test_failed(file, line, "%s is\n    \"%s\"\n  expected\n    \"%s\"", text, actual, expected);
}

TEST_WEAK bool test_check_contains(const char *actual, const char *part, const char *text, const char *file, int line)
{
    return (actual != NULL && strstr(actual, part) != NULL) ||
           test_failed(file, line, "%s is\n    \"%s\"\n  which does not contain\n    \"%s\"", text,
                       actual == NULL ? "(null)" : actual, part);
}

TEST_WEAK bool test_check_near(double actual, double expected, double tolerance, const char *text, const char *file,
                               int line)
{
    bool same = actual == expected || (isnan(actual) && isnan(expected)) || fabs(actual - expected) <= tolerance;
    return same || test_failed(file, line, "%s is %.17g, expected %.17g within %g", text, actual, expected, tolerance);
}

TEST_WEAK bool test_check_mem(const void *actual, const void *expected, size_t size, const char *text, const char *file,
                              int line)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char a = ((const unsigned char *)actual)[i], b = ((const unsigned char *)expected)[i];
        if (a != b) {
            return test_failed(file, line, "%s: byte %zu of %zu is 0x%02x, expected 0x%02x", text, i, size, a, b);
        }
    }
    return true;
}

TEST_WEAK void test_leave(const char *skip_reason)
{
    test_run.skip_reason = skip_reason;
    longjmp(test_run.leave, 1);
}

#define TEST(name)                                                                                                     \
    static void test_body_##name(void);                                                                                \
    __attribute__((constructor)) static void test_register_##name(void)                                                \
    {                                                                                                                  \
        static struct test_case test = {#name, test_body_##name, NULL};                                                \
        test_register(&test);                                                                                          \
    }                                                                                                                  \
    static void test_body_##name(void)

#define CHECK(condition) test_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, expected)                                                                                    \
    test_check_int((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_UINT(actual, expected)                                                                                   \
    test_check_uint((unsigned long long)(actual), (unsigned long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_STR(actual, expected) test_check_str((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_CONTAINS(actual, part) test_check_contains((actual), (part), #actual, __FILE__, __LINE__)
#define CHECK_NEAR(actual, expected, tolerance)                                                                        \
    test_check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define CHECK_MEM(actual, expected, size) test_check_mem((actual), (expected), (size), #actual, __FILE__, __LINE__)

// Ends the test if the condition does not hold: for what the rest of the test cannot do without.
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!CHECK(condition)) {                                                                                       \
            test_leave(NULL);                                                                                          \
        }                                                                                                              \
    } while (0)

// Fails the test with words, printf style.
#define FAIL(...) test_failed(__FILE__, __LINE__, __VA_ARGS__)

// Ends the test and counts it as skipped, with the reason in the output.
#define SKIP(why) test_leave(why)

enum test_verdict { TEST_PASSED, TEST_FAILED, TEST_SKIPPED, TEST_VERDICT_COUNT };

TEST_WEAK enum test_verdict test_run_one(struct test_case *test, unsigned timeout)
{
    test_run.current = test;
    test_run.failed_file = NULL;
    test_run.skip_reason = NULL;
    if (getenv("RILL_TEST_PROGRESS") != NULL) {
        printf("run %s\n", test->name);
    }
    alarm(timeout);
    if (setjmp(test_run.leave) == 0) {
        test->body();
    }
    alarm(0);
    if (test_run.failed_file != NULL) {
        printf("FAIL %s %s:%d\n", test->name, test_run.failed_file, test_run.failed_line);
        return TEST_FAILED;
    }
    if (test_run.skip_reason != NULL) {
        printf("skip %s: %s\n", test->name, test_run.skip_reason);
        return TEST_SKIPPED;
    }
    printf("ok %s\n", test->name);
    return TEST_PASSED;
}

TEST_WEAK bool test_is_wanted(const struct test_case *test, int word_count, char **words)
{
    for (int i = 0; i < word_count; i++) {
        if (strstr(test->name, words[i]) != NULL) {
            return true;
        }
    }
    return word_count == 0;
}

TEST_WEAK int test_main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // so that what was printed is there after a crash
    setenv("RILL_CACHE", "off", 0);   // nothing depends on what this user has compiled before
    const char *limit = getenv("RILL_TEST_TIMEOUT");
    unsigned timeout = limit != NULL ? (unsigned)strtoul(limit, NULL, 10) : 120;
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    int counts[TEST_VERDICT_COUNT] = {0};
    for (struct test_case *test = test_run.first; test != NULL; test = test->next) {
        if (list) {
            printf("%s\n", test->name);
        } else if (test_is_wanted(test, argc - 1, argv + 1)) {
            counts[test_run_one(test, timeout)]++;
        }
    }
    if (!list) {
        printf("# %d passed, %d failed, %d skipped\n", counts[TEST_PASSED], counts[TEST_FAILED], counts[TEST_SKIPPED]);
    }
    return counts[TEST_FAILED] != 0;
}

// A program with a main() of its own calls test_main() itself.
#ifndef TEST_NO_MAIN
TEST_WEAK int main(int argc, char **argv)
{
    return test_main(argc, argv);
}
#endif

#endif
