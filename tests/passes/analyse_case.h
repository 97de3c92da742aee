// What the tests of the analysis share: a kernel file is taken through the passes up to the analysis, and its verdicts
// are read back by line.
#ifndef RILL_TESTS_PASSES_ANALYSE_CASE_H
#define RILL_TESTS_PASSES_ANALYSE_CASE_H

#include "analysis/analyse.h"
#include "ir/walk.h"
#include "lang/ast.h"
#include "lang/preprocess.h"
#include "lower/lower.h"
#include "offload/offload.h"
#include "passes/atomics.h"
#include "passes/demote.h"
#include "passes/promote.h"
#include "passes/split_locals.h"
#include "test.h"

#include <dirent.h>

struct analyse_case {
    struct arena arena;
    struct diags diags;
    struct ir_module *module; // NULL after errors
};

static const char *const verdict_names[] = {"none", "in order", "proven", "if", "scatter", "atomics", "pragma"};

// Takes the kernels of a module up to and through the analysis, with a bug planted in it if |bug| is not 0.
static inline void analyse_module(struct analyse_case *c, int bug)
{
    int count = c->module->function_count;
    for (int i = 0; i < count; i++) {
        if (c->module->functions[i]->kind == IR_FUNCTION_HELPER) {
            promote_function(c->module, c->module->functions[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        struct ir_function *kernel = c->module->functions[i];
        if (kernel->kind == IR_FUNCTION_KERNEL) {
            promote_function(c->module, kernel);
            split_locals(c->module, kernel, &c->diags);
            demote_function(c->module, kernel);
            analyse_with_bug(c->module, kernel, &c->diags, bug);
            atomics_set(c->module, kernel, &c->diags);
            analyse_effects(c->module, kernel, &c->diags);
        }
    }
}

static inline bool analyse_tokens(struct analyse_case *c, const char *name, const char *text, size_t length, int bug,
                                  int inline_weight)
{
    struct preprocess_options options = {0};
    struct token_list tokens = {0};
    struct lower_options lower = {.contract = true, .inline_weight = inline_weight};
    diags_init(&c->diags, &c->arena);
    c->module = NULL;
    preprocess(&c->arena, &c->diags, name, text, length, &options, &tokens);
    struct unit *unit = parse_unit(&c->arena, &c->diags, &tokens);
    struct ir_module *module =
        unit != NULL && c->diags.error_count == 0 ? lower_unit(&c->arena, &c->diags, unit, &lower) : NULL;
    if (c->diags.error_count > 0) {
        struct str rendered;
        str_init(&rendered, &c->arena);
        diags_render_all(&c->diags, false, &rendered);
        return FAIL("%s:\n%s", name, str_text(&rendered));
    }
    c->module = module;
    analyse_module(c, bug);
    return c->diags.error_count == 0;
}

static inline bool analyse_file(struct analyse_case *c, const char *path, int bug, int inline_weight)
{
    arena_init(&c->arena);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return FAIL("%s is missing", path);
    }
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = arena_alloc(&c->arena, length + 1);
    length = fread(text, 1, length, file);
    fclose(file);
    return analyse_tokens(c, path, text, length, bug, inline_weight);
}

// The text's first line is line 1. Helpers heavier than |inline_weight| are called.
static inline bool analyse_text_calling(struct analyse_case *c, const char *text, int inline_weight)
{
    arena_init(&c->arena);
    char *whole = arena_printf(&c->arena, "#include <rill/kernel.h>\n#line 1\n%s", text);
    return analyse_tokens(c, "test.c", whole, strlen(whole), 0, inline_weight);
}

static inline bool analyse_text(struct analyse_case *c, const char *text)
{
    return analyse_text_calling(c, text, 0);
}

struct find_loop {
    uint32_t line;
    struct ir_inst *found;
};

static inline bool is_loop_at(struct ir_inst *inst, void *user)
{
    struct find_loop *find = user;
    if (inst->op == IR_OP_FOR && inst->loc.line == find->line) {
        find->found = inst;
        return false;
    }
    return true;
}

// The `for` on a line; NULL if there is none.
static inline struct ir_inst *loop_at(const struct analyse_case *c, uint32_t line)
{
    struct find_loop find = {.line = line};
    for (int i = 0; i < c->module->function_count && find.found == NULL; i++) {
        if (c->module->functions[i]->kind == IR_FUNCTION_KERNEL) {
            walk_region(&c->module->functions[i]->body, is_loop_at, &find);
        }
    }
    return find.found;
}

static inline const struct ir_scalar_role *role_of(const struct ir_inst *loop, const char *name)
{
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (strcmp(loop->loop->roles[i].var->name, name) == 0) {
            return &loop->loop->roles[i];
        }
    }
    return NULL;
}

#endif
