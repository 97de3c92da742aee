// Every misuse has a code and a sentence. One row a misuse: what is done, the code, what the sentence holds.
#include "world.h"

struct bench {
    struct world world;
    rill_kernel saxpy, sum, grid, move, pointer, types, answer, append;
    rill_array floats, ints, grid_array, points, empty, gone_array, foreign_array;
    rill_module no_kernels, gone_module;
    rill_stream stream, gone_stream, foreign_stream;
    rill_event event, unrecorded, gone_event;
    rill_context closed, other;
    rill_stream closed_stream;
    char text[64];
};

struct point {
    float x, y;
    int id;
};

static void open_bench(struct bench *b)
{
    memset(b, 0, sizeof *b);
    world_open(&b->world, 2);
    rill_context context = b->world.context;
    b->saxpy = world_kernel(&b->world, "saxpy");
    b->sum = world_kernel(&b->world, "sum");
    b->grid = world_kernel(&b->world, "grid");
    b->move = world_kernel(&b->world, "move");
    b->pointer = world_kernel(&b->world, "pointer");
    b->types = world_kernel(&b->world, "types");
    b->answer = world_kernel(&b->world, "answer");
    b->append = world_kernel(&b->world, "append");
    b->floats = world_array(&b->world, RILL_F32, 10);
    b->ints = world_array(&b->world, RILL_I32, 10);
    b->gone_array = world_array(&b->world, RILL_F32, 1);
    OK(rill_array_destroy(b->gone_array));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(3, 4), &b->grid_array));
    OK(rill_array_create_struct(context, sizeof(struct point), RILL_SHAPE(4), &b->points));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(0), &b->empty));
    OK(rill_module_create(context, "int x;\n", NULL, &b->no_kernels));
    OK(rill_module_create(context, "int x;\n", NULL, &b->gone_module));
    OK(rill_module_destroy(b->gone_module));
    OK(rill_stream_create(context, NULL, &b->stream));
    OK(rill_stream_create(context, NULL, &b->gone_stream));
    OK(rill_stream_destroy(b->gone_stream));
    OK(rill_event_create(context, NULL, &b->event));
    OK(rill_event_create(context, NULL, &b->unrecorded));
    OK(rill_event_create(context, NULL, &b->gone_event));
    OK(rill_event_destroy(b->gone_event));
    OK(rill_event_record(b->event, b->stream));
    OK(rill_open(world_device(), NULL, &b->closed));
    OK(rill_stream_create(b->closed, NULL, &b->closed_stream));
    OK(rill_close(b->closed));
    OK(rill_open(world_device(), NULL, &b->other));
    OK(rill_array_create(b->other, RILL_F32, RILL_SHAPE(10), &b->foreign_array));
    OK(rill_stream_create(b->other, NULL, &b->foreign_stream));
}

static void close_bench(struct bench *b)
{
    OK(rill_close(b->other));
    world_close(&b->world);
}

static float host[10];
static double out11[11];
static size_t unaligned_storage[4];

