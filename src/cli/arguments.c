// The arguments of `rill run`: scalars from --set, structs member by member, arrays from files or filled with numbers.
#include "cli/fill.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

static int set_scalar(struct run *run, size_t index)
{
    const struct argument *argument = &run->arguments[index];
    const struct pair *pair = run_find_pair(&run->set, argument->param.name); // it is there: check_names
    return cli_number("--set", pair->name, pair->value, argument->param.type, &run->args[index]);
}

// A struct by value is zero but for the scalars in it that --set name.member=value names.
static int set_struct(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    argument->size = argument->param.type->size;
    argument->bytes = calloc(1, argument->size + 1);
    if (argument->bytes == NULL) {
        return cli_fail(CLI_FAILED, "out of memory");
    }
    size_t length = strlen(argument->param.name);
    for (int i = 0; i < run->set.count; i++) {
        struct pair *pair = &run->set.items[i];
        if (strncmp(pair->name, argument->param.name, length) != 0 || pair->name[length] != '.') {
            continue;
        }
        pair->is_used = true;
        struct fill_place place;
        if (!fill_find_place(argument->param.type, pair->name + length, &place)) {
            return cli_fail(CLI_USAGE, "--set %s: '%s' has no such scalar member", pair->name,
                            argument->param.type->name);
        }
        rill_arg number;
        if (cli_number("--set", pair->name, pair->value, place.type, &number) != CLI_OK) {
            return CLI_USAGE;
        }
        if (!fill_store(argument->bytes, &place, &number)) {
            return cli_fail(CLI_USAGE, "--set %s=%s: a bit-field of %d bits cannot hold it", pair->name, pair->value,
                            place.bit_width);
        }
    }
    run->args[index] = rill_arg_struct(argument->bytes, argument->size);
    return CLI_OK;
}

// ---- arrays
// ----------------------------------------------------------------------------------------------------------

// The bytes of an array of this shape; false if no address space holds them.
static bool find_size(const rill_shape *shape, size_t element_size, size_t *out_size)
{
    size_t size = element_size;
    bool fits = true;
    for (int i = 0; i < shape->rank; i++) {
        size_t extent = shape->extents[i] > 0 ? (size_t)shape->extents[i] : 0;
        fits = !__builtin_mul_overflow(size, extent, &size) && fits;
        if (extent == 0) {
            *out_size = 0;
            return true;
        }
    }
    *out_size = size;
    return fits && size < SIZE_MAX / 4;
}

// The shape of an array: from the parameter's extents, or for `T *p` from --set p=count.
static int find_shape(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    if (argument->param.rank > 0) {
        rill_args args = {run->args, run->info.param_count};
        rill_status status = rill_kernel_param_shape(run->kernel, index, args, &argument->shape);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
    } else {
        const struct pair *pair = run_find_pair(&run->set, argument->param.name); // it is there: check_names
        static const rill_type_info count_type = {
            .kind = RILL_KIND_SCALAR, .type = RILL_I64, .name = "a length", .size = 8};
        rill_arg count;
        if (cli_number("--set", pair->name, pair->value, &count_type, &count) != CLI_OK) {
            return CLI_USAGE;
        }
        if (count.value.i < 0) {
            return cli_fail(CLI_USAGE, "--set %s=%s: '%s' is a pointer, and this its number of elements", pair->name,
                            pair->value, pair->name);
        }
        argument->shape = RILL_SHAPE(count.value.i);
    }
    if (!find_size(&argument->shape, argument->param.type->size, &argument->size)) {
        return cli_fail(CLI_FAILED, "parameter '%s': an array of this shape is larger than any memory",
                        argument->param.name);
    }
    return CLI_OK;
}

static bool same_descr(const char *mine, const char *theirs)
{
    // Byte order says nothing of single bytes, and '=' is this machine's.
    bool is_byte = strlen(mine) == 3 && mine[2] == '1';
    bool order = is_byte || mine[0] == theirs[0] || (mine[0] == '<' && theirs[0] == '=');
    return order && theirs[0] != '\0' && strcmp(mine + 1, theirs + 1) == 0;
}

// An array fits a parameter as in a launch: the same inner extents, at least as many outermost. A flat file of the
// right length will do too.
static bool fits(const struct argument *argument, const rill_shape *shape, size_t size)
{
    const rill_shape *mine = &argument->shape;
    if (shape->rank != mine->rank) {
        return size == argument->size && (shape->rank <= 1 || mine->rank <= 1);
    }
    for (int i = 0; i < shape->rank; i++) {
        if (i == 0 ? shape->extents[i] < mine->extents[i] : shape->extents[i] != mine->extents[i]) {
            return false;
        }
    }
    return true;
}

