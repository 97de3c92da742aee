// Modules: the PTX says which entries and fields there are and how large their parameters are; the object behind it, if
// the image was compiled with stand_in, has the code.
#include "fake.h"

#include "base/symbol.h"
#include "object/object.h"
#include "rill/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resolve(void *user, const char *symbol)
{
    (void)user;
    void *found = NULL;
    if (strcmp(symbol, "rill_stand_in_atomic") == 0) {
        *(void (**)(const void *))&found = fake_check_atomic;
        return found;
    }
    found = dlsym(RTLD_DEFAULT, symbol);
    static void *math;
    if (found == NULL && math == NULL) {
        math = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    }
    return found != NULL || math == NULL ? found : dlsym(math, symbol);
}

static const char binary_mark[] = "rill stand-in binary\n";

// The whole image: text, and the object behind it.
int fake_link_add_locked(struct fake_link *link, const void *code)
{
    size_t offset, size;
    if (sscanf(code, "// rill stand-in %zu %zu", &offset, &size) != 2) {
        fprintf(stderr, "fake driver: the image carries no stand-in code; compile with RILL_STAND_IN=1\n");
        return FAKE_INVALID_IMAGE;
    }
    free(link->binary);
    link->size = sizeof binary_mark - 1 + offset + size;
    link->binary = fake_alloc(link->size + 1);
    memcpy(link->binary, binary_mark, sizeof binary_mark - 1);
    memcpy(link->binary + sizeof binary_mark - 1, code, offset + size);
    return FAKE_OK;
}

int fake_module_load_locked(struct fake_context *context, const void *image, struct fake_module **out_module)
{
    bool is_binary = strncmp(image, binary_mark, sizeof binary_mark - 1) == 0;
    const char *text = (const char *)image + (is_binary ? sizeof binary_mark - 1 : 0);
    const void *bytes = NULL;
    size_t offset, size = 0;
    struct code_object *elf = NULL;
    *out_module = NULL;
    if (strstr(text, "cudaGraphSetConditional") != NULL) { // the driver's own part of conditional nodes
        struct fake_module *module = fake_alloc(sizeof *module);
        module->text = strdup(text);
        fake_add_locked(module, FAKE_MODULE, context);
        *out_module = module;
        return FAKE_OK;
    }
    if (memcmp(text, "\177ELF", 4) == 0) {
        elf = code_object_open(image, &bytes, &size);
    } else if (sscanf(text, "// rill stand-in %zu %zu", &offset, &size) == 2) {
        bytes = text + offset;
    }
    if (bytes == NULL) {
        fprintf(stderr, "fake driver: the image carries no stand-in code; compile with RILL_STAND_IN=1\n");
        free(elf);
        return FAKE_INVALID_IMAGE;
    }
    struct object *code = NULL;
    struct object_options options = {.name = "stand-in", .resolve = resolve};
    if (object_load(bytes, size, &options, &code) != RILL_OK) {
        fprintf(stderr, "fake driver: %s\n", rill_message());
        free(elf);
        return FAKE_INVALID_IMAGE;
    }
    struct fake_module *module = fake_alloc(sizeof *module);
    module->code = code;
    module->elf = elf;
    module->text = elf == NULL ? strdup(text) : NULL;
    fake_add_locked(module, FAKE_MODULE, context);
    *out_module = module;
    return FAKE_OK;
}

static bool is_of(const struct fake_work *work, const struct fake_module *module)
{
    return work->kind == FAKE_OP_KERNEL && work->u.kernel.function->module == module;
}

static void forget_fields(const struct fake_module *module)
{
    for (int i = fake.range_count - 1; i >= 0; i--) {
        struct fake_range *range = fake.ranges[i];
        if (range->kind == FAKE_RANGE_MODULE && range->module == module) {
            fake_memory_forget_locked(range);
        }
    }
}

void fake_module_unload_locked(struct fake_module *module)
{
    for (const struct fake_op *op = fake.pending; op != NULL; op = op->next_pending) {
        if (is_of(&op->work, module)) {
            fake_violation_locked("cuModuleUnload: a kernel of the module is in flight");
            fake_context_wait_locked(module->object.context);
            break;
        }
    }
    forget_fields(module);
    fake_remove_locked(module);
    for (int i = 0; i < module->function_count; i++) {
        fake_remove_locked(module->functions[i]);
    }
    if (module->code != NULL) {
        object_unload(module->code);
    }
    module->code = NULL;
}

// ---- entries --------------------------------------------------------------------------------------------------------

static uint32_t size_of_type(const char *type)
{
    const char *digits = type + strcspn(type, "0123456789");
    return (uint32_t)atoi(digits) / 8;
}

void fake_function_add_param(struct fake_function *f, uint32_t offset, uint32_t size)
{
    f->param_sizes = realloc(f->param_sizes, sizeof *f->param_sizes * (size_t)(f->param_count + 1));
    f->param_offsets = realloc(f->param_offsets, sizeof *f->param_offsets * (size_t)(f->param_count + 1));
    f->param_sizes[f->param_count] = size;
    f->param_offsets[f->param_count++] = offset;
    f->params_size = offset + size;
}

