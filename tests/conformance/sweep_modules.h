// The rows of sweep_test.c about modules, kernels and fields.
#ifndef RILL_TESTS_CONFORMANCE_SWEEP_MODULES_H
#define RILL_TESTS_CONFORMANCE_SWEEP_MODULES_H

CALL(rill_module_create)
{
    rill_module module = {77};
    rill_status status = rill_module_create(s->context, source, NULL, &module);
    s->out = module.id;
    return status;
}

static void write_source(const char *path)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(small_source, file);
    fclose(file);
}

CALL(rill_module_load)
{
    rill_module module = {77};
    write_source(s->path);
    rill_status status = rill_module_load(s->context, s->path, NULL, &module);
    s->out = module.id;
    return status;
}

CALL(rill_kernel_load)
{
    rill_kernel kernel = {77};
    write_source(s->path);
    rill_status status = rill_kernel_load(s->context, s->path, "one", &kernel);
    s->out = kernel.id;
    return status;
}

CALL(rill_module_destroy)
{
    return rill_module_destroy(s->module);
}

CALL(rill_check)
{
    (void)s;
    return rill_check(small_source, NULL);
}

CALL(rill_diagnostics_free)
{
    (void)s;
    rill_diagnostics diagnostics = {0};
    rill_status status = rill_check(small_source, &(rill_module_options){.diagnostics = &diagnostics});
    rill_diagnostics_free(&diagnostics);
    return status;
}

CALL(rill_module_explain)
{
    return rill_module_explain(s->module, &s->text);
}

CALL(rill_module_emit)
{
    return rill_module_emit(s->module, RILL_EMIT_PLAN, NULL, &s->text);
}

CALL(rill_source_emit)
{
    return rill_source_emit(small_source, NULL, RILL_EMIT_IR, &s->text);
}

CALL(rill_source_explain)
{
    return rill_source_explain(small_source, NULL, &s->text);
}

CALL(rill_module_kernel_count)
{
    size_t count;
    return rill_module_kernel_count(s->module, &count);
}

CALL(rill_module_kernel_at)
{
    rill_kernel kernel;
    return rill_module_kernel_at(s->module, 0, &kernel);
}

CALL(rill_module_kernel)
{
    rill_kernel kernel;
    return rill_module_kernel(s->module, "two", &kernel);
}

CALL(rill_kernel_module)
{
    rill_module module;
    return rill_kernel_module(s->blocks, &module);
}

CALL(rill_kernel_describe)
{
    rill_kernel_info info;
    return rill_kernel_describe(s->blocks, &info);
}

CALL(rill_kernel_param)
{
    rill_param_info info;
    return rill_kernel_param(s->blocks, 1, &info);
}

CALL(rill_kernel_param_shape)
{
    rill_shape shape;
    return rill_kernel_param_shape(s->blocks, 1, RILL_ARGS(N, 0, 0), &shape);
}

CALL(rill_kernel_explain)
{
    return rill_kernel_explain(s->blocks, RILL_ARGS(N, 0, 0), &s->text);
}

CALL(rill_kernel_task)
{
    rill_task_info info;
    return rill_kernel_task(s->blocks, 0, &info);
}

CALL(rill_module_field_count)
{
    size_t count;
    return rill_module_field_count(s->module, &count);
}

CALL(rill_module_field)
{
    rill_field_info info;
    return rill_module_field(s->module, 0, &info);
}

CALL(rill_field_read)
{
    return rill_field_read(s->module, "field", RILL_CURRENT, s->host, 16);
}

CALL(rill_field_write)
{
    return rill_field_write(s->module, "field", RILL_CURRENT, s->host, 16);
}

#endif
