// BLAKE2b against the example of RFC 7693 and against digests that Python's hashlib gives, at the lengths where a block
// is nearly full, full, and one byte over.
#include "base/blake2.h"
#include "test.h"

static const char *hash_of(const void *bytes, size_t size, size_t digest_size, size_t step)
{
    static char text[2 * BLAKE2_MAX_SIZE + 1];
    unsigned char digest[BLAKE2_MAX_SIZE];
    struct blake2 state;
    blake2_init(&state, digest_size);
    for (size_t at = 0; at < size; at += step) {
        blake2_add(&state, (const char *)bytes + at, at + step < size ? step : size - at);
    }
    blake2_finish(&state, digest);
    for (size_t i = 0; i < digest_size; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    return text;
}

TEST(digest_of_abc_is_that_of_the_rfc)
{
    CHECK_STR(hash_of("abc", 3, 64, 3), "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                                        "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(digests_of_many_lengths_are_those_of_another_implementation)
{
    static const struct {
        size_t size;
        const char *digest;
    } known[] = {
        {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
        {1, "ee155ace9c40292074cb6aff8c9ccdd273c81648ff1149ef36bcea6ebb8a3e25"},
        {3, "e43d000b0a37d6fcddcd15640107181a908675e1820dd5ae307155ffff196ba5"},
        {127, "3b03a73c3c02e3eef11be3e2e16c12ccf6090dea00aa861ded320910892e13ac"},
        {128, "6b89237e0a469a721c700b8bbcb51b6231c48e71ff023e0e3444ec84882ae32e"},
        {129, "524a9dc9d008a9ce1d9d2a111bcd10d2461a02dadf30ec5a47225501608a87eb"},
        {255, "c00ba3c990ad9e1b4ebb2fb2127b74f642b2a888b985be208f7a65ad4db0a6fc"},
        {256, "e7001e3026924e6650fcd5b274bc3ddf556a6c7fedfe038383c0f4ad5f26cfc9"},
        {257, "080f7f2ee61cc8ffcf2ad907f7a9824a8445c5e4b194a0106c65f9b9c1ea6787"},
        {1024, "7c4495667acae68d40781f4b8746286697a05ea071ae816beb4d738170aee2fc"},
    };
    unsigned char text[1024];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (unsigned char)(i * 7 + 1);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CHECK_STR(hash_of(text, known[i].size, 32, 1024), known[i].digest);
        CHECK_STR(hash_of(text, known[i].size, 32, 1), known[i].digest); // however it is cut
        CHECK_STR(hash_of(text, known[i].size, 32, 37), known[i].digest);
    }
}
