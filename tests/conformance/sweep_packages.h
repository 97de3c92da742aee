// The calls about packages, variants and the cache that sweep_test.c sweeps: it includes this in its middle.
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

// ---- variants

CALL(rill_variants_create)
{
    rill_variants variants = {77};
    rill_status status = rill_variants_create(&s->two, 1, NULL, &variants);
    s->out = variants.id;
    return status;
}

static rill_status make_variants(const struct stage *s, rill_variants *out)
{
    rill_kernel kernels[] = {s->two, s->two};
    return rill_variants_create(kernels, 2, NULL, out);
}

CALL(rill_variants_destroy)
{
    RILL_AUTO_VARIANTS variants = {0};
    RILL_TRY(make_variants(s, &variants));
    return rill_variants_destroy(variants);
}

CALL(rill_auto_variants)
{
    rill_variants variants = {0};
    RILL_TRY(make_variants(s, &variants));
    rill_auto_variants(&variants);
    return variants.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_variants_launch)
{
    RILL_AUTO_VARIANTS variants = {0};
    RILL_TRY(make_variants(s, &variants));
    return rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, s->a));
}

CALL(rill_variants_call)
{
    RILL_AUTO_VARIANTS variants = {0};
    RILL_TRY(make_variants(s, &variants));
    return rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, s->a), NULL, 0);
}

CALL(rill_variants_describe)
{
    RILL_AUTO_VARIANTS variants = {0};
    rill_variants_choice choice;
    RILL_TRY(make_variants(s, &variants));
    return rill_variants_describe(variants, RILL_ARGS(N, s->a), &choice);
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
