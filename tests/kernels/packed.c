// Structs that are less aligned than their members, reached through pointers of which the compiler knows nothing: what
// they hold is found where it is, on devices that take no access at an odd address too.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

struct natural {
    int32_t x;
    int16_t y;
};

#pragma pack(push, 1)
struct tight {
    uint8_t tag;
    int32_t value;
    int64_t wide;
    float ratio;
    int16_t list[3];
    struct natural inner;
    unsigned low : 3;
    unsigned high : 13;
};
#pragma pack(2)
struct pairs {
    char tag;
    int32_t value;
    double wide;
};
#pragma pack(pop)

struct holder {
    int32_t count;
    char pad;
    struct tight tight;
};

struct tight tights[4];
struct tight *const at[2] = {&tights[1], &tights[3]};
struct tight *moving = &tights[2];
struct pairs pairs[3];
struct pairs *odd = &pairs[1];
struct holder holders[2];
struct holder *held = &holders[1];

// run: whole_structs n=4
#pragma rill single
kernel int64_t whole_structs(int n, int64_t out[n])
{
    struct tight t = {1, 228319575, -5000000000, 0.5f, {1, -2, 3}, {7, 8}, 5, 4000};
    *moving = t;
    *at[1] = *moving;
    *at[0] = (struct tight){.wide = 77};
    out[0] = moving->value;
    out[1] = at[1]->wide;
    out[2] = at[0]->wide + at[0]->value;
    out[3] = at[1]->inner.x * 100 + at[1]->inner.y;
    return at[1]->low * 10000 + at[1]->high;
}

// run: members_of_tight n=8
#pragma rill single
kernel int64_t members_of_tight(int n, int64_t out[n])
{
    moving->value = -3;
    moving->wide = 1LL << 40;
    moving->ratio = 2.5f;
    moving->high = 1234;
    moving->low = 6;
    for (int i = 0; i < 3; i++) {
        moving->list[i] = (int16_t)(i * 1000);
        moving->list[i] -= 7;
    }
    moving->value += 10;
    moving->wide >>= 3;
    moving->ratio *= 4;
    struct natural inner = moving->inner;
    inner.x += 5;
    moving->inner = inner;
    moving->inner.y--;
    out[0] = moving->value;
    out[1] = moving->wide;
    out[2] = (int64_t)moving->ratio;
    out[3] = moving->list[0] + moving->list[1] + moving->list[2];
    out[4] = moving->inner.x;
    out[5] = moving->inner.y;
    out[6] = moving->low;
    out[7] = moving->high;
    return sizeof *moving;
}

// run: two_byte_pairs
#pragma rill single
kernel double two_byte_pairs(void)
{
    odd->value = 70000;
    odd->wide = 0.25;
    odd->wide += odd->value;
    struct pairs copy = *odd;
    odd[1] = copy;
    return odd[1].wide + odd[1].value;
}

// run: tight_in_natural
#pragma rill single
kernel int64_t tight_in_natural(void)
{
    held->count = 3;
    held->tight.value = 1000000;
    held->tight.wide = held->tight.value * (int64_t)held->count;
    struct tight t = held->tight;
    t.list[1] = 4;
    held->tight = t;
    return held->tight.wide + held->tight.list[1];
}

static int64_t depths(const struct tight *t, int k)
{
    return k == 0 ? t->wide + t->list[2] : k == 1 ? t->value : k == 2 ? t->inner.x : (int64_t)t->ratio;
}

static void refill(struct tight *t, int k)
{
    t->value = k;
    t->wide = k * 3;
    t->list[2] = (int16_t)k;
    t->inner.x = -k;
    t->ratio = (float)k;
}

// run: tight_elements n=100
kernel void tight_elements(int n, unsigned char raw[33 * n], int64_t out[n])
{
    for (int i = 0; i < n; i++) {
        refill((struct tight *)&raw[33 * i], i);
        out[i] = depths((struct tight *)&raw[33 * i], i % 4);
    }
}

