// Fields of a module: told about, read and written by name.
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/module.h"

#include <string.h>

rill_status rill_module_field_count(rill_module handle, size_t *out_count)
{
    RILL_TRY(context_check_out("rill_module_field_count", out_count, "out_count"));
    *out_count = 0;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_field_count", handle, &context, &module));
    *out_count = (size_t)module->plan->field_count;
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_module_field(rill_module handle, size_t index, rill_field_info *out_info)
{
    RILL_TRY(context_check_out("rill_module_field", out_info, "out_info"));
    *out_info = (rill_field_info){.name = NULL};
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_field", handle, &context, &module));
    int count = module->plan->field_count;
    if (index >= (size_t)count) {
        return context_end(context, handle.id, module_out_of_range("rill_module_field", index, count, "fields"));
    }
    *out_info = module->fields[index];
    return context_end(context, handle.id, RILL_OK);
}

static rill_status find_field(const char *who, const struct module *module, const char *name, size_t size,
                              void **out_address)
{
    RILL_TRY(context_check_out(who, name, "name"));
    for (int i = 0; i < module->plan->field_count; i++) {
        if (strcmp(module->plan->fields[i].name, name) != 0) {
            continue;
        }
        if (size > module->plan->fields[i].size) {
            return status_fail(RILL_ERR_INVALID, "%s: %zu bytes are more than the %llu of field '%s'", who, size,
                               (unsigned long long)module->plan->fields[i].size, name);
        }
        *out_address = module->context->backend->image_field(module->image, i);
        return RILL_OK;
    }
    return status_fail(RILL_ERR_NOT_FOUND, "%s: the module has no field '%s'", who, name);
}

rill_status rill_field_read(rill_module handle, const char *name, rill_stream stream, void *host, size_t size)
{
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_field_read", handle, &context, &module));
    void *address;
    rill_status status = find_field("rill_field_read", module, name, size, &address);
    if (status == RILL_OK && host == NULL && size > 0) {
        status = status_fail(RILL_ERR_INVALID, "rill_field_read: the host memory is NULL");
    }
    if (status == RILL_OK) {
        status = array_read_bytes("rill_field_read", context, stream, host, address, size);
    }
    return context_end(context, handle.id, status);
}

rill_status rill_field_write(rill_module handle, const char *name, rill_stream stream, const void *host, size_t size)
{
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_field_write", handle, &context, &module));
    void *address;
    rill_status status = find_field("rill_field_write", module, name, size, &address);
    if (status == RILL_OK && host == NULL && size > 0) {
        status = status_fail(RILL_ERR_INVALID, "rill_field_write: the host memory is NULL");
    }
    if (status == RILL_OK) {
        status = array_write_bytes("rill_field_write", context, stream, address, host, size);
    }
    return context_end(context, handle.id, status);
}
