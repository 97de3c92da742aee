// The IR's text form: whatever the text is, reading gives a module or a diagnostic. A module that the verifier accepts
// prints, reads back and prints the same, and the interpreter takes it.
#include "ir/interpret.h"
#include "ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_LIMIT = 1 << 20 };

static bool is_small(const struct ir_module *module)
{
    uint64_t size = 0;
    for (int i = 0; i < module->global_count && size < SIZE_LIMIT; i++) {
        size += module->globals[i]->size < SIZE_LIMIT ? module->globals[i]->size : SIZE_LIMIT;
        size += module->globals[i]->align;
    }
    for (int i = 0; i < module->function_count; i++) {
        for (int k = 0; k < module->functions[i]->var_count && size < SIZE_LIMIT; k++) {
            const struct ir_var *var = module->functions[i]->vars[k];
            size += var->size < SIZE_LIMIT ? var->size : SIZE_LIMIT;
            size += var->align;
        }
    }
    return size < SIZE_LIMIT;
}

static void check_round_trip(struct arena *arena, struct diags *diags, const struct ir_module *module)
{
    struct str first, second;
    str_init(&first, arena);
    str_init(&second, arena);
    ir_print(module, &first);
    const struct ir_module *again = ir_read(arena, diags, str_text(&first));
    if (again != NULL) {
        ir_print(again, &second);
    }
    if (again == NULL || strcmp(str_text(&first), str_text(&second)) != 0) {
        fprintf(stderr, "printed:\n%s\nread back:\n%s\n", str_text(&first), str_text(&second));
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    const char *text = arena_strndup(&arena, (const char *)data, size);
    struct diags diags;
    diags_init(&diags, &arena);
    struct ir_module *module = ir_read(&arena, &diags, text);
    if ((module == NULL) != (diags.error_count > 0)) {
        abort();
    }
    struct str why;
    str_init(&why, &arena);
    if (module != NULL && ir_verify(module, &why)) {
        check_round_trip(&arena, &diags, module);
        if (is_small(module)) {
            interp_destroy(interp_create(module, NULL)); // not run: addresses in it may be any
        }
    }
    arena_finish(&arena);
    return 0;
}
