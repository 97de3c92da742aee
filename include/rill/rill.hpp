// Rill for C++11 and later: owners that clean up at the end of their scope, and failures as exceptions. Everything else
// is rill.h, whose calls and macros (RILL_ARGS, RILL_SHAPE, RILL_HOST ...) work in C++ as they do in C.
//
//     rill::context ctx = rill::open("auto");
//     rill::array x = rill::make_array(ctx, RILL_F32, RILL_SHAPE(n));
//     rill::launch(kernel, RILL_CURRENT, n, x, host);          // host: a std::vector, std::array or std::span
//     float sum = rill::call<float>(total, RILL_CURRENT, n, x);
#ifndef RILL_RILL_HPP
#define RILL_RILL_HPP

#include "rill/rill.h"

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace rill
{

// A failing call: its status, and its message as what().
class error : public std::runtime_error
{
  public:
    explicit error(rill_status status) : std::runtime_error(rill_message()), status_(status)
    {
    }
    rill_status status() const noexcept
    {
        return status_;
    }

  private:
    rill_status status_;
};

inline void check(rill_status status)
{
    if (status != RILL_OK) {
        throw error(status);
    }
}

// Owns one handle. |Destroy| is what the handle's RILL_AUTO_ form does at the end of a scope: it waits where that
// waits, and what fails there goes to the context's log.
template <typename Handle, void (*Destroy)(Handle *)> class owner
{
  public:
    owner() = default;
    explicit owner(Handle handle) : handle_(handle)
    {
    }
    owner(owner &&other) noexcept : handle_(other.release())
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other) {
            Destroy(&handle_);
            handle_ = other.release();
        }
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    ~owner()
    {
        Destroy(&handle_);
    }
    Handle get() const noexcept
    {
        return handle_;
    }
    Handle release() noexcept
    {
        Handle handle = handle_;
        handle_ = Handle{0};
        return handle;
    }

  private:
    Handle handle_{0};
};

using context = owner<rill_context, rill_auto_context>;
using stream = owner<rill_stream, rill_auto_stream>;
using event = owner<rill_event, rill_auto_event>;
using array = owner<rill_array, rill_auto_array>;
using variants = owner<rill_variants, rill_auto_variants>;

inline context open(const char *device, const rill_open_options *options = nullptr)
{
    rill_context handle{0};
    check(rill_open(device, options, &handle));
    return context(handle);
}

inline stream make_stream(const context &ctx, const rill_stream_options *options = nullptr)
{
    rill_stream handle{0};
    check(rill_stream_create(ctx.get(), options, &handle));
    return stream(handle);
}

inline event make_event(const context &ctx, const rill_event_options *options = nullptr)
{
    rill_event handle{0};
    check(rill_event_create(ctx.get(), options, &handle));
    return event(handle);
}

inline array make_array(const context &ctx, rill_type type, rill_shape shape)
{
    rill_array handle{0};
    check(rill_array_create(ctx.get(), type, shape, &handle));
    return array(handle);
}

inline rill_kernel load_kernel(const context &ctx, const std::string &path, const std::string &name)
{
    rill_kernel handle{0};
    check(rill_kernel_load(ctx.get(), path.c_str(), name.c_str(), &handle));
    return handle;
}

// Refuses a number for one of another type, whose bits it would be. A half float is its bits on the host, and a class
// or an enumeration may hold what it likes.
template <typename T> inline void check_number(rill_type type, const char *what)
{
    const rill_type mine = rill_type_of_<T>::value;
    if (mine != RILL_RECORD && mine != type && !(mine == RILL_U16 && (type == RILL_F16 || type == RILL_BF16))) {
        throw std::invalid_argument(std::string("rill: ") + what + " is of another type than the host's");
    }
}

// Refuses a T that is no element of the array: too many bytes would be read or written, or bits of something else.
template <typename T> inline void check_element(const array &of)
{
    rill_array_info info;
    check(rill_array_describe(of.get(), &info));
    if (info.element_size != sizeof(T)) {
        throw std::invalid_argument("rill: an element of the array has " + std::to_string(info.element_size) +
                                    " bytes, the host's has " + std::to_string(sizeof(T)));
    }
    check_number<T>(info.type, "an element of the array");
}

// Refuses a number that the kernel does not return. That the sizes agree is looked at by the call.
template <typename T> inline void check_result(rill_kernel kernel)
{
    rill_kernel_info info;
    if (rill_kernel_describe(kernel, &info) == RILL_OK && info.returns->size == sizeof(T)) {
        check_number<T>(info.returns->kind == RILL_KIND_SCALAR ? info.returns->type : RILL_RECORD,
                        "what the kernel returns");
    }
}

inline rill_module module_of(rill_kernel kernel)
{
    rill_module handle{0};
    check(rill_kernel_module(kernel, &handle));
    return handle;
}

// One element of an array whose elements are of type T. Reading waits, as rill_array_read_at() does.
template <typename T> inline T read_at(const array &from, size_t index, rill_stream on = RILL_CURRENT)
{
    T value;
    check_element<T>(from);
    check(rill_array_read_at(from.get(), on, index, &value, 1));
    return value;
}

template <typename T> inline void write_at(const array &to, size_t index, const T &value, rill_stream on = RILL_CURRENT)
{
    check_element<T>(to);
    check(rill_array_write_at(to.get(), on, index, &value, 1));
}

// Queues a kernel: rill_launch() of RILL_ARGS(values...).
template <typename... Values> inline void launch(rill_kernel kernel, rill_stream on, Values &&...values)
{
    check(rill_launch_at(nullptr, kernel, on, RILL_ARGS(std::forward<Values>(values)...)));
}

// Kernels that compute the same, of which the fastest is launched: rill/variants.h.
inline variants make_variants(std::initializer_list<rill_kernel> kernels, const rill_variants_options &options = {})
{
    rill_variants handle{0};
    check(rill_variants_create(kernels.begin(), kernels.size(), &options, &handle));
    return variants(handle);
}

template <typename... Values> inline void launch(const variants &of, rill_stream on, Values &&...values)
{
    check(rill_variants_launch(of.get(), on, RILL_ARGS(std::forward<Values>(values)...)));
}

template <typename Result, typename... Values>
inline Result call(const variants &of, rill_stream on, Values &&...values)
{
    Result result;
    check(rill_variants_call(of.get(), on, RILL_ARGS(std::forward<Values>(values)...), &result, sizeof result));
    return result;
}

// Runs a kernel, waits for it, and gives back its value: rill_call().
template <typename Result, typename... Values>
inline Result call(rill_kernel kernel, rill_stream on, Values &&...values)
{
    Result result;
    check_result<Result>(kernel);
    check(rill_call(kernel, on, RILL_ARGS(std::forward<Values>(values)...), &result, sizeof result));
    return result;
}

} // namespace rill

#endif