static void shape_text(const rill_shape *shape, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", shape->rank == 0 ? "one element" : "");
    for (int i = 0; i < shape->rank && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "[%lld]", (long long)shape->extents[i]);
    }
}

static int refuse_shape(const struct argument *argument, const struct npy *npy)
{
    char theirs[400];
    char mine[400];
    shape_text(&npy->shape, theirs, sizeof theirs);
    shape_text(&argument->shape, mine, sizeof mine);
    return cli_fail(CLI_FILE, "'%s' holds %s, parameter '%s' wants %s", npy->path, theirs, argument->param.name, mine);
}

static int use_input(struct argument *argument, struct npy *npy)
{
    char descr[16];
    const rill_type_info *type = argument->param.type;
    npy_descr(type, descr);
    size_t size;
    if (!same_descr(descr, npy->descr)) {
        return cli_fail(CLI_FILE, "'%s' holds '%s', parameter '%s' wants '%s' (%s)", npy->path, npy->descr,
                        argument->param.name, descr, type->name);
    }
    if (!find_size(&npy->shape, type->size, &size)) {
        return cli_fail(CLI_FILE, "'%s' is cut short", npy->path); // no file holds so much
    }
    if (argument->param.rank > 0 && !fits(argument, &npy->shape, size)) {
        return refuse_shape(argument, npy);
    }
    int code = npy_read(npy, size);
    if (code == CLI_OK && argument->param.rank > 0) {
        memcpy(argument->bytes, npy->data, argument->size);
    } else if (code == CLI_OK) {
        argument->shape = npy->shape.rank > 0 ? npy->shape : RILL_SHAPE(1);
        argument->size = size;
        argument->bytes = npy->data;
        npy->data = NULL;
    }
    return code;
}

static int load_input(struct argument *argument, const struct pair *pair)
{
    struct npy npy;
    int code = npy_open(pair->value, &npy);
    if (code == CLI_OK) {
        code = use_input(argument, &npy);
    }
    npy_finish(&npy);
    return code;
}

static int set_array(struct run *run, size_t index)
{
    struct argument *argument = &run->arguments[index];
    const struct pair *in = run_find_pair(&run->in, argument->param.name);
    int code = CLI_OK;
    if (in == NULL || argument->param.rank > 0) {
        code = find_shape(run, index);
        argument->bytes = code == CLI_OK ? calloc(1, argument->size + 1) : NULL;
        if (code == CLI_OK && argument->bytes == NULL) {
            return cli_fail(CLI_FAILED, "parameter '%s': no memory for %zu bytes", argument->param.name,
                            argument->size);
        }
    }
    if (code == CLI_OK && in != NULL) {
        code = load_input(argument, in);
    } else if (code == CLI_OK) {
        fill_array(argument->param.type, argument->bytes, argument->size);
    }
    if (code != CLI_OK) {
        return code;
    }
    const rill_type_info *type = argument->param.type;
    rill_status status = type->kind == RILL_KIND_SCALAR
                             ? rill_array_create(run->context, type->type, argument->shape, &argument->array)
                             : rill_array_create_struct(run->context, type->size, argument->shape, &argument->array);
    if (status == RILL_OK && argument->size > 0) {
        status = rill_array_write(argument->array, RILL_CURRENT, argument->bytes, argument->size);
    }
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    run->args[index] = rill_arg_array(argument->array);
    return CLI_OK;
}

// Where nothing runs: a length is given in vain, and does no harm.
static int skip_array(struct run *run, size_t index)
{
    const rill_param_info *param = &run->arguments[index].param;
    if (param->rank == 0) {
        run_find_pair(&run->set, param->name);
    }
    run->args[index] = (rill_arg){0};
    return CLI_OK;
}

// ---- all of them
// ---------------------------------------------------------------------------------------------------------

static const rill_param_info *find_param(const struct run *run, const char *name)
{
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < run->info.param_count; i++) {
        const rill_param_info *param = &run->arguments[i].param;
        if (strncmp(param->name, name, length) == 0 && param->name[length] == '\0') {
            return param;
        }
    }
    return NULL;
}

static const struct pair *find_given(const struct pairs *pairs, const char *name)
{
    for (int i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->items[i].name, name) == 0) {
            return &pairs->items[i];
        }
    }
    return NULL;
}