// One ".param .align 16 .b8 name[24]" or ".param .u64 .ptr .global .align 1 name".
static const char *read_param(struct fake_function *f, const char *at)
{
    uint32_t align = 0, size = 0;
    at += strlen(".param");
    while (*at != ',' && *at != ')' && *at != '\0') {
        if (strncmp(at, ".align ", 7) == 0) {
            align = (uint32_t)atoi(at + 7);
            at += 7;
        } else if (*at == '.' && strchr("busf", at[1]) != NULL && at[2] >= '0' && at[2] <= '9') {
            size = size_of_type(at);
        } else if (*at == '[') {
            size *= (uint32_t)atoi(at + 1);
        }
        at++;
    }
    if (size <= 8 && size > 0) {
        align = size; // .align may be that of what a pointer points at
    }
    align = align == 0 ? 1 : align;
    fake_function_add_param(f, (f->params_size + align - 1) / align * align, size);
    return at;
}

static bool read_params(struct fake_function *f)
{
    if (f->module->elf != NULL) {
        return code_object_params(f->module->elf, f);
    }
    char head[300];
    snprintf(head, sizeof head, ".entry %s(", f->name);
    const char *at = strstr(f->module->text, head);
    if (at == NULL) {
        return false;
    }
    at += strlen(head);
    while (*at != ')' && *at != '\0') {
        at = strncmp(at, ".param", 6) == 0 ? read_param(f, at) : at + 1;
    }
    return true;
}

struct fake_function *fake_module_function_locked(struct fake_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i]->name, name) == 0) {
            return module->functions[i];
        }
    }
    struct fake_function *f = fake_alloc(sizeof *f);
    f->module = module;
    f->name = strdup(name);
    char symbol[300]; // the stand-in code has PTX's names
    if (!symbol_spell(name, '$', symbol, sizeof symbol)) {
        f->entry = NULL;
    } else if (module->code != NULL) {
        *(void **)&f->entry = object_symbol(module->code, symbol);
    } else if (strcmp(name, "rill$condition") == 0) {
        f->entry = fake_condition_entry;
    } else if (strcmp(name, "rill$again") == 0) {
        f->entry = fake_again_entry;
    }
    if (!read_params(f) || f->entry == NULL) {
        free(f->name);
        free(f);
        return NULL;
    }
    fake_add_locked(f, FAKE_FUNCTION, module->object.context);
    f->object.is_internal = true;
    module->functions = realloc(module->functions, sizeof *module->functions * (size_t)(module->function_count + 1));
    module->functions[module->function_count++] = f;
    return f;
}

// ".visible .global .align 4 .b8 name[4];": the size is that of the declaration.
bool fake_module_global_locked(struct fake_module *module, const char *name, uint64_t *out_address, size_t *out_size)
{
    char symbol[300];
    void *address = symbol_spell(name, '$', symbol, sizeof symbol) ? object_symbol(module->code, symbol) : NULL;
    size_t length = strlen(name);
    if (module->elf != NULL) {
        *out_address = (uint64_t)(uintptr_t)address;
        return address != NULL && code_object_data(module->elf, name, out_size);
    }
    const char *line = module->text;
    for (; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *global = strstr(line, ".global ");
        const char *end = line + strcspn(line, "\n");
        if (global == NULL || address == NULL) {
            return false;
        }
        if (global > end) {
            continue;
        }
        const char *found = strstr(global, name);
        while (found != NULL && found < end && (found[-1] != ' ' || strchr("[; ", found[length]) == NULL)) {
            found = strstr(found + 1, name); // 'a' is in ".align" too
        }
        if (found == NULL || found > end) {
            continue;
        }
        const char *type = strchr(global + 1, '.');
        while (type != NULL && type < end && strchr("busf", type[1]) == NULL) {
            type = strchr(type + 1, '.');
        }
        uint32_t size = type != NULL ? size_of_type(type) : 1;
        *out_size = found[length] == '[' ? size * strtoul(found + length + 1, NULL, 10) : size;
        *out_address = (uint64_t)(uintptr_t)address;
        return true;
    }
    return false;
}

int fake_kernel_make_locked(struct fake_function *function, uint32_t grid, void **params, const char *call,
                            struct fake_kernel *out_kernel)
{
    if (params == NULL && function->param_count > 0) {
        fake_violation_locked("%s: no parameters for %s", call, function->name);
        return FAKE_INVALID_VALUE;
    }
    size_t size = (function->params_size + 15) / 16 * 16 + 16;
    *out_kernel = (struct fake_kernel){.function = function,
                                       .grid = grid,
                                       .params = aligned_alloc(16, size),
                                       .params_size = function->params_size,
                                       .addresses = fake_alloc(sizeof(void *) * (size_t)(function->param_count + 1)),
                                       .param_count = function->param_count};
    memset(out_kernel->params, 0, size);
    for (int i = 0; i < function->param_count; i++) {
        out_kernel->addresses[i] = out_kernel->params + function->param_offsets[i];
        memcpy(out_kernel->addresses[i], params[i], function->param_sizes[i]);
    }
    return FAKE_OK;
}