// A value is read from bytes at any address by memcpy.
static int32_t word_at(const unsigned char *bytes)
{
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

unsigned char stream[64];
unsigned char *cursor = &stream[5];

// run: words_of_bytes n=64
#pragma rill single
kernel int64_t words_of_bytes(int n, const unsigned char a[n])
{
    int64_t sum = 0;
    for (int i = 0; i + 4 <= n; i += 3) {
        sum += word_at(&a[i]);
    }
    int32_t word = 123456789;
    memcpy(cursor, &word, sizeof word);
    memcpy(cursor + 5, cursor, sizeof word);
    return sum + word_at(cursor + 5);
}

// Not atomic at an odd address: these run in order.
// run: counted_in_tight n=1000
kernel int64_t counted_in_tight(int n, const int a[n])
{
    for (int i = 0; i < n; i++) {
        tights[a[i] & 3].value += a[i];
    }
    for (int i = 0; i < n; i++) {
        tights[2].wide += a[i];
        pairs[1].value = pairs[1].value < a[i] ? a[i] : pairs[1].value;
    }
    return tights[0].value + tights[1].value * 3 + tights[2].value * 5 + tights[2].wide + pairs[1].value;
}

// Of a local they are sums like any other.
// run: summed_in_a_local n=1000
kernel int64_t summed_in_a_local(int n, const int a[n])
{
    struct tight t = {0};
    for (int i = 0; i < n; i++) {
        t.value += a[i];
        t.wide += a[i] * 3;
    }
    return t.value + t.wide;
}

// The pragma is no word for what cannot be done: in order too, with a warning.
// run: counted_by_the_pragma n=1000
kernel int64_t counted_by_the_pragma(int n, const int a[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        tights[a[i] & 3].value += 1;
    }
    return tights[0].value + tights[1].value + tights[2].value + tights[3].value;
}

#pragma pack(push, 1)
struct single {
    int64_t wide;
};
#pragma pack(pop)
struct around {
    int32_t a, b;
    struct single single;
    int32_t end;
};
struct around arounds[4];
static struct around *const around_at[4] = {&arounds[0], &arounds[1], &arounds[2], &arounds[3]};

static int64_t sum_of(const struct around *at)
{
    struct around copy = *at;
    return copy.single.wide * 3 + copy.a;
}

// run: copied_around n=8
kernel int64_t copied_around(int n, const int a[n])
{
    int64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        arounds[i].single.wide = a[i];
        arounds[i].a = i;
    }
    for (int i = 0; i < n; i++) {
        sum += sum_of(around_at[i & 3]);
    }
    return sum;
}

// A type may be less aligned too.
typedef int32_t loose __attribute__((aligned(1)));
struct loose_pair {
    loose value;
    char tag;
};
static unsigned char *const byte_at[4] = {&stream[1], &stream[7], &stream[13], &stream[22]};

static int32_t loose_at(const loose *at)
{
    return *at;
}

// run: loose_types n=8
kernel int32_t loose_types(int n, const int a[n])
{
    int32_t sum = 0;
    for (int i = 0; i < 64; i++) {
        stream[i] = (unsigned char)(i * 3 + a[0]);
    }
    for (int i = 0; i < n; i++) {
        sum += loose_at((const loose *)byte_at[i & 3]);
    }
#pragma rill single
    for (int i = 0; i < 4; i++) {
        struct loose_pair *pair = (struct loose_pair *)byte_at[i];
        sum += pair->value;
        pair->value = i;
    }
    return sum + stream[1] + stream[22];
}

// Arrays that are no whole number of what is read there, by pointers out of a table.
// run: odd_lengths p=10 q=10 k=1
#pragma rill single
kernel int32_t odd_lengths(char *p, char *q, int k)
{
    char *both[2] = {p, q};
    char *x = both[k & 1];
    int32_t value;
    memcpy(&value, x + 6, sizeof value);
    memcpy(x + 2, &value, sizeof value);
    return value;
}
