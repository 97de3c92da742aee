#include "base/symbol.h"
#include "test.h"

TEST(names_are_spelt_with_what_ptx_has)
{
    char out[64];
    CHECK(symbol_spell("k.3", '$', out, sizeof out));
    CHECK_STR(out, "k$3");
    CHECK(symbol_spell("k.3", '.', out, sizeof out));
    CHECK_STR(out, "k.3");
    CHECK(symbol_spell("gr\xc3\xb6\xc3\x9f"
                       "e_1",
                       '$', out, sizeof out));
    CHECK_STR(out, "gr$$C3$$B6$$C3$$9Fe_1");
    CHECK(symbol_spell("(literal 1)", '$', out, sizeof out));
    CHECK_STR(out, "$$28literal$$201$$29");
}

TEST(a_name_that_has_no_room_is_refused)
{
    const char *name = "\xc3\xa9t\xc3\xa9";
    char out[64];
    for (size_t size = 0; size < 18; size++) {
        CHECK(!symbol_spell(name, '$', out, size));
    }
    CHECK(symbol_size(5) >= 18);
    CHECK(symbol_spell(name, '$', out, symbol_size(5)));
}
