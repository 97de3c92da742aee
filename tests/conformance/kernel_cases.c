// Runs many cases of one kernel file in one process, for kernels_test.py, which knows what they should give: the file
// is compiled once, and its fields are put back to what they were before each case.
//
//   kernel_cases DEVICE FILE
//
// First it says "ready". Then, for each case, it reads
//
//   KERNEL COUNT                        and of each argument one line:
//   i VALUE | u VALUE | f VALUE         a number
//   s SIZE                              a struct; its bytes follow
//   a SIZE RANK EXTENT…                 an array; its bytes follow
//
// and says "ok SIZE PRINTED" and then, as bytes, the returned value, the printed text and every array; or "error SIZE"
// and the words, of the file's compilation too.
#include <rill/rill.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 64 };

struct bytes {
    char *data; // owned
    size_t size;
};

struct cases {
    rill_context context;
    rill_module module;
    size_t field_count;
    struct bytes *fields;  // as they were at first
    struct bytes printed;  // of the case that runs; guarded by the order of the case: read when it has been waited for
    struct bytes returned; //
    struct bytes values[MAX_ARGS];
    rill_array arrays[MAX_ARGS];
    rill_arg args[MAX_ARGS];
    size_t arg_count;
};

static bool resize(struct bytes *bytes, size_t size)
{
    char *larger = realloc(bytes->data, size + 1);
    if (larger == NULL) {
        return false;
    }
    bytes->data = larger;
    bytes->size = size;
    return true;
}

static void keep_printed(void *user, const char *text, size_t length)
{
    struct bytes *printed = &((struct cases *)user)->printed;
    size_t before = printed->size;
    if (resize(printed, before + length)) {
        memcpy(printed->data + before, text, length);
    }
}

static void say_error(const char *words)
{
    printf("error %zu\n%s", strlen(words), words);
    fflush(stdout);
}

// ---- the file -----------------------------------------------------------------------------------------------------

static rill_status keep_fields(struct cases *cases)
{
    RILL_TRY(rill_module_field_count(cases->module, &cases->field_count));
    cases->fields = calloc(cases->field_count + 1, sizeof *cases->fields);
    for (size_t i = 0; cases->fields != NULL && i < cases->field_count; i++) {
        rill_field_info info;
        RILL_TRY(rill_module_field(cases->module, i, &info));
        if (resize(&cases->fields[i], info.size)) {
            RILL_TRY(rill_field_read(cases->module, info.name, RILL_CURRENT, cases->fields[i].data, info.size));
        }
    }
    return RILL_OK;
}

static rill_status put_fields_back(const struct cases *cases)
{
    for (size_t i = 0; i < cases->field_count; i++) {
        rill_field_info info;
        RILL_TRY(rill_module_field(cases->module, i, &info));
        RILL_TRY(rill_field_write(cases->module, info.name, RILL_CURRENT, cases->fields[i].data, info.size));
    }
    return RILL_OK;
}

static bool prepare(struct cases *cases, const char *device, const char *path)
{
    rill_open_options open = {.print = keep_printed, .print_user = cases};
    rill_diagnostics diagnostics = {0};
    rill_module_options options = {.contract_off = true, .diagnostics = &diagnostics};
    rill_status status = rill_open(device, &open, &cases->context);
    if (status == RILL_OK) {
        status = rill_module_load(cases->context, path, &options, &cases->module);
    }
    if (status == RILL_OK) {
        status = keep_fields(cases);
    }
    rill_diagnostics_free(&diagnostics);
    if (status != RILL_OK) {
        say_error(rill_message());
        return false;
    }
    puts("ready");
    fflush(stdout);
    return true;
}

// ---- one case -----------------------------------------------------------------------------------------------------

static bool read_bytes(struct bytes *bytes, size_t size)
{
    return resize(bytes, size) && fread(bytes->data, 1, size, stdin) == size;
}

// The array has the kind of its parameter. Without one, rill_call says what is wrong.
static rill_status make_array(struct cases *cases, rill_kernel kernel, size_t index, rill_shape shape)
{
    rill_param_info info;
    RILL_TRY(rill_kernel_param(kernel, index, &info));
    rill_array *array = &cases->arrays[index];
    const struct bytes *value = &cases->values[index];
    RILL_TRY(info.type->kind == RILL_KIND_SCALAR
                 ? rill_array_create(cases->context, info.type->type, shape, array)
                 : rill_array_create_struct(cases->context, info.type->size, shape, array));
    cases->args[index] = rill_arg_array(*array);
    return value->size > 0 ? rill_array_write(*array, RILL_CURRENT, value->data, value->size) : RILL_OK;
}