// Why an option found no use, though there is a parameter of the name.
static int refuse(const struct run *run, const struct pairs *pairs, const struct pair *pair)
{
    for (const struct pair *before = pairs->items; before < pair; before++) {
        if (strcmp(before->name, pair->name) == 0) {
            return cli_fail(CLI_USAGE, "%s %s is given twice", pairs->option, pair->name);
        }
    }
    const rill_param_info *param = find_param(run, pair->name);
    if (pairs != &run->set) {
        return cli_fail(CLI_USAGE, "%s %s: '%s' is no array", pairs->option, pair->name, param->name);
    }
    const struct pair *in = strcmp(param->name, pair->name) == 0 ? find_given(&run->in, param->name) : NULL;
    if (param->is_array && param->rank == 0 && in != NULL) {
        return cli_fail(CLI_USAGE, "--set %s=%s: the length of '%s' is that of its file '%s'; give one of the two",
                        pair->name, pair->value, param->name, in->value);
    }
    if (param->is_array) {
        return cli_fail(CLI_USAGE, "--set %s: '%s' is an array; give it a file with --in %s=FILE.npy", pair->name,
                        param->name, param->name);
    }
    if (param->type->kind == RILL_KIND_RECORD) {
        return cli_fail(CLI_USAGE, "--set %s: '%s' is a struct; set its members: --set %s.MEMBER=…", pair->name,
                        param->name, param->name);
    }
    return cli_fail(CLI_USAGE, "--set %s: '%s' is a %s and has no members", pair->name, param->name, param->type->name);
}

static int check_unused(struct run *run)
{
    for (size_t i = 0; i < run->info.param_count; i++) {
        if (run->arguments[i].param.is_array) {
            run_find_pair(&run->out, run->arguments[i].param.name);
        }
    }
    const struct pairs *all[] = {&run->set, &run->in, &run->out};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < all[k]->count; i++) {
            if (!all[k]->items[i].is_used) {
                return refuse(run, all[k], &all[k]->items[i]);
            }
        }
    }
    return CLI_OK;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static const char *param_name_at(const void *user, size_t index)
{
    const struct run *run = user;
    return run->arguments[index].param.name;
}

static void say_unknown(const struct run *run, const struct pairs *pairs, const struct pair *pair)
{
    const char *nearest = cli_suggest(pair->name, param_name_at, run, run->info.param_count);
    fprintf(stderr, "rill: %s %s: kernel '%s' has no parameter '%s'; ", pairs->option, pair->name, run->info.name,
            pair->name);
    if (nearest != NULL) {
        fprintf(stderr, "did you mean '%s'? ", nearest);
    }
    fputs("it has:", stderr);
    for (size_t i = 0; i < run->info.param_count; i++) {
        fprintf(stderr, " %s", run->arguments[i].param.name);
    }
    fputs(run->info.param_count == 0 ? " none\n" : "\n", stderr);
}

// All names that no parameter has, and all numbers that are missing: one is often the other, mistyped.
static int check_names(struct run *run)
{
    int code = CLI_OK;
    const struct pairs *all[] = {&run->set, &run->in, &run->out};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < all[k]->count; i++) {
            if (find_param(run, all[k]->items[i].name) == NULL) {
                say_unknown(run, all[k], &all[k]->items[i]);
                code = CLI_USAGE;
            }
        }
    }
    for (size_t i = 0; i < run->info.param_count; i++) {
        const rill_param_info *param = &run->arguments[i].param;
        bool is_scalar = !param->is_array && param->type->kind != RILL_KIND_RECORD;
        bool is_pointer = param->is_array && param->rank == 0 && !run->explains;
        if (is_scalar && find_given(&run->set, param->name) == NULL) {
            code = cli_fail(CLI_USAGE, "parameter '%s' (%s) has no value: add --set %s=…", param->name,
                            param->type->name, param->name);
        } else if (is_pointer && find_given(&run->set, param->name) == NULL &&
                   find_given(&run->in, param->name) == NULL) {
            code =
                cli_fail(CLI_USAGE, "parameter '%s' is a pointer: add --set %s=COUNT for its length, or --in %s=FILE",
                         param->name, param->name, param->name);
        }
    }
    return code;
}

int run_make_arguments(struct run *run)
{
    for (size_t i = 0; i < run->info.param_count; i++) {
        rill_status status = rill_kernel_param(run->kernel, i, &run->arguments[i].param);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
    }
    if (check_names(run) != CLI_OK) {
        return CLI_USAGE;
    }
    for (int pass = 0; pass < 2; pass++) { // scalars first: shapes depend on them
        for (size_t i = 0; i < run->info.param_count; i++) {
            const rill_param_info *param = &run->arguments[i].param;
            if (param->is_array != (pass == 1)) {
                continue;
            }
            int code = param->is_array && run->explains        ? skip_array(run, i)
                       : param->is_array                       ? set_array(run, i)
                       : param->type->kind == RILL_KIND_RECORD ? set_struct(run, i)
                                                               : set_scalar(run, i);
            if (code != CLI_OK) {
                return code;
            }
        }
    }
    return check_unused(run);
}
