// What the passes need of memory grows with the kernel, not with its square: what is kept for a loop, a block or a call
// must not be as large as the whole kernel.
#include "analyse_case.h"

typedef void write_part(struct str *out, int number);

struct shape {
    const char *head;
    write_part *part;
    const char *tail;
};

// Bytes of the arena after offloading a kernel of so many parts.
static double bytes_of(const struct shape *shape, int count)
{
    struct analyse_case c;
    struct arena texts;
    struct str text;
    arena_init(&texts);
    str_init(&text, &texts);
    str_printf(&text, "%s", shape->head);
    for (int i = 0; i < count; i++) {
        shape->part(&text, i);
    }
    str_printf(&text, "%s", shape->tail);
    double bytes = 0;
    if (analyse_text(&c, str_text(&text))) {
        CHECK(offload_module(c.module) != NULL);
        bytes = (double)c.arena.used_size;
    }
    arena_finish(&c.arena);
    arena_finish(&texts);
    return bytes;
}

// Vectors double, so that four times the parts may need somewhat more than four times the memory. Squares would need
// sixteen times as much.
static void check_growth(const struct shape *shape, int count)
{
    double some = bytes_of(shape, count), more = bytes_of(shape, 4 * count);
    if (CHECK(some > 0) && more > 6 * some) {
        FAIL("%.0f bytes for %d parts, %.0f for %d", some, count, more, 4 * count);
    }
}

static void one_loop(struct str *out, int number)
{
    str_printf(out, "for (int i = %d; i < n; i++) { a[i] = b[i] * %d; }\n", number % 3, number);
}

TEST(memory_grows_with_the_loops_of_a_kernel)
{
    check_growth(&(struct shape){"kernel void f(int n, float a[n], float b[n]) {\n", one_loop, "}\n"}, 200);
}

static void one_branch(struct str *out, int number)
{
    str_printf(out, "int v%d = i; if (a[i] > %d) { v%d = %d; } a[i] += v%d;\n", number, number, number, number, number);
}

TEST(memory_grows_with_the_branches_of_a_loop)
{
    check_growth(
        &(struct shape){"kernel void f(int n, int a[n]) { for (int i = 0; i < n; i++) {\n", one_branch, "}}\n"}, 200);
}

static void one_call(struct str *out, int number)
{
    str_printf(out, "move(&a[i], %d);\n", number);
}

TEST(memory_grows_with_the_calls_in_a_loop)
{
    static const char head[] = "static void move(int *p, int by) { for (int j = 0; j < 3; j++) { *p += by * j; } }\n"
                               "kernel void f(int n, int a[n]) { for (int i = 0; i < n; i++) {\n";
    check_growth(&(struct shape){head, one_call, "}}\n"}, 50);
}

// Pairs of blocks are compared one by one; that must leave nothing behind.
static void one_block(struct str *out, int number)
{
    str_printf(out, "stream_parallel { for (int i = %d; i < n; i += 64) { a[i] += %d; } }\n", number, number);
}

TEST(a_pair_of_blocks_needs_no_memory_of_its_own)
{
    struct shape shape = {"kernel void f(int n, int a[n]) {\n", one_block, "}\n"};
    double few = bytes_of(&shape, 4), many = bytes_of(&shape, 64);
    CHECK(few > 0 && many < few + 60 * 65536);
}