// X(name, code, part of the sentence, call)
#define MISUSE_LIST(X)                                                                                                 \
    X(open_null_device, RILL_ERR_INVALID, "rill_open: device is NULL", rill_open(NULL, NULL, &(rill_context){0}))      \
    X(open_null_out, RILL_ERR_INVALID, "rill_open: out_context is NULL", rill_open("cpu", NULL, NULL))                 \
    X(open_unknown_device, RILL_ERR_NO_DEVICE, "rill_open: there is no device 'abacus'; this machine has: cpu",        \
      rill_open("abacus", NULL, &(rill_context){0}))                                                                   \
    X(open_bad_allocator, RILL_ERR_INVALID, "rill_open: the allocator lacks a function",                               \
      rill_open("cpu", &(rill_open_options){.allocator = &(rill_allocator){0}}, &(rill_context){0}))                   \
    X(open_bad_threads, RILL_ERR_INVALID, "rill_open: thread_count is -1",                                             \
      rill_open("cpu", &(rill_open_options){.thread_count = -1}, &(rill_context){0}))                                  \
    X(open_bad_graph_mode, RILL_ERR_INVALID, "rill_open: there is no graph_mode 3",                                    \
      rill_open("cpu", &(rill_open_options){.graph_mode = (rill_graph_mode)3}, &(rill_context){0}))                    \
    X(close_null, RILL_ERR_NULL_HANDLE, "rill_close: the context handle was never set", rill_close((rill_context){0})) \
    X(close_twice, RILL_ERR_STALE, "rill_close: the context is closed", rill_close(b->closed))                         \
    X(sync_closed, RILL_ERR_STALE, "rill_sync: the context is closed", rill_sync(b->closed))                           \
    X(sync_wrong_kind, RILL_ERR_WRONG_KIND, "rill_sync: the handle is not that of a context",                          \
      rill_sync((rill_context){b->stream.id}))                                                                         \
    X(stats_null, RILL_ERR_INVALID, "rill_context_stats: out_stats is NULL",                                           \
      rill_context_stats(b->world.context, NULL))                                                                      \
    X(device_out_of_range, RILL_ERR_NO_DEVICE, "rill_device_get: index 99 of",                                         \
      rill_device_get(99, &(rill_device_info){{0}, {0}, 0, 0}))                                                        \
    X(module_null_text, RILL_ERR_INVALID, "rill_module_create: text is NULL",                                          \
      rill_module_create(b->world.context, NULL, NULL, &(rill_module){0}))                                             \
    X(module_no_file, RILL_ERR_IO, "rill_module_load: cannot open '/no/such/file.c': No such file",                    \
      rill_module_load(b->world.context, "/no/such/file.c", NULL, &(rill_module){0}))                                  \
    X(module_is_folder, RILL_ERR_IO, "rill_module_load: '/tmp' is not a regular file",                                 \
      rill_module_load(b->world.context, "/tmp", NULL, &(rill_module){0}))                                             \
    X(module_nameless_define, RILL_ERR_INVALID, "rill_module_create: define 0 has no name",                            \
      rill_module_create(b->world.context, "",                                                                         \
                         &(rill_module_options){.defines = &(rill_define){0}, .define_count = 1}, &(rill_module){0}))  \
    X(kernel_not_found, RILL_ERR_NOT_FOUND, "'kernel.c' has no kernel 'saxpi'; it has 'saxpy', 'sum'",                 \
      rill_module_kernel(b->world.module, "saxpi", &(rill_kernel){0}))                                                 \
    X(kernel_not_said, RILL_ERR_NOT_FOUND, "'kernel.c' has 13 kernels, say which: 'saxpy'",                            \
      rill_module_kernel(b->world.module, NULL, &(rill_kernel){0}))                                                    \
    X(kernel_out_of_range, RILL_ERR_INVALID, "rill_module_kernel_at: index 13 of 13 kernels",                          \
      rill_module_kernel_at(b->world.module, 13, &(rill_kernel){0}))                                                   \
    X(param_out_of_range, RILL_ERR_INVALID, "rill_kernel_param: index 4 of 4 parameters",                              \
      rill_kernel_param(b->saxpy, 4, &(rill_param_info){0}))                                                           \
    X(task_out_of_range, RILL_ERR_INVALID, "rill_kernel_task: index 9 of 1 tasks",                                     \
      rill_kernel_task(b->saxpy, 9, &(rill_task_info){0}))                                                             \
    X(shape_of_scalar, RILL_ERR_INVALID, "parameter 'n' of kernel 'saxpy' has no shape of its own",                    \
      rill_kernel_param_shape(b->saxpy, 0, RILL_ARGS(1, 1, 0, 0), &(rill_shape){{0}, 0}))                              \
    X(field_unknown, RILL_ERR_NOT_FOUND, "rill_field_read: the module has no field 'lenght'",                          \
      rill_field_read(b->world.module, "lenght", RILL_CURRENT, host, 4))                                               \
    X(field_too_long, RILL_ERR_INVALID, "rill_field_write: 8 bytes are more than the 4 of field 'gain'",               \
      rill_field_write(b->world.module, "gain", RILL_CURRENT, host, 8))                                                \
    X(field_null, RILL_ERR_INVALID, "rill_field_read: the host memory is NULL",                                        \
      rill_field_read(b->world.module, "gain", RILL_CURRENT, NULL, 4))                                                 \
    /* arrays */                                                                                                       \
    X(array_no_type, RILL_ERR_INVALID, "0 is no scalar type; structs want rill_array_create_struct()",                 \
      rill_array_create(b->world.context, RILL_RECORD, RILL_SHAPE(1), &(rill_array){0}))                               \
    X(array_negative, RILL_ERR_INVALID, "rill_array_create: extent 1 of the shape is -2",                              \
      rill_array_create(b->world.context, RILL_F32, RILL_SHAPE(3, -2), &(rill_array){0}))                              \
    X(array_no_rank, RILL_ERR_INVALID, "rill_array_create: the shape has 0 extents; 1 to 16 are possible",             \
      rill_array_create(b->world.context, RILL_F32, (rill_shape){{0}, 0}, &(rill_array){0}))                           \
    X(array_overflow, RILL_ERR_INVALID, "has more bytes than can be addressed",                                        \
      rill_array_create(b->world.context, RILL_F64, RILL_SHAPE(INT64_MAX, 16), &(rill_array){0}))                      \
    X(array_too_large, RILL_ERR_OUT_OF_MEMORY, "rill_array_create: no memory for an array of",                         \
      rill_array_create(b->world.context, RILL_U8, RILL_SHAPE(INT64_C(1) << 60), &(rill_array){0}))                    \
    X(array_struct_size, RILL_ERR_INVALID, "rill_array_create_struct: the element size is 0",                          \
      rill_array_create_struct(b->world.context, 0, RILL_SHAPE(1), &(rill_array){0}))                                  \
    X(view_past_end, RILL_ERR_INVALID, "rill_array_view: 8 elements from element 3 on are more than the array's 10",   \
      rill_array_view(b->floats, 3, RILL_SHAPE(2, 4), &(rill_array){0}))                                               \
    X(view_of_gone, RILL_ERR_STALE, "rill_array_view: the array was destroyed",                                        \
      rill_array_view(b->gone_array, 0, RILL_SHAPE(1), &(rill_array){0}))                                              \
    X(wrap_null, RILL_ERR_INVALID, "rill_array_wrap: the memory is NULL",                                              \
      rill_array_wrap(b->world.context, &(rill_wrap){.type = RILL_F32, .shape = RILL_SHAPE(1)}, &(rill_array){0}))     \
    X(wrap_size, RILL_ERR_INVALID, "rill_array_wrap: elements of type float cannot have 8 bytes",                      \
      rill_array_wrap(b->world.context,                                                                                \
                      &(rill_wrap){.memory = host, .type = RILL_F32, .element_size = 8, .shape = RILL_SHAPE(1)},       \
                      &(rill_array){0}))                                                                               \
    X(wrap_unaligned, RILL_ERR_INVALID, "is not aligned for float",                                                    \
      rill_array_wrap(b->world.context,                                                                                \
                      &(rill_wrap){.memory = (char *)unaligned_storage + 1, .type = RILL_F32, .shape = RILL_SHAPE(1)}, \
                      &(rill_array){0}))                                                                               \
    X(read_past_end, RILL_ERR_INVALID, "rill_array_read: 41 bytes are more than the array's 40",                       \
      rill_array_read(b->floats, RILL_CURRENT, host, 41))                                                              \
    X(read_null, RILL_ERR_INVALID, "rill_array_read: the host memory is NULL",                                         \
      rill_array_read(b->floats, RILL_CURRENT, NULL, 40))                                                              \
    X(write_past_end, RILL_ERR_INVALID, "rill_array_write: 41 bytes are more than the array's 40",                     \
      rill_array_write(b->floats, RILL_CURRENT, host, 41))                                                             \
    X(read_at_past_end, RILL_ERR_INVALID,                                                                              \
      "rill_array_read_at: 2 elements from element 9 on are more than the array's 10",                                 \
      rill_array_read_at(b->floats, RILL_CURRENT, 9, host, 2))                                                         \
    X(read_at_behind_end, RILL_ERR_INVALID,                                                                            \
      "rill_array_read_at: 0 elements from element 11 on are more than the array's 10",                                \
      rill_array_read_at(b->floats, RILL_CURRENT, 11, host, 0))                                                        \
    X(read_at_wraps, RILL_ERR_INVALID,                                                                                 \
      "rill_array_read_at_async: 18446744073709551615 elements from element 1 on are",                                 \
      rill_array_read_at_async(b->floats, RILL_CURRENT, 1, host, SIZE_MAX))                                            \
    X(write_at_wraps, RILL_ERR_INVALID,                                                                                \
      "rill_array_write_at: 1 elements from element 18446744073709551615 on are more",                                 \
      rill_array_write_at(b->floats, RILL_CURRENT, SIZE_MAX, host, 1))                                                 \
    X(write_at_null, RILL_ERR_INVALID, "rill_array_write_at_async: the host memory is NULL",                           \
      rill_array_write_at_async(b->floats, RILL_CURRENT, 9, NULL, 1))                                                  \
    X(kernel_module_null, RILL_ERR_INVALID, "rill_kernel_module: out_module is NULL",                                  \
      rill_kernel_module(b->saxpy, NULL))                                                                              \
    X(fill_size, RILL_ERR_INVALID, "rill_array_fill: the element has 8 bytes, the array's have 4",                     \
      rill_array_fill(b->floats, RILL_CURRENT, out11, 8))                                                              \
    X(copy_too_long, RILL_ERR_INVALID, "rill_array_copy: the source has 48 bytes, the target only 40",                 \
      rill_array_copy(b->floats, b->grid_array, RILL_CURRENT))                                                         \
    X(copy_foreign, RILL_ERR_FOREIGN, "rill_array_copy: the array belongs to another context",                         \
      rill_array_copy(b->floats, b->foreign_array, RILL_CURRENT))                                                      \
    X(destroy_twice, RILL_ERR_STALE, "rill_array_destroy: the array was destroyed", rill_array_destroy(b->gone_array)) \
    X(array_as_stream, RILL_ERR_WRONG_KIND, "rill_array_destroy: the handle names an object of another kind than arr", \
      rill_array_destroy((rill_array){b->stream.id}))                                                                  \
    /* streams and events */                                                                                           \
    X(stream_null, RILL_ERR_NULL_HANDLE, "rill_stream_synchronize: the stream handle was never set",                   \
      rill_stream_synchronize((rill_stream){0}))                                                                       \
    X(stream_gone, RILL_ERR_STALE, "rill_stream_synchronize: the stream was destroyed",                                \
      rill_stream_synchronize(b->gone_stream))                                                                         \
    X(stream_of_closed, RILL_ERR_STALE, "rill_stream_synchronize: the context of the stream is closed",                \
      rill_stream_synchronize(b->closed_stream))                                                                       \
    X(stream_current_of_two, RILL_ERR_INVALID,                                                                         \
      "rill_stream_synchronize: RILL_CURRENT does not say of which context: 2 are open, and this thread is in no "     \
      "scope; write rill_current_stream(context)",                                                                     \
      rill_stream_synchronize(RILL_CURRENT))                                                                           \
    X(stream_current_waits, RILL_ERR_INVALID, "rill_stream_wait: RILL_CURRENT does not say of which context: 2 are",   \
      rill_stream_wait(RILL_CURRENT, RILL_CURRENT))                                                                    \
    X(stream_current_destroyed, RILL_ERR_INVALID,                                                                      \
      "rill_stream_destroy: RILL_CURRENT is not taken here; name the stream itself",                                   \
      rill_stream_destroy(RILL_CURRENT))                                                                               \
    X(stream_current_destroyed_later, RILL_ERR_INVALID, "rill_stream_destroy_later: RILL_CURRENT is not taken here",   \
      rill_stream_destroy_later(RILL_CURRENT))                                                                         \
    X(stream_default, RILL_ERR_INVALID, "rill_stream_destroy: the default stream lives as long as its context",        \
      rill_stream_destroy(rill_default_stream(b->world.context)))                                                      \
    X(stream_destroy_twice, RILL_ERR_STALE, "rill_stream_destroy: the stream was destroyed",                           \
      rill_stream_destroy(b->gone_stream))                                                                             \
    X(stream_wait_foreign, RILL_ERR_FOREIGN, "rill_stream_wait: the stream belongs to another context",                \
      rill_stream_wait(b->stream, b->foreign_stream))                                                                  \
    X(callback_null, RILL_ERR_INVALID, "rill_stream_callback: the callback is NULL",                                   \
      rill_stream_callback(b->stream, NULL, NULL))                                                                     \
    X(scope_not_entered, RILL_ERR_INVALID, "rill_scope_leave: the scope is not the innermost",                         \
      rill_scope_leave(&(rill_scope){0, NULL, 0}))                                                                     \
    X(event_null, RILL_ERR_NULL_HANDLE, "rill_event_record: the event handle was never set",                           \
      rill_event_record((rill_event){0}, b->stream))                                                                   \
    X(event_gone, RILL_ERR_STALE, "rill_event_record: the event was destroyed",                                        \
      rill_event_record(b->gone_event, b->stream))                                                                     \
    X(event_wait_unrecorded, RILL_ERR_UNRECORDED, "rill_event_wait: the event was never recorded",                     \
      rill_event_wait(b->unrecorded, b->stream))                                                                       \
    X(event_sync_unrecorded, RILL_ERR_UNRECORDED, "rill_event_synchronize: the event was never recorded",              \
      rill_event_synchronize(b->unrecorded))                                                                           \
    X(event_query_unrecorded, RILL_ERR_UNRECORDED, "rill_event_query: the event was never recorded",                   \
      rill_event_query(b->unrecorded))                                                                                 \
    X(event_elapsed_unrecorded, RILL_ERR_UNRECORDED, "rill_event_elapsed: the event was never recorded",               \
      rill_event_elapsed(b->event, b->unrecorded, &(double){0}))                                                       \
    X(event_on_foreign_stream, RILL_ERR_FOREIGN, "rill_event_record: the stream belongs to another context",           \
      rill_event_record(b->event, b->foreign_stream))                                                                  \
    /* launches */                                                                                                     \
    X(launch_null_kernel, RILL_ERR_NULL_HANDLE, "rill_launch: the kernel handle was never set",                        \
      rill_launch((rill_kernel){0}, RILL_CURRENT, RILL_ARGS()))                                                        \
    X(launch_null_stream, RILL_ERR_NULL_HANDLE, "rill_launch: the stream handle was never set",                        \
      rill_launch(b->answer, (rill_stream){0}, RILL_ARGS()))                                                           \
    X(launch_gone_stream, RILL_ERR_STALE, "rill_launch: the stream was destroyed",                                     \
      rill_launch(b->answer, b->gone_stream, RILL_ARGS()))                                                             \
    X(launch_foreign_stream, RILL_ERR_FOREIGN, "rill_launch: the stream belongs to another context",                   \
      rill_launch(b->answer, b->foreign_stream, RILL_ARGS()))                                                          \
    X(too_few, RILL_ERR_ARGUMENTS, "rill_launch: kernel 'saxpy' has 4 parameters, but 1 argument was passed",          \
      rill_launch(b->saxpy, RILL_CURRENT, RILL_ARGS(1)))                                                               \
    X(too_many, RILL_ERR_ARGUMENTS, "rill_launch: kernel 'answer' has 0 parameters, but 2 arguments were passed",      \
      rill_launch(b->answer, RILL_CURRENT, RILL_ARGS(1, 2)))                                                           \
    X(null_list, RILL_ERR_INVALID, "rill_launch: the list of arguments is NULL",                                       \
      rill_launch(b->sum, RILL_CURRENT, (rill_args){NULL, 2}))                                                         \
    X(unset_argument, RILL_ERR_ARGUMENTS, "parameter 'n': an argument that was never set was passed where int is",     \
      rill_launch(b->sum, RILL_CURRENT, (rill_args){(rill_arg[2]){{0, 0, {0}, 0, 0}}, 2}))                             \
    X(int_overflow, RILL_ERR_ARGUMENTS, "rill_launch: kernel 'sum', parameter 'n': 3000000000 does not fit int",       \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(3000000000, b->floats)))                                             \
    X(int_fraction, RILL_ERR_ARGUMENTS, "parameter 'n': 2.5 has a fraction, which int cannot hold",                    \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(2.5, b->floats)))                                                    \
    X(int_nan, RILL_ERR_ARGUMENTS, "parameter 'n': nan does not fit int",                                              \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(NAN, b->floats)))                                                    \
    X(int_infinite, RILL_ERR_ARGUMENTS, "parameter 'n': inf does not fit int",                                         \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(INFINITY, b->floats)))                                               \
    X(float_overflow, RILL_ERR_ARGUMENTS, "parameter 'a': 1.0000000000000001e+300 is beyond the range of float",       \
      rill_launch(b->saxpy, RILL_CURRENT, RILL_ARGS(1, 1e300, b->floats, b->floats)))                                  \
    X(unsigned_negative, RILL_ERR_ARGUMENTS, "parameter 'b': -1 does not fit",                                         \
      rill_launch(b->types, RILL_CURRENT, RILL_ARGS(0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, RILL_HOST(out11, 11))))          \
    X(byte_overflow, RILL_ERR_ARGUMENTS, "parameter 'a': 128 does not fit",                                            \
      rill_launch(b->types, RILL_CURRENT, RILL_ARGS(128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, RILL_HOST(out11, 11))))         \
    X(long_overflow, RILL_ERR_ARGUMENTS, "parameter 'g': 18446744073709551615 does not fit",                           \
      rill_launch(b->types, RILL_CURRENT, RILL_ARGS(0, 0, 0, 0, 0, 0, UINT64_MAX, 0, 0, 0, 0, RILL_HOST(out11, 11))))  \
    X(array_for_scalar, RILL_ERR_ARGUMENTS, "parameter 'n': an array was passed where int is wanted",                  \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(b->floats, b->floats)))                                              \
    X(scalar_for_array, RILL_ERR_ARGUMENTS, "parameter 'x': an integer was passed where an array of float is wanted",  \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(10, 10)))                                                            \
    X(struct_for_array, RILL_ERR_ARGUMENTS, "parameter 'x': a struct was passed where an array of float is wanted",    \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(10, RILL_STRUCT(host))))                                             \
    X(wrong_element, RILL_ERR_ARGUMENTS, "parameter 'x': its elements are int32_t, not float",                         \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(10, b->ints)))                                                       \
    X(wrong_host_element, RILL_ERR_ARGUMENTS, "parameter 'x': its elements are double, not float",                     \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(10, RILL_HOST(out11, 11))))                                          \
    X(wrong_struct_element, RILL_ERR_ARGUMENTS, "parameter 'p': its elements are float, not struct point",             \
      rill_launch(b->move, RILL_CURRENT, RILL_ARGS(10, b->floats, RILL_STRUCT(host))))                                 \
    X(wrong_struct, RILL_ERR_ARGUMENTS, "parameter 'by': a struct of 40 bytes was passed, struct point has 12",        \
      rill_launch(b->move, RILL_CURRENT, RILL_ARGS(4, b->points, RILL_STRUCT(host))))                                  \
    X(no_struct, RILL_ERR_ARGUMENTS, "parameter 'by': an integer was passed where struct point is wanted; use RILL_S", \
      rill_launch(b->move, RILL_CURRENT, RILL_ARGS(4, b->points, 5)))                                                  \
    X(array_too_short, RILL_ERR_ARGUMENTS, "parameter 'x': the array has the shape [10], the parameter [11]",          \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(11, b->floats)))                                                     \
    X(host_too_short, RILL_ERR_ARGUMENTS, "parameter 'x': 9 elements were passed, the parameter has [10]",             \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(10, RILL_HOST(host, 9))))                                            \
    X(inner_extent, RILL_ERR_ARGUMENTS, "parameter 'a': the array has the shape [3][4], the parameter [3][3]",         \
      rill_launch(b->grid, RILL_CURRENT, RILL_ARGS(3, 3, b->grid_array)))                                              \
    X(wrong_rank, RILL_ERR_ARGUMENTS, "parameter 'a': the array has the shape [10], the parameter [2][5]",             \
      rill_launch(b->grid, RILL_CURRENT, RILL_ARGS(2, 5, b->floats)))                                                  \
    X(negative_extent, RILL_ERR_ARGUMENTS, "kernel 'sum', parameter 'x': its extent 0 is -1; it cannot be negative",   \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(-1, b->floats)))                                                     \
    X(negative_host_extent, RILL_ERR_ARGUMENTS, "parameter 'x': its extent 0 is -2147483648; it cannot be negative",   \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(INT32_MIN, RILL_HOST(host, 9))))                                     \
    X(negative_outer_extent, RILL_ERR_ARGUMENTS, "parameter 'a': its extent 0 is -3; it cannot be negative",           \
      rill_launch(b->grid, RILL_CURRENT, RILL_ARGS(-3, 4, b->grid_array)))                                             \
    X(negative_inner_extent, RILL_ERR_ARGUMENTS, "parameter 'a': its extent 1 is -4; it cannot be negative",           \
      rill_launch(b->grid, RILL_CURRENT, RILL_ARGS(0, -4, RILL_HOST(host, 9))))                                        \
    X(null_array, RILL_ERR_NULL_HANDLE, "kernel 'sum', parameter 'x': the array handle was never set",                 \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, (rill_array){0})))                                                \
    X(gone_array, RILL_ERR_STALE, "kernel 'sum', parameter 'x': the array was destroyed",                              \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, b->gone_array)))                                                  \
    X(foreign_array, RILL_ERR_FOREIGN, "kernel 'sum', parameter 'x': the array belongs to another context",            \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, b->foreign_array)))                                               \
    X(null_memory, RILL_ERR_ARGUMENTS, "parameter 'x': the memory is NULL",                                            \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, RILL_HOST((float *)NULL, 1))))                                    \
    X(unaligned_memory, RILL_ERR_ARGUMENTS, "is not aligned to 4 bytes, as float wants",                               \
      rill_launch(b->sum, RILL_CURRENT,                                                                                \
                  RILL_ARGS(1, rill_arg_memory(RILL_ARG_PTR, RILL_F32, (char *)unaligned_storage + 1, 1, 4))))         \
    X(call_wrong_size, RILL_ERR_ARGUMENTS, "rill_call: kernel 'sum' returns float of 4 bytes, but 8 are expected",     \
      rill_call(b->sum, RILL_CURRENT, RILL_ARGS(10, b->floats), out11, 8))                                             \
    X(call_void, RILL_ERR_ARGUMENTS, "rill_call: kernel 'saxpy' returns nothing, but 4 bytes are expected",            \
      rill_call(b->saxpy, RILL_CURRENT, RILL_ARGS(10, 1, b->floats, b->floats), host, 4))                              \
    X(call_null, RILL_ERR_INVALID, "rill_call: out_result is NULL",                                                    \
      rill_call(b->sum, RILL_CURRENT, RILL_ARGS(10, b->floats), NULL, 4))                                              \
    X(result_wrong_type, RILL_ERR_ARGUMENTS, "rill_launch_result: kernel 'sum' returns float, the array holds int32",  \
      rill_launch_result(b->sum, RILL_CURRENT, RILL_ARGS(10, b->floats), b->ints))                                     \
    X(struct_null, RILL_ERR_ARGUMENTS, "parameter 'by': the struct is NULL",                                           \
      rill_launch(b->move, RILL_CURRENT, RILL_ARGS(4, b->points, rill_arg_struct(NULL, 12))))                          \
    X(struct_elements, RILL_ERR_ARGUMENTS, "parameter 'p': its elements have 88 bytes, struct point has 12",           \
      rill_launch(b->move, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(&out11, 1), RILL_STRUCT(host))))                       \
    X(too_many_elements, RILL_ERR_ARGUMENTS,                                                                           \
      "parameter 'x': 18446744073709551615 elements are more than can be addressed",                                   \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, rill_arg_memory(RILL_ARG_PTR, RILL_F32, host, UINT64_MAX, 4))))   \
    X(float_for_array, RILL_ERR_ARGUMENTS, "parameter 'x': a floating number was passed where an array of float",      \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(1, 1.5)))                                                            \
    X(pointer_for_scalar, RILL_ERR_ARGUMENTS, "parameter 'n': RILL_PTR memory was passed where int is wanted",         \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(RILL_PTR(host, 1), b->floats)))                                      \
    X(host_for_scalar, RILL_ERR_ARGUMENTS, "parameter 'n': RILL_HOST memory was passed where int is wanted",           \
      rill_launch(b->sum, RILL_CURRENT, RILL_ARGS(RILL_HOST(host, 1), b->floats)))                                     \
    X(unsigned_beyond, RILL_ERR_ARGUMENTS, "parameter 'h': 1e+30 does not fit",                                        \
      rill_launch(b->types, RILL_CURRENT, RILL_ARGS(0, 0, 0, 0, 0, 0, 0, 1e30, 0, 0, 0, RILL_HOST(out11, 11))))        \
    X(result_empty, RILL_ERR_ARGUMENTS, "rill_launch_result: the array has no element",                                \
      rill_launch_result(b->sum, RILL_CURRENT, RILL_ARGS(10, b->floats), b->empty))                                    \
    X(shape_out_of_range, RILL_ERR_INVALID, "rill_kernel_param_shape: index 9 of 4 parameters",                        \
      rill_kernel_param_shape(b->saxpy, 9, RILL_ARGS(1, 1, 0, 0), &(rill_shape){{0}, 0}))                              \
    X(field_out_of_range, RILL_ERR_INVALID, "rill_module_field: index 2 of 2 fields",                                  \
      rill_module_field(b->world.module, 2, &(rill_field_info){0}))                                                    \
    X(field_write_null, RILL_ERR_INVALID, "rill_field_write: the host memory is NULL",                                 \
      rill_field_write(b->world.module, "gain", RILL_CURRENT, NULL, 4))                                                \
    X(fill_null, RILL_ERR_INVALID, "rill_array_fill: the element is NULL",                                             \
      rill_array_fill(b->floats, RILL_CURRENT, NULL, 4))                                                               \
    X(module_null_include, RILL_ERR_INVALID, "rill_module_create: include path 0 is NULL",                             \
      rill_module_create(b->world.context, "",                                                                         \
                         &(rill_module_options){.include_dirs = (const char *[]){NULL}, .include_dir_count = 1},       \
                         &(rill_module){0}))                                                                           \
    X(module_empty_header, RILL_ERR_INVALID, "rill_module_create: header 0 lacks its name or its text",                \
      rill_module_create(b->world.context, "",                                                                         \
                         &(rill_module_options){.headers = &(rill_header){"x.h", NULL}, .header_count = 1},            \
                         &(rill_module){0}))                                                                           \
    X(module_no_defines, RILL_ERR_INVALID, "rill_module_create: the list of 1 defines is NULL",                        \
      rill_module_create(b->world.context, "", &(rill_module_options){.define_count = 1}, &(rill_module){0}))          \
    X(module_no_includes, RILL_ERR_INVALID, "rill_module_create: the list of 2 include paths is NULL",                 \
      rill_module_create(b->world.context, "", &(rill_module_options){.include_dir_count = 2}, &(rill_module){0}))     \
    X(module_no_headers, RILL_ERR_INVALID, "rill_module_create: the list of 3 headers is NULL",                        \
      rill_module_create(b->world.context, "", &(rill_module_options){.header_count = 3}, &(rill_module){0}))          \
    X(module_without_kernel, RILL_ERR_NOT_FOUND, "rill_module_kernel: 'kernel.c' has no kernel",                       \
      rill_module_kernel(b->no_kernels, NULL, &(rill_kernel){0}))                                                      \
    X(module_gone, RILL_ERR_STALE, "rill_module_kernel: the module was destroyed",                                     \
      rill_module_kernel(b->gone_module, NULL, &(rill_kernel){0}))                                                     \
    X(emit_unknown_kind, RILL_ERR_INVALID, "rill_source_emit: 99 is no kind of output",                                \
      rill_source_emit("", NULL, (rill_emit)99, &(char *){NULL}))                                                      \
    X(check_null, RILL_ERR_INVALID, "rill_check: text is NULL", rill_check(NULL, NULL))                                \
    X(result_void, RILL_ERR_ARGUMENTS, "rill_launch_result: kernel 'saxpy' returns nothing",                           \
      rill_launch_result(b->saxpy, RILL_CURRENT, RILL_ARGS(10, 1, b->floats, b->floats), b->floats))

