// Any bytes are a source file: the front end must say what is wrong with them and survive. A tree without errors is
// also walked, so that a node that later stages would trip over is found here.
#include "astdump.h"

#include "lang/preprocess.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compile(struct arena *arena, const char *text, size_t length)
{
    struct diags diags;
    diags_init(&diags, arena);
    // A macro that doubles itself is the preprocessor's business; its limit is tested, not waited for.
    struct preprocess_options options = {.no_disk = true, .work_limit = 200000};
    struct token_list tokens = {0};
    preprocess(arena, &diags, "fuzz.c", text, length, &options, &tokens);
    struct unit *unit = parse_unit(arena, &diags, &tokens);
    struct str out;
    str_init(&out, arena);
    diags_render_all(&diags, false, &out);
    if (diags.error_count == 0) {
        astdump_unit(unit, &out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    if (setjmp(escape) == 0) {
        compile(&arena, (const char *)data, size);
    }
    arena_finish(&arena);
    return 0;
}
