// The loader on objects made by gcc, whole and damaged.
#include "object/object.h"

#include "base/dylib.h"
#include "base/file.h"
#include "rill/status.h"

#include "test.h"

static const char source[] = "#include <string.h>\n"
                             "double sin(double);\n"
                             "static int hidden = 5;\n"
                             "int counter = 3;\n"
                             "int zeroed[100];\n"
                             "static const int table[4] = {10, 20, 30, 40};\n"
                             "int *const pointer = &counter;\n"
                             "extern int outside;\n"
                             "static int twice(int x) { return 2 * x; }\n"
                             "int (*volatile function)(int) = twice;\n"
                             "int bump(int by) { counter += by; hidden++; zeroed[7] += by; return counter; }\n"
                             "int look(int i) { return table[i & 3] + *pointer + hidden; }\n"
                             "int call(int x) { return function(x) + outside; }\n"
                             "double wave(double x) { return sin(x) + (x > 100 ? sin(2 * x) : 0); }\n"
                             "void copy(void *to, const void *from, unsigned long n) { memcpy(to, from, n); }\n"
                             "const char *text(int i) { switch (i) { case 0: return \"zero\"; case 1: return \"one\";\n"
                             "  case 2: return \"two\"; case 3: return \"three\"; case 4: return \"four\";\n"
                             "  default: return \"many\"; } }\n";

struct bytes {
    char *text;
    size_t size;
};

static bool compile(const char *text, const char *flags, struct bytes *out)
{
    char base[] = "/tmp/rill_object_XXXXXX";
    int fd = mkstemp(base);
    if (fd < 0) {
        return false;
    }
    char path[64];
    char command[512];
    snprintf(path, sizeof path, "%s.o", base);
    bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    snprintf(command, sizeof command, "gcc -x c -c %s -o %s %s 2>/dev/null", flags, path, base);
    ok = ok && system(command) == 0 && file_read("test", path, &out->text, &out->size) == RILL_OK;
    unlink(base);
    unlink(path);
    return ok;
}

static int outside_value = 1000;

static void *resolve(void *user, const char *name)
{
    (void)user;
    if (strcmp(name, "outside") == 0) {
        return &outside_value;
    }
    if (strcmp(name, "sin") == 0) { // named here, so that the program is linked with libm
        union {
            double (*function)(double);
            void *object;
        } cast = {.function = sin};
        return cast.object;
    }
    return strcmp(name, "missing") == 0 ? NULL : dylib_process_symbol(name);
}

static const struct object_options options = {.name = "test object", .resolve = resolve};