// clang-format off
#define MISUSE_FUNCTION(name, code, part, call)                                                                        \
    static rill_status misuse_##name(struct bench *b) { (void)b; return call; }
MISUSE_LIST(MISUSE_FUNCTION)
// clang-format on

static const struct misuse {
    const char *name;
    rill_status (*run)(struct bench *b);
    rill_status code;
    const char *part;
} misuses[] = {
#define MISUSE_ROW(name, code, part, call) {#name, misuse_##name, code, part},
    MISUSE_LIST(MISUSE_ROW)
#undef MISUSE_ROW
};

TEST(every_misuse_has_its_code_and_its_sentence)
{
    struct bench bench;
    open_bench(&bench);
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        const struct misuse *misuse = &misuses[i];
        rill_status status = misuse->run(&bench);
        if (status != misuse->code) {
            FAIL("%s is %s, expected %s: %s", misuse->name, rill_status_name(status), rill_status_name(misuse->code),
                 rill_message());
        } else if (strstr(rill_message(), misuse->part) == NULL) {
            FAIL("%s says \"%s\", which lacks \"%s\"", misuse->name, rill_message(), misuse->part);
        }
    }
    // Nothing of that has changed anything: the context still works and nothing is outstanding.
    int answer = 0;
    OK(rill_call(bench.answer, RILL_CURRENT, RILL_ARGS(), &answer, sizeof answer));
    CHECK_INT(answer, 42);
    rill_stats stats;
    OK(rill_context_stats(bench.world.context, &stats));
    CHECK_INT(stats.launch_count, 1);
    CHECK_INT(stats.array_count, 5);
    CHECK_INT(stats.module_count, 2);
    CHECK_STR(bench.world.logged, "");
    close_bench(&bench);
}

TEST(failed_create_leaves_the_zero_handle)
{
    rill_context context = {77};
    STATUS(rill_open("abacus", NULL, &context), RILL_ERR_NO_DEVICE);
    CHECK_UINT(context.id, 0);
    struct world world;
    world_open(&world, 1);
    rill_array array = {77};
    STATUS(rill_array_create(world.context, RILL_F32, RILL_SHAPE(-1), &array), RILL_ERR_INVALID);
    CHECK_UINT(array.id, 0);
    rill_kernel kernel = {77};
    STATUS(rill_module_kernel(world.module, "none", &kernel), RILL_ERR_NOT_FOUND);
    CHECK_UINT(kernel.id, 0);
    world_close(&world);
}
