// The calls about packages and the cache that sweep_test.c sweeps: it includes this in its middle.
#ifndef RILL_TESTS_CONFORMANCE_SWEEP_PACKAGES_H
#define RILL_TESTS_CONFORMANCE_SWEEP_PACKAGES_H

// Built once: what is swept is how a context opens it.
static rill_built built;

static rill_package package_of(void)
{
    const char *target = world_is_cpu() ? "native" : "portable";
    rill_package_options options = {.name = "sweep", .targets = &target, .target_count = 1};
    if (built.package == NULL) {
        OK(rill_package_build(source, NULL, &options, &built));
    }
    return (rill_package){.bytes = built.package, .size = built.package_size};
}

CALL(rill_package_build)
{
    (void)s;
    rill_built made;
    const char *target = "native";
    rill_package_options options = {.targets = &target, .target_count = 1};
    rill_status status = rill_package_build(small_source, NULL, &options, &made);
    rill_built_free(&made);
    return status;
}

CALL(rill_built_free)
{
    (void)s;
    rill_built none = {.package = NULL};
    rill_built_free(&none);
    return RILL_OK;
}

CALL(rill_package_module)
{
    rill_module module = {77};
    rill_package package = package_of();
    rill_status status = rill_package_module(s->context, &package, &module);
    s->out = module.id;
    return status;
}

CALL(rill_package_kernel)
{
    rill_kernel kernel = {77};
    rill_package package = package_of();
    rill_status status = rill_package_kernel(s->context, &package, 1, &kernel);
    s->out = kernel.id;
    return status;
}

CALL(rill_package_launch)
{
    rill_package package = package_of();
    return rill_package_launch(&package, 1, "here", s->stream, RILL_ARGS(N, s->a));
}

CALL(rill_package_call)
{
    int result;
    rill_package package = package_of();
    return rill_package_call(&package, 0, s->stream, RILL_ARGS(N, s->a, s->b), &result, sizeof result);
}

CALL(rill_package_launch_result)
{
    rill_package package = package_of();
    return rill_package_launch_result(&package, 0, s->stream, RILL_ARGS(N, s->a, s->b), s->one);
}

// ---- the cache

static const char no_folder[] = "/nowhere/rill";

static void skip_entry(void *user, const rill_cache_entry *entry)
{
    (void)user;
    (void)entry;
}

CALL(rill_cache_folder)
{
    (void)s;
    char path[256];
    return rill_cache_folder(no_folder, path, sizeof path);
}

CALL(rill_cache_remove)
{
    (void)s;
    return rill_cache_remove(no_folder, false, NULL);
}

CALL(rill_cache_visit)
{
    (void)s;
    return rill_cache_visit(no_folder, skip_entry, NULL);
}

#endif
