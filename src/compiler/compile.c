// The compiler's table: one compile is one arena. Running out of memory leaves the compile by the arena's way out;
// nothing else is held then but what |struct job| lists.
#include "compiler/compiler.h"

#include "base/hash.h"
#include "base/status.h"
#include "codegen/codegen.h"
#include "codegen/run.h"
#include "compiler/link.h"
#include "compiler/openmp.h"
#include "compiler/pipeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct job {
    struct arena arena; // everything but the result's bytes
    struct preprocess_probes probes;
    struct compiler_result result;
    struct codegen_output code;
    void *bytes; // owned: what result.bytes points to
};

static void job_destroy(struct job *job)
{
    if (job == NULL) {
        return;
    }
    codegen_output_finish(&job->code);
    free(job->bytes);
    arena_finish(&job->arena);
    free(job);
}

static bool is_gpu(const char *target)
{
    return target != NULL && (strncmp(target, "sm_", 3) == 0 || strncmp(target, "gfx", 3) == 0);
}

static struct pipeline_options options_of(struct job *job, const struct compiler_input *input)
{
    struct arena *arena = &job->arena;
    struct pipeline_options options = {
        .contract = !input->contract_off, .check_bounds = input->check_bounds, .check_races = input->check_races};
    const char *verify = getenv("RILL_VERIFY");
    options.verify = verify != NULL;
    options.calls_helpers = verify != NULL && strstr(verify, "calls") != NULL;
    options.never_whole = verify != NULL && strstr(verify, "parts") != NULL;
    options.is_gpu = is_gpu(input->target);
    struct preprocess_define *defines = ARENA_ARRAY(arena, struct preprocess_define, input->define_count);
    for (int i = 0; i < input->define_count; i++) {
        defines[i] = (struct preprocess_define){.name = input->defines[i].name, .value = input->defines[i].value};
    }
    struct preprocess_header *headers = ARENA_ARRAY(arena, struct preprocess_header, input->header_count);
    for (int i = 0; i < input->header_count; i++) {
        headers[i] = (struct preprocess_header){
            .name = input->headers[i].name, .text = input->headers[i].value, .length = strlen(input->headers[i].value)};
    }
    options.preprocess = (struct preprocess_options){.defines = defines,
                                                     .define_count = input->define_count,
                                                     .include_dirs = input->include_dirs,
                                                     .include_dir_count = input->include_dir_count,
                                                     .headers = headers,
                                                     .probes = &job->probes,
                                                     .header_count = input->header_count};
    return options;
}

static void publish_diagnostics(struct job *job, const struct diags *diags, bool color)
{
    struct compiler_diagnostic *items = ARENA_ARRAY(&job->arena, struct compiler_diagnostic, diags->count);
    for (int i = 0; i < diags->count; i++) {
        const struct diag *diag = &diags->items[i];
        bool has_file = diag->loc.line != 0 && diag->loc.file < (uint32_t)diags->file_count;
        struct str rendered;
        str_init(&rendered, &job->arena);
        diag_render(diags, diag, color, &rendered);
        items[i] = (struct compiler_diagnostic){.severity = (int)diag->severity,
                                                .file = has_file ? diags->files[diag->loc.file]->path : "",
                                                .line = diag->loc.line,
                                                .column = diag->loc.column,
                                                .text = diag->text,
                                                .rendered = str_text(&rendered)};
    }
    job->result.diagnostics = items;
    job->result.diagnostic_count = diags->count;
    job->result.error_count = diags->error_count;
    job->result.warning_count = diags->warning_count;
}

// What else the result depends on.
static void publish_files(struct job *job)
{
    const char *library = codegen_llvm_library(&job->arena);
    struct compiler_file *files = ARENA_ARRAY(&job->arena, struct compiler_file, job->probes.count + 1);
    int count = 0;
    for (int i = 0; i < job->probes.count; i++) {
        const struct preprocess_probe *probe = job->probes.items[i];
        enum compiler_file_kind kind = probe->found == PREPROCESS_READ      ? COMPILER_FILE_READ
                                       : probe->found == PREPROCESS_PRESENT ? COMPILER_FILE_PRESENT
                                                                            : COMPILER_FILE_ABSENT;
        files[count++] =
            (struct compiler_file){.kind = kind, .path = probe->path, .bytes = probe->text, .size = probe->length};
    }
    if (library != NULL) {
        files[count++] = (struct compiler_file){.kind = COMPILER_FILE_LIBRARY, .path = library};
    }
    job->result.files = files;
    job->result.file_count = count;
}