#define FUNCTION(object, type, name)                                                                                   \
    union {                                                                                                            \
        void *address;                                                                                                 \
        type;                                                                                                          \
    } name##_cast = {.address = object_symbol((object), #name)};                                                       \
    REQUIRE(name##_cast.address != NULL)

static void run_all(const struct bytes *bytes)
{
    struct object *object;
    if (object_load(bytes->text, bytes->size, &options, &object) != RILL_OK) {
        FAIL("%s", rill_message());
        return;
    }
    FUNCTION(object, int (*f)(int), bump);
    FUNCTION(object, int (*f)(int), look);
    FUNCTION(object, int (*f)(int), call);
    FUNCTION(object, double (*f)(double), wave);
    FUNCTION(object, void (*f)(void *, const void *, unsigned long), copy);
    FUNCTION(object, const char *(*f)(int), text);
    CHECK_INT(bump_cast.f(4), 7);
    CHECK_INT(*(int *)object_symbol(object, "counter"), 7);
    CHECK_INT(((int *)object_symbol(object, "zeroed"))[7], 4);
    CHECK_INT(look_cast.f(2), 30 + 7 + 6);
    CHECK_INT(call_cast.f(21), 1042);
    CHECK_NEAR(wave_cast.f(1.0), sin(1.0), 0);
    char target[4] = "abc";
    copy_cast.f(target, "xyz", 4);
    CHECK_STR(target, "xyz");
    CHECK_STR(text_cast.f(3), "three");
    CHECK_STR(text_cast.f(9), "many");
    CHECK(object_symbol(object, "no_such_name") == NULL);
    object_unload(object);
}

TEST(object_runs_at_every_optimisation_level_and_code_model)
{
    static const char *const flags[] = {"-O0 -fPIC", "-O2 -fPIC", "-O2 -fPIC -fno-plt", "-O2 -g -fPIC",
                                        "-O3 -fPIC -ffunction-sections -fdata-sections"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct bytes bytes;
        REQUIRE(compile(source, flags[i], &bytes));
        run_all(&bytes);
        free(bytes.text);
    }
}

TEST(common_variables_and_edges_of_sections_are_placed)
{
    struct bytes bytes;
    struct object *object;
    REQUIRE(compile("int common[5]; long other;\n"
                    "__attribute__((section(\"mine\"))) int table[3] = {1, 2, 3};\n"
                    "extern int __start_mine[], __stop_mine[];\n"
                    "int f(int x) { common[4] += x; other += x; return common[4] * 100 + (int)other * 10 +\n"
                    "  (int)(__stop_mine - __start_mine); }\n",
                    "-O1 -fPIC -fcommon", &bytes));
    if (object_load(bytes.text, bytes.size, &options, &object) != RILL_OK) {
        FAIL("%s", rill_message());
        return;
    }
    FUNCTION(object, int (*g)(int), f);
    CHECK_INT(f_cast.g(2), 223);
    CHECK_INT(f_cast.g(1), 333);
    object_unload(object);
    free(bytes.text);
}

TEST(two_loads_have_data_of_their_own)
{
    struct bytes bytes;
    REQUIRE(compile(source, "-O1 -fPIC", &bytes));
    struct object *one;
    struct object *two;
    REQUIRE(object_load(bytes.text, bytes.size, &options, &one) == RILL_OK);
    REQUIRE(object_load(bytes.text, bytes.size, &options, &two) == RILL_OK);
    *(int *)object_symbol(one, "counter") = 99;
    CHECK_INT(*(int *)object_symbol(two, "counter"), 3);
    object_unload(one);
    CHECK_INT(*(int *)object_symbol(two, "counter"), 3);
    object_unload(two);
    free(bytes.text);
}

TEST(symbol_that_nobody_defines_is_named)
{
    struct bytes bytes;
    struct object *object;
    REQUIRE(compile("int missing(void); int f(void) { return missing(); }\n", "-O1 -fPIC", &bytes));
    CHECK_INT(object_load(bytes.text, bytes.size, &options, &object), RILL_ERR_NOT_FOUND);
    CHECK(object == NULL);
    CHECK_STR(rill_message(), "test object: nobody defines 'missing'");
    free(bytes.text);
    REQUIRE(compile("__attribute__((weak)) int missing(void); int f(void) { return missing ? 1 : 2; }\n", "-O1 -fPIC",
                    &bytes));
    REQUIRE(object_load(bytes.text, bytes.size, &options, &object) == RILL_OK);
    FUNCTION(object, int (*g)(void), f);
    CHECK_INT(f_cast.g(), 2);
    object_unload(object);
    free(bytes.text);
}

TEST(what_is_not_supported_is_refused_with_words)
{
    struct bytes bytes;
    struct object *object;
    REQUIRE(compile("__thread int x = 1; int f(void) { return x; }\n", "-O1 -fPIC", &bytes));
    CHECK_INT(object_load(bytes.text, bytes.size, &options, &object), RILL_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rill_message(), "thread-local");
    free(bytes.text);
    // Absolute 32-bit addresses do not reach where modern systems place memory.
    REQUIRE(compile("int x; int *f(void) { return &x; }\n", "-O1 -fno-pie -mcmodel=small", &bytes));
    rill_status status = object_load(bytes.text, bytes.size, &options, &object);
    CHECK(status == RILL_ERR_UNSUPPORTED || status == RILL_OK);
    object_unload(object);
    free(bytes.text);
    char text[200] = "this is no object, but it is long enough to be one if nobody looks at it too closely, is it not?";
    CHECK_INT(object_load(text, sizeof text, &options, &object), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "does not begin with the mark of ELF");
}

TEST(object_cut_anywhere_is_refused_or_loads)
{
    struct bytes bytes;
    REQUIRE(compile(source, "-O2 -g -fPIC", &bytes));
    int loaded = 0;
    for (size_t size = 0; size < bytes.size; size++) {
        char *cut = malloc(size > 0 ? size : 1); // of that very size, so that a sanitizer sees a step outside
        memcpy(cut, bytes.text, size);
        struct object *object;
        rill_status status = object_load(cut, size, &options, &object);
        CHECK((status == RILL_OK) == (object != NULL));
        loaded += status == RILL_OK;
        object_unload(object);
        free(cut);
    }
    CHECK_INT(loaded, 0); // the section table is at the end
    free(bytes.text);
}

TEST(object_with_any_byte_changed_is_refused_or_loads)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    struct bytes bytes;
    REQUIRE(compile(source, "-O2 -fPIC", &bytes));
    char *copy = malloc(bytes.size);
    for (size_t at = 0; at < bytes.size; at++) {
        for (int i = 0; i < 3; i++) {
            memcpy(copy, bytes.text, bytes.size);
            copy[at] = (char)(copy[at] ^ changes[i]);
            struct object *object;
            rill_status status = object_load(copy, bytes.size, &options, &object);
            CHECK((status == RILL_OK) == (object != NULL));
            object_unload(object);
        }
    }
    free(copy);
    free(bytes.text);
}

TEST(perf_map_names_functions_when_asked)
{
    struct bytes bytes;
    struct object *object;
    char path[64];
    REQUIRE(compile("int rill_test_function(int x) { return x * 3; }\n", "-O1 -fPIC", &bytes));
    setenv("RILL_PERF", "1", 1);
    rill_status status = object_load(bytes.text, bytes.size, &options, &object);
    unsetenv("RILL_PERF");
    REQUIRE(status == RILL_OK);
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    char *map;
    size_t size;
    REQUIRE(file_read("test", path, &map, &size) == RILL_OK);
    char expected[128];
    snprintf(expected, sizeof expected, "%llx ",
             (unsigned long long)(uintptr_t)object_symbol(object, "rill_test_function"));
    CHECK_CONTAINS(map, expected);
    CHECK_CONTAINS(map, " rill_test_function\n");
    free(map);
    unlink(path);
    object_unload(object);
    free(bytes.text);
}
