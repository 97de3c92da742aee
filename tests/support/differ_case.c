#include "differ_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct differ_type types[] = {
    {"bool", RILL_BOOL, 1, false, true}, {"i8", RILL_I8, 1, false, false},   {"u8", RILL_U8, 1, false, true},
    {"i16", RILL_I16, 2, false, false},  {"u16", RILL_U16, 2, false, true},  {"i32", RILL_I32, 4, false, false},
    {"u32", RILL_U32, 4, false, true},   {"i64", RILL_I64, 8, false, false}, {"u64", RILL_U64, 8, false, true},
    {"f32", RILL_F32, 4, true, false},   {"f64", RILL_F64, 8, true, false},  {"bytes", RILL_RECORD, 1, false, true},
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

static void put(const struct differ_buffer *b, uint64_t at, int64_t value)
{
    unsigned char *to = b->start + at * (uint64_t)b->type->size;
    float f32 = (float)value;
    double f64 = (double)value;
    if (b->type->type == RILL_F32) {
        memcpy(to, &f32, sizeof f32);
    } else if (b->type->type == RILL_F64) {
        memcpy(to, &f64, sizeof f64);
    } else {
        memcpy(to, &value, (size_t)b->type->size);
    }
}

static void fill(const struct differ_buffer *b, int number, bool is_perm, int64_t low, int64_t high)
{
    uint64_t *order = calloc(b->count + 1, sizeof *order);
    for (uint64_t i = 0; i < b->count; i++) {
        order[i] = i;
        put(b, i, low + (int64_t)(mix(i * 64 + (uint64_t)number) % (uint64_t)(high - low + 1)));
    }
    for (uint64_t i = b->count; is_perm && i > 1; i--) {
        uint64_t k = mix(i * 64 + (uint64_t)number) % i;
        uint64_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (uint64_t i = 0; is_perm && i < b->count; i++) {
        put(b, i, (int64_t)order[i]);
    }
    free(order);
}

// Each is less than its place, and never negative: the parents of a tree whose root is the first.
static void fill_below(const struct differ_buffer *b, int number)
{
    for (uint64_t i = 0; i < b->count; i++) {
        put(b, i, i == 0 ? 0 : (int64_t)(mix(i * 64 + (uint64_t)number) % i));
    }
}

// One float in eight is a NaN or an infinity.
static void fill_special(const struct differ_buffer *b, int number)
{
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t x = mix(i * 64 + (uint64_t)number + 7777);
        double f64 = x % 8 != 0 ? 0 : x % 3 == 0 ? (double)NAN : x % 3 == 1 ? (double)INFINITY : -(double)INFINITY;
        float f32 = (float)f64;
        if (x % 8 == 0) {
            memcpy(b->start + i * (uint64_t)b->type->size, b->type->size == 8 ? (void *)&f64 : (void *)&f32,
                   (size_t)b->type->size);
        }
    }
}

// Structs of the generator: int a; float b; short c[2].
static void fill_points(const struct differ_buffer *b, int number)
{
    for (uint64_t i = 0; i + 12 <= b->count; i += 12) {
        uint64_t x = mix(i * 64 + (uint64_t)number);
        int32_t a = (int32_t)(x % 100);
        float f = (float)(x >> 8 & 15) - 8;
        int16_t c[2] = {(int16_t)(x >> 12 & 63), (int16_t)(x >> 20)};
        memcpy(b->start + i, &a, sizeof a);
        memcpy(b->start + i + 4, &f, sizeof f);
        memcpy(b->start + i + 8, c, sizeof c);
    }
}

static bool read_buffer(struct differ_case *c, const char *line)
{
    struct differ_buffer *b = &c->buffers[c->buffer_count];
    char type[16];
    char how[16];
    unsigned long long count;
    long long low;
    long long high;
    if (sscanf(line, "//@ buffer %15s %15s %llu %15s %lld %lld", b->name, type, &count, how, &low, &high) != 6 ||
        high < low || count > 1u << 24) {
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        b->type = strcmp(types[i].name, type) == 0 ? &types[i] : b->type;
    }
    if (b->type == NULL) {
        return false;
    }
    b->count = count;
    size_t size = (size_t)count * (size_t)b->type->size;
    b->start = calloc(1, size + 64);
    b->now = aligned_alloc(64, (size + 127) / 64 * 64);
    fill(b, c->buffer_count, strcmp(how, "perm") == 0, low, high);
    if (strcmp(how, "special") == 0) {
        fill_special(b, c->buffer_count);
    }
    if (strcmp(how, "below") == 0) {
        fill_below(b, c->buffer_count);
    }
    if (strcmp(how, "points") == 0) {
        fill_points(b, c->buffer_count);
    }
    c->buffer_count++;
    return true;
}

static int find_buffer(const struct differ_case *c, const char *name)
{
    for (int i = 0; i < c->buffer_count; i++) {
        if (strcmp(c->buffers[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_arg(struct differ_case *c, const char *line)
{
    struct differ_arg *arg = &c->args[c->arg_count++];
    char name[16];
    unsigned long long offset;
    unsigned long long count;
    long long number;
    if (sscanf(line, "//@ int %lld", &number) == 1) {
        *arg = (struct differ_arg){.kind = DIFFER_INT, .i = number};
    } else if (sscanf(line, "//@ float %lf", &arg->f) == 1) {
        arg->kind = DIFFER_FLOAT;
    } else if (sscanf(line, "//@ array %15s %llu %llu", name, &offset, &count) == 3) {
        *arg =
            (struct differ_arg){.kind = DIFFER_ARRAY, .buffer = find_buffer(c, name), .offset = offset, .count = count};
        return arg->buffer >= 0 && offset + count <= c->buffers[arg->buffer].count;
    } else if (sscanf(line, "//@ struct %15s", name) == 1) {
        *arg = (struct differ_arg){.kind = DIFFER_STRUCT, .buffer = find_buffer(c, name)};
        return arg->buffer >= 0;
    } else {
        return false;
    }
    return true;
}

bool differ_case_read(struct differ_case *c, const char *text, struct str *out_why)
{
    *c = (struct differ_case){.text = text};
    arena_init(&c->arena);
    for (const char *line = text; *line != '\0';) {
        bool ok = strncmp(line, "//@ ", 4) != 0 || c->buffer_count + 1 >= DIFFER_MAX ||
                  c->arg_count + 1 >= DIFFER_MAX ||
                  (strncmp(line, "//@ buffer", 10) == 0 ? read_buffer(c, line) : read_arg(c, line));
        if (!ok) {
            str_printf(out_why, "the comment is not understood: %.*s\n", (int)strcspn(line, "\n"), line);
            return false;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return true;
}

void differ_case_reset(struct differ_case *c)
{
    for (int i = 0; i < c->buffer_count; i++) {
        memcpy(c->buffers[i].now, c->buffers[i].start, (size_t)c->buffers[i].count * (size_t)c->buffers[i].type->size);
    }
}

void differ_case_finish(struct differ_case *c)
{
    for (int i = 0; i < c->buffer_count; i++) {
        free(c->buffers[i].start);
        free(c->buffers[i].now);
    }
    arena_finish(&c->arena);
}