// What LLVM takes, in bytes: some, most of it for every instruction (0.8 to 1.7 KB were seen), and a few for each byte
// of tables, which code for GPUs spells out as text.
static uint64_t memory_wanted(const struct ir_module *module)
{
    enum { MEGABYTES = 32, FOR_INSTRUCTION = 4096, FOR_BYTE = 4, FOR_SPELT_BYTE = 24 };
    uint64_t wanted = (uint64_t)MEGABYTES << 20;
    for (int i = 0; i < module->function_count; i++) {
        bool has_code = module->functions[i]->kind != IR_FUNCTION_KERNEL; // of a kernel its tasks are compiled
        wanted += has_code ? (uint64_t)module->functions[i]->value_count * FOR_INSTRUCTION : 0;
    }
    for (int i = 0; i < module->global_count; i++) {
        const struct ir_global *global = module->globals[i];
        wanted += global->bytes != NULL ? global->size * (module->is_gpu ? FOR_SPELT_BYTE : FOR_BYTE) : 0;
    }
    return wanted;
}

// LLVM ends the process where it finds no memory. Under a limit of the address space (ulimit -v) that is seen before it
// begins: what it will take, and some more, must be there.
static rill_status look_for_memory(const struct ir_module *module)
{
    uint64_t size = memory_wanted(module);
    void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "the compiler: there are not %llu MB of memory left to work in",
                           (unsigned long long)(size >> 20));
    }
    munmap(found, size);
    return RILL_OK;
}

static rill_status emit_code(struct job *job, const struct compiler_input *input, const struct ir_module *module,
                             const struct plan_module *plan)
{
    struct codegen_options options = {.target = input->target,
                                      .check_bounds = input->check_bounds,
                                      .fast_math = input->fast_math,
                                      .sanitize = input->sanitize,
                                      .stand_in = input->stand_in,
                                      .plan = plan};
    options.kind = input->emit == COMPILER_ASM    ? CODEGEN_ASM
                   : input->emit == COMPILER_LLVM ? CODEGEN_LLVM
                                                  : CODEGEN_OBJECT;
    RILL_TRY(look_for_memory(module));
    bool is_apart = input->emit == COMPILER_IMAGE && input->target != NULL && strncmp(input->target, "sm_", 3) == 0;
    RILL_TRY(is_apart ? codegen_emit_apart(module, &options, &job->code) : codegen_emit(module, &options, &job->code));
    bool is_linked = options.kind == CODEGEN_OBJECT && input->target != NULL && strncmp(input->target, "gfx", 3) == 0;
    return is_linked ? compiler_link(&job->code) : RILL_OK;
}

static rill_status make_image(struct job *job, const struct plan_module *plan)
{
    assert(plan != NULL && job->bytes == NULL);
    struct str bytes;
    str_init(&bytes, &job->arena);
    plan_write(plan, &bytes);
    struct image_header header = {.magic = "rillimg", .plan_offset = sizeof header, .plan_size = bytes.length};
    memcpy(header.magic, "rillimg1", sizeof header.magic);
    header.code_offset = (sizeof header + bytes.length + 63) / 64 * 64;
    header.code_size = job->code.size;
    size_t size = header.code_offset + header.code_size + 1; // text is terminated
    char *image = calloc(1, size);
    if (image == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "the compiler: an image of %zu bytes does not fit in memory", size);
    }
    job->bytes = image;
    memcpy(image + header.plan_offset, bytes.text, bytes.length);
    memcpy(image + header.code_offset, job->code.bytes, job->code.size);
    header.hash = hash_bytes(HASH_SEED, image + sizeof header, size - sizeof header);
    memcpy(image, &header, sizeof header);
    job->result.bytes = image;
    job->result.size = size;
    return RILL_OK;
}

static void publish_text(struct job *job, const struct str *text)
{
    assert(job->result.bytes == NULL);
    job->result.bytes = str_text(text);
    job->result.size = text->length;
}

