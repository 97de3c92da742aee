// The keys of entries. That of an image is a digest of everything that tells one compile from another before it is
// begun. Each field has its length before it, so that no two lists of fields look alike; a text that is missing is not
// one that is empty.
//
// Files that a source includes are not in the key: which those are is known when it was compiled, and so they stand in
// the entry.
#include "base/blake2.h"
#include "runtime/cache.h"

#include <cpuid.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

static void add_bytes(struct blake2 *hash, const void *bytes, size_t size)
{
    uint64_t length = size;
    blake2_add(hash, &length, sizeof length);
    blake2_add(hash, bytes, size);
}

static void add_text(struct blake2 *hash, const char *text)
{
    unsigned char is_there = text != NULL;
    blake2_add(hash, &is_there, 1);
    add_bytes(hash, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void add_number(struct blake2 *hash, int64_t number)
{
    add_bytes(hash, &number, sizeof number);
}

static void add_pairs(struct blake2 *hash, const struct compiler_name_value *pairs, int count)
{
    add_number(hash, count);
    for (int i = 0; i < count; i++) {
        add_text(hash, pairs[i].name);
        add_text(hash, pairs[i].value);
    }
}

// Which registers of which leaf say what a processor can do. The others say which of its cores was asked.
struct cpu_leaf {
    unsigned leaf, part;
    bool has_a, has_b, has_c, has_d;
};

static const struct cpu_leaf cpu_leaves[] = {
    {0, 0, true, true, true, true},            // the vendor
    {1, 0, true, false, true, true},           // the model
    {7, 0, true, true, true, true},            //
    {7, 1, true, true, true, true},            //
    {0xd, 1, true, false, false, false},       // how registers are saved
    {0x19, 0, false, true, false, false},      // keys
    {0x24, 0, false, true, false, false},      // AVX10
    {0x80000001, 0, false, false, true, true}, //
    {0x80000008, 0, false, true, false, false},
};

// The features that the system has switched on.
static uint64_t enabled_state(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void add_processor(struct blake2 *hash)
{
    enum { OSXSAVE = 1 << 27 };
    for (size_t i = 0; i < sizeof cpu_leaves / sizeof cpu_leaves[0]; i++) {
        const struct cpu_leaf *leaf = &cpu_leaves[i];
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (__get_cpuid_max(leaf->leaf & 0x80000000, NULL) >= leaf->leaf) {
            __cpuid_count(leaf->leaf, leaf->part, a, b, c, d);
        }
        const unsigned kept[] = {leaf->has_a ? a : 0, leaf->has_b ? b : 0, leaf->has_c ? c : 0, leaf->has_d ? d : 0};
        add_bytes(hash, kept, sizeof kept);
        if (leaf->leaf == 1) {
            add_number(hash, (c & OSXSAVE) != 0 ? (int64_t)enabled_state() : 0);
        }
    }
}

void cache_key_of_processor(struct cache_key *out_key)
{
    struct blake2 hash;
    blake2_init(&hash, sizeof out_key->bytes);
    add_text(&hash, "processor");
    add_processor(&hash);
    blake2_finish(&hash, out_key->bytes);
}

// Whoever adds a field that the compiler looks at adds it to the key.
_Static_assert(sizeof(struct compiler_input) == 112, "all but emit, after and sanitize are in the key of an image");

void cache_key_of_binary(const struct backend_binary_key *binary, struct cache_key *out_key)
{
    struct blake2 hash;
    blake2_init(&hash, sizeof out_key->bytes);
    add_text(&hash, "binary");
    add_text(&hash, binary->maker);
    add_bytes(&hash, binary->code, binary->size);
    blake2_finish(&hash, out_key->bytes);
}

void cache_key_of_image(const struct cache_builds *builds, const char *device, const struct compiler_input *input,
                        struct cache_key *out_key)
{
    struct blake2 hash;
    blake2_init(&hash, sizeof out_key->bytes);
    add_text(&hash, "image");
    add_bytes(&hash, builds->runtime.bytes, sizeof builds->runtime.bytes);
    add_bytes(&hash, builds->compiler.bytes, sizeof builds->compiler.bytes);
    add_text(&hash, gnu_get_libc_version()); // which math routines work on vectors
    add_processor(&hash);
    add_text(&hash, device);
    add_text(&hash, input->target);
    add_number(&hash, input->contract_off);
    add_number(&hash, input->check_bounds);
    add_number(&hash, input->check_races);
    add_number(&hash, input->fast_math);
    add_number(&hash, input->color); // of the diagnostics
    add_number(&hash, input->stand_in);
    add_text(&hash, getenv("RILL_VERIFY")); // which the compiler reads
    add_pairs(&hash, input->defines, input->define_count);
    add_number(&hash, input->include_dir_count);
    for (int i = 0; i < input->include_dir_count; i++) {
        add_text(&hash, input->include_dirs[i]);
    }
    add_pairs(&hash, input->headers, input->header_count);
    add_text(&hash, input->path);
    add_bytes(&hash, input->text, input->length);
    blake2_finish(&hash, out_key->bytes);
}