// False if the input is not what it should be, or there is no memory: then nothing after it can be read.
static bool read_argument(struct cases *cases, rill_kernel kernel, size_t index, rill_status *status)
{
    char kind;
    size_t size;
    rill_shape shape = {0};
    rill_arg *arg = &cases->args[index];
    if (scanf(" %c", &kind) != 1) {
        return false;
    }
    switch (kind) {
    case 'i': arg->kind = RILL_ARG_INT; return scanf("%" SCNd64, &arg->value.i) == 1;
    case 'u': arg->kind = RILL_ARG_UINT; return scanf("%" SCNu64, &arg->value.u) == 1;
    case 'f': arg->kind = RILL_ARG_FLOAT; return scanf("%lf", &arg->value.f) == 1;
    case 's':
        if (scanf("%zu", &size) != 1 || getchar() != '\n' || !read_bytes(&cases->values[index], size)) {
            return false;
        }
        *arg = (rill_arg){.kind = RILL_ARG_STRUCT, .value.pointer = cases->values[index].data, .size = size};
        return true;
    case 'a':
        if (scanf("%zu %" SCNd32, &size, &shape.rank) != 2) {
            return false;
        }
        for (int32_t i = 0; i < shape.rank && i < 16; i++) {
            if (scanf("%" SCNd64, &shape.extents[i]) != 1) {
                return false;
            }
        }
        if (getchar() != '\n' || !read_bytes(&cases->values[index], size)) {
            return false;
        }
        if (*status == RILL_OK) {
            *status = make_array(cases, kernel, index, shape);
        }
        return true;
    default: return false;
    }
}

static rill_status call(struct cases *cases, rill_kernel kernel)
{
    rill_kernel_info info;
    RILL_TRY(put_fields_back(cases));
    RILL_TRY(rill_kernel_describe(kernel, &info));
    size_t size = info.returns->kind == RILL_KIND_VOID ? 0 : info.returns->size;
    if (!resize(&cases->returned, size)) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    RILL_TRY(rill_call(kernel, RILL_CURRENT, (rill_args){cases->args, cases->arg_count},
                       size > 0 ? cases->returned.data : NULL, size));
    for (size_t i = 0; i < cases->arg_count; i++) {
        if (cases->arrays[i].id != 0 && cases->values[i].size > 0) {
            RILL_TRY(rill_array_read(cases->arrays[i], RILL_CURRENT, cases->values[i].data, cases->values[i].size));
        }
    }
    return RILL_OK;
}

static void answer(const struct cases *cases)
{
    printf("ok %zu %zu\n", cases->returned.size, cases->printed.size);
    fwrite(cases->returned.data, 1, cases->returned.size, stdout);
    if (cases->printed.size > 0) {
        fwrite(cases->printed.data, 1, cases->printed.size, stdout);
    }
    for (size_t i = 0; i < cases->arg_count; i++) {
        if (cases->arrays[i].id != 0 && cases->values[i].size > 0) {
            fwrite(cases->values[i].data, 1, cases->values[i].size, stdout);
        }
    }
    fflush(stdout);
}

// False at the end of the input.
static bool run_case(struct cases *cases)
{
    char name[200];
    rill_kernel kernel = {0};
    if (scanf("%199s %zu", name, &cases->arg_count) != 2 || cases->arg_count > MAX_ARGS) {
        return false;
    }
    memset(cases->arrays, 0, sizeof cases->arrays);
    memset(cases->args, 0, sizeof cases->args);
    cases->printed.size = 0;
    rill_status status = rill_module_kernel(cases->module, name, &kernel);
    for (size_t i = 0; i < cases->arg_count; i++) {
        if (!read_argument(cases, kernel, i, &status)) {
            return false;
        }
    }
    if (status == RILL_OK) {
        status = call(cases, kernel);
    }
    if (status == RILL_OK) {
        answer(cases);
    } else {
        say_error(rill_message());
        (void)!rill_stream_clear_error(rill_default_stream(cases->context));
    }
    for (size_t i = 0; i < cases->arg_count; i++) {
        if (cases->arrays[i].id != 0) {
            (void)!rill_array_destroy(cases->arrays[i]);
        }
    }
    return true;
}

static void finish(struct cases *cases)
{
    for (size_t i = 0; cases->fields != NULL && i < cases->field_count; i++) {
        free(cases->fields[i].data);
    }
    for (size_t i = 0; i < MAX_ARGS; i++) {
        free(cases->values[i].data);
    }
    free(cases->fields);
    free(cases->printed.data);
    free(cases->returned.data);
}

int main(int argc, char **argv)
{
    static struct cases cases;
    if (argc != 3) {
        fprintf(stderr, "usage: kernel_cases DEVICE FILE\n");
        return 2;
    }
    bool is_ready = prepare(&cases, argv[1], argv[2]);
    while (is_ready && run_case(&cases)) {
    }
    rill_status status = cases.context.id != 0 ? rill_close(cases.context) : RILL_OK;
    if (status != RILL_OK) {
        fprintf(stderr, "%s\n", rill_message());
    }
    finish(&cases);
    return is_ready && status == RILL_OK ? 0 : 1;
}
