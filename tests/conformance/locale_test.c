// A program in a country where numbers have a comma: what Rill reads and writes for machines has points there too. The
// locale is made for the test, where the system can make one.
#include "world.h"

#include <locale.h>

// Makes a locale with a decimal comma in |folder| and sets it; false if that cannot be done here.
static bool set_comma(const char *folder)
{
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\ngrouping 3;3\\nEND LC_NUMERIC\\n' "
        ">def && localedef -c -i ./def -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1; test -f comma/LC_NUMERIC",
        folder);
    if (system(command) != 0) {
        return false;
    }
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_NUMERIC, "comma") != NULL && strcmp(localeconv()->decimal_point, ",") == 0;
}

static char *read_all(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    REQUIRE(text != NULL && file != NULL);
    CHECK(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

// Every number behind |name|: digits, a point, digits, and then no comma but the one of JSON.
static void check_points(const char *text, const char *name)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, name)) != NULL; count++) {
        at += strlen(name);
        size_t whole = strspn(at, "0123456789");
        CHECK(whole > 0 && at[whole] == '.' && strspn(at + whole + 1, "0123456789") == 3);
    }
    CHECK(count > 0);
}

static void run_and_trace(const char *trace)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel double f(int n, float a, double x[n])\n"
                                 "{ double s = 0; for (int i = 0; i < n; i++) { x[i] = a * 1.25e1 + 0.5f; s += x[i]; } "
                                 "return s; }\n";
    struct world world;
    setenv("RILL_TRACE", trace, 1);
    world_open(&world, 2);
    unsetenv("RILL_TRACE");
    rill_module module;
    rill_kernel f;
    double sum = 0;
    OK(rill_module_create(world.context, source, NULL, &module));
    OK(rill_module_kernel(module, "f", &f));
    rill_array x = world_array(&world, RILL_F64, 100);
    OK(rill_call(f, RILL_CURRENT, RILL_ARGS(100, 2.5, x), &sum, sizeof sum));
    CHECK(sum == 100 * (2.5 * 12.5 + 0.5));
    world_close(&world);
}

TEST(numbers_for_machines_have_points_whatever_the_locale)
{
    char folder[] = "/tmp/rill_locale_XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL);
    char path[64];
    snprintf(path, sizeof path, "%s/trace.json", folder);
    bool is_set = set_comma(folder);
    if (is_set) {
        char half[8];
        snprintf(half, sizeof half, "%.1f", 0.5);
        CHECK_STR(half, "0,5");
        run_and_trace(path);
        setlocale(LC_NUMERIC, "C");
        char *text = read_all(path);
        check_points(text, "\"ts\": ");
        check_points(text, "\"dur\": ");
        check_points(text, "\"queued\": ");
        free(text);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
    if (!is_set) {
        SKIP("localedef makes no locale here");
    }
}