static rill_status emit(struct job *job, const struct compiler_input *input, const struct pipeline_result *made)
{
    struct str text;
    str_init(&text, &job->arena);
    switch (input->emit) {
    case COMPILER_CHECK: return RILL_OK;
    case COMPILER_IR:
        if (input->after != NULL) {
            pipeline_print(made, &text);
        } else {
            ir_print(made->module, &text);
        }
        break;
    case COMPILER_PLAN: plan_print(made->plan, &text); break;
    case COMPILER_EXPLAIN: plan_explain(made->plan, input->color, &text); break;
    case COMPILER_OPENMP: openmp_print(made->plan, input->text, input->length, &text); break;
    case COMPILER_IMAGE: RILL_TRY(emit_code(job, input, made->module, made->plan)); return make_image(job, made->plan);
    case COMPILER_LLVM:
    case COMPILER_ASM:
    case COMPILER_OBJECT:
        RILL_TRY(emit_code(job, input, made->module, made->plan));
        job->result.bytes = job->code.bytes;
        job->result.size = job->code.size;
        return RILL_OK;
    }
    publish_text(job, &text);
    return RILL_OK;
}

// The passes up to the one that is named.
static rill_status find_passes(struct job *job, const char *after, struct pass_set *out)
{
    int row = pass_find(after, strlen(after));
    if (row < 0) {
        struct str list;
        str_init(&list, &job->arena);
        pass_list_print(&list);
        return status_fail(RILL_ERR_INVALID, "there is no pass '%s'; the passes, in their order:\n%s", after,
                           str_text(&list));
    }
    *out = pass_set_until(row);
    return RILL_OK;
}

static rill_status list_passes(struct job *job)
{
    struct str text;
    str_init(&text, &job->arena);
    pass_list_print(&text);
    publish_text(job, &text);
    return RILL_OK;
}

static rill_status run(struct job *job, const struct compiler_input *input)
{
    struct diags diags;
    diags_init(&diags, &job->arena);
    struct pipeline_options options = options_of(job, input);
    struct pipeline_result made;
    struct pass_set passes;
    bool is_part = input->emit == COMPILER_IR && input->after != NULL;
    if (is_part && strcmp(input->after, "list") == 0) {
        return list_passes(job);
    }
    if (is_part) {
        RILL_TRY(find_passes(job, input->after, &passes));
        options.passes = &passes;
    }
    if (input->emit == COMPILER_OPENMP) { // pragmas stand at the source's loops, in the source's order
        passes = pass_set_of_source_loops();
        options.passes = &passes;
    }
    pipeline_compile(&job->arena, &diags, input->path, input->text, input->length, &options, &made);
    publish_diagnostics(job, &diags, input->color);
    publish_files(job);
    if (diags.error_count > 0 || (made.plan == NULL && !is_part)) {
        const char *first = "no reason was given";
        for (int i = diags.count - 1; i >= 0; i--) {
            first = diags.items[i].severity == DIAG_ERROR ? job->result.diagnostics[i].rendered : first;
        }
        return status_fail(RILL_ERR_COMPILE, "%s", first);
    }
    if (made.plan != NULL) {
        run_fill_plan(made.module, made.plan);
    }
    rill_status status = emit(job, input, &made);
    if (status == RILL_ERR_COMPILE) { // the target has no room for it
        diag_error(&diags, job->code.refused_at, "%s", rill_message());
        publish_diagnostics(job, &diags, input->color);
        status_fail(status, "%s", job->result.diagnostics[diags.count - 1].rendered);
    }
    return status;
}

static rill_status compile(const struct compiler_input *input, struct compiler_result **out_result)
{
    *out_result = NULL;
    if (input->target != NULL) {
        RILL_TRY(codegen_check_target(input->target));
    }
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "the compiler: no memory to start");
    }
    arena_init(&job->arena);
    jmp_buf out_of_memory;
    rill_status status;
    if (setjmp(out_of_memory) == 0) {
        job->arena.escape = &out_of_memory;
        status = run(job, input);
    } else {
        status =
            status_fail(RILL_ERR_OUT_OF_MEMORY, "the compiler: out of memory after %zu bytes", job->arena.used_size);
    }
    job->arena.escape = NULL;
    if (status != RILL_OK && status != RILL_ERR_COMPILE) {
        job_destroy(job);
        return status;
    }
    *out_result = &job->result;
    return status;
}

static void free_result(struct compiler_result *result)
{
    if (result != NULL) {
        job_destroy((struct job *)((char *)result - offsetof(struct job, result)));
    }
}

__attribute__((visibility("default"))) const struct compiler_table *rill_compiler_table(void)
{
    static const struct compiler_table table = {.version = COMPILER_TABLE_VERSION,
                                                .built = COMPILER_BUILT,
                                                .llvm_version = codegen_llvm_version,
                                                .compile = compile,
                                                .free_result = free_result,
                                                .message = rill_message};
    return &table;
}
