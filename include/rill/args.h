// Arguments of a launch. A launch takes an array of rill_arg in the order of the kernel's parameters; from other
// languages that struct is all there is to fill. In C and C++ RILL_ARGS makes it from up to 64 values:
//
//     rill_launch(kernel, stream, RILL_ARGS(n, 0.5f, array, RILL_HOST(host, n), RILL_STRUCT(settings)))
//
// (In C it needs C11; a program in C99 fills the array with rill_arg_int() and its kin below.)
//
// A value is a number, an array handle, or one of
//     RILL_PTR(p, count)   device memory: |count| elements at |p|
//     RILL_HOST(p, count)  host memory: uploaded before and downloaded after as the kernel needs it, in stream order
//                          and in one step with the kernel, whatever other threads queue on that stream. It is used
//                          until the stream has come past; then it has what the kernel wrote. If the kernel fails,
//                          which the stream reports as ever, each element is what it was or what the kernel wrote
//                          there. On the CPU it is used in place.
//     RILL_STRUCT(s)       a struct by value: |s| is an lvalue of exactly the parameter's layout
//
// In C++ also a rill::array, and a std::vector, std::array or std::span, which is RILL_HOST of all its elements.
//
// Numbers convert as in a C call, a double rounds to a float parameter. An integer that does not fit, a fraction for an
// integer parameter and a finite double beyond float's range are errors. RILL_PTR and RILL_HOST fit a parameter whose
// elements, all extents multiplied, are at most |count|: of float a[N][M] pass RILL_HOST(&a[0][0], N * M). Where |p|
// points to const elements, a parameter that the kernel writes is an error.
#ifndef RILL_ARGS_H
#define RILL_ARGS_H

#include "rill/array.h"
#include "rill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rill_arg_kind {
    RILL_ARG_NONE = 0, // never set: refused
    RILL_ARG_INT = 1,
    RILL_ARG_UINT = 2,
    RILL_ARG_FLOAT = 3,
    RILL_ARG_ARRAY = 4,
    RILL_ARG_PTR = 5,
    RILL_ARG_HOST = 6,
    RILL_ARG_STRUCT = 7,
    RILL_ARG_CONST_PTR = 8,  // PTR and HOST that no kernel may write to
    RILL_ARG_CONST_HOST = 9, //
} rill_arg_kind;

typedef struct rill_arg {
    int32_t kind; // rill_arg_kind
    int32_t type; // rill_type of the elements of PTR and HOST; RILL_RECORD: only their size is checked
    union {
        int64_t i;           // INT
        uint64_t u;          // UINT
        double f;            // FLOAT
        uint64_t id;         // ARRAY: the handle's id
        const void *pointer; // PTR and HOST: the first element; STRUCT: the struct, copied by the launch
    } value;
    uint64_t count; // PTR and HOST: elements; RILL_WHOLE: as many as the parameter's extents say
    uint64_t size;  // PTR, HOST, STRUCT: bytes of one element
} rill_arg;

#define RILL_WHOLE (UINT64_C(1) << 63)

// An argument list, passed by value. |items| is read by the call only.
typedef struct rill_args {
    const rill_arg *items;
    size_t count;
} rill_args;

static inline rill_arg rill_arg_zero_(int32_t kind)
{
    rill_arg arg;
    arg.kind = kind;
    arg.type = 0;
    arg.value.i = 0;
    arg.count = 0;
    arg.size = 0;
    return arg;
}

static inline rill_arg rill_arg_int(int64_t value)
{
    rill_arg arg = rill_arg_zero_(RILL_ARG_INT);
    arg.value.i = value;
    return arg;
}

static inline rill_arg rill_arg_uint(uint64_t value)
{
    rill_arg arg = rill_arg_zero_(RILL_ARG_UINT);
    arg.value.u = value;
    return arg;
}

static inline rill_arg rill_arg_float(double value)
{
    rill_arg arg = rill_arg_zero_(RILL_ARG_FLOAT);
    arg.value.f = value;
    return arg;
}

static inline rill_arg rill_arg_array(rill_array array)
{
    rill_arg arg = rill_arg_zero_(RILL_ARG_ARRAY);
    arg.value.id = array.id;
    return arg;
}

// |kind| is RILL_ARG_PTR or RILL_ARG_HOST, or one of the two for const elements.
static inline rill_arg rill_arg_memory(int32_t kind, rill_type type, const void *memory, uint64_t count, uint64_t size)
{
    rill_arg arg = rill_arg_zero_(kind);
    arg.type = (int32_t)type;
    arg.value.pointer = memory;
    arg.count = count;
    arg.size = size;
    return arg;
}

static inline rill_arg rill_arg_struct(const void *memory, uint64_t size)
{
    rill_arg arg = rill_arg_zero_(RILL_ARG_STRUCT);
    arg.value.pointer = memory;
    arg.size = size;
    return arg;
}

static inline rill_arg rill_arg_same_(rill_arg arg)
{
    return arg;
}

#ifdef __cplusplus
}

template <typename T> struct rill_type_of_ {
    static const rill_type value = RILL_RECORD;
};
template <typename T> struct rill_type_of_<const T> : rill_type_of_<T> {
};
template <> struct rill_type_of_<bool> {
    static const rill_type value = RILL_BOOL;
};
template <> struct rill_type_of_<char> {
    static const rill_type value = RILL_I8;
};
template <> struct rill_type_of_<signed char> {
    static const rill_type value = RILL_I8;
};
template <> struct rill_type_of_<unsigned char> {
    static const rill_type value = RILL_U8;
};
template <> struct rill_type_of_<short> {
    static const rill_type value = RILL_I16;
};
template <> struct rill_type_of_<unsigned short> {
    static const rill_type value = RILL_U16;
};
template <> struct rill_type_of_<int> {
    static const rill_type value = RILL_I32;
};
template <> struct rill_type_of_<unsigned> {
    static const rill_type value = RILL_U32;
};
template <> struct rill_type_of_<long> {
    static const rill_type value = RILL_I64;
};
template <> struct rill_type_of_<unsigned long> {
    static const rill_type value = RILL_U64;
};
template <> struct rill_type_of_<long long> {
    static const rill_type value = RILL_I64;
};
template <> struct rill_type_of_<unsigned long long> {
    static const rill_type value = RILL_U64;
};
template <> struct rill_type_of_<float> {
    static const rill_type value = RILL_F32;
};
template <> struct rill_type_of_<double> {
    static const rill_type value = RILL_F64;
};
inline rill_arg rill_arg_of_(bool value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(char value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(signed char value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(unsigned char value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(short value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(unsigned short value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(int value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(unsigned value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(long value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(unsigned long value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(long long value)
{
    return rill_arg_int(value);
}
inline rill_arg rill_arg_of_(unsigned long long value)
{
    return rill_arg_uint(value);
}
inline rill_arg rill_arg_of_(float value)
{
    return rill_arg_float(value);
}
inline rill_arg rill_arg_of_(double value)
{
    return rill_arg_float(value);
}
inline rill_arg rill_arg_of_(rill_array value)
{
    return rill_arg_array(value);
}
inline rill_arg rill_arg_of_(const rill_arg &value)
{
    return value;
}
// A bare pointer would convert to bool: it wants RILL_PTR or RILL_HOST.
template <typename T> rill_arg rill_arg_of_(T *) = delete;

template <typename T> inline rill_arg rill_arg_memory_of_(int32_t kind, int32_t, T *memory, uint64_t count)
{
    return rill_arg_memory(kind, rill_type_of_<T>::value, memory, count, sizeof(T));
}
template <typename T> inline rill_arg rill_arg_memory_of_(int32_t, int32_t const_kind, const T *memory, uint64_t count)
{
    return rill_arg_memory(const_kind, rill_type_of_<T>::value, memory, count, sizeof(T));
}

// An array that something owns, and containers with data() and size(), such as std::vector and std::span, which are
// RILL_HOST memory. The kernel uses it until the stream has come past: no container that would be gone by then.
template <typename Owner> inline auto rill_arg_of_(const Owner &owner) -> decltype(rill_arg_array(owner.get()))
{
    return rill_arg_array(owner.get());
}
template <typename First, typename Second> struct rill_is_same_ {
    static const bool value = false;
};
template <typename Type> struct rill_is_same_<Type, Type> {
    static const bool value = true;
};
template <typename Container>
inline auto rill_arg_of_(Container &&container)
    -> decltype(rill_arg_memory_of_(0, 0, container.data(), uint64_t(container.size())))
{
    static_assert(rill_is_same_<Container, Container &>::value ||
                      rill_is_same_<decltype(container.data()),
                                    decltype(static_cast<const Container &>(container).data())>::value,
                  "a temporary container is gone before the kernel has run: give it a name");
    return rill_arg_memory_of_(RILL_ARG_HOST, RILL_ARG_CONST_HOST, container.data(), uint64_t(container.size()));
}

// Holds the arguments until the end of the full expression, which is the call.
template <size_t Count> struct rill_args_of_list_ {
    rill_arg items[Count == 0 ? 1 : Count];
    operator rill_args() const
    {
        return rill_args{items, Count};
    }
};

template <typename... Values> inline rill_args_of_list_<sizeof...(Values)> rill_args_make_(Values &&...values)
{
    static_assert(sizeof...(Values) <= RILL_MAX_ARGS, "a kernel takes at most 64 arguments");
    return rill_args_of_list_<sizeof...(Values)>{{rill_arg_of_(static_cast<Values &&>(values))...}};
}

#define RILL_ARG(x) rill_arg_of_(x)
#define RILL_ARGS(...) rill_args_make_(__VA_ARGS__)
#define RILL_PTR(p, count) rill_arg_memory_of_(RILL_ARG_PTR, RILL_ARG_CONST_PTR, (p), (count))
#define RILL_HOST(p, count) rill_arg_memory_of_(RILL_ARG_HOST, RILL_ARG_CONST_HOST, (p), (count))
#define RILL_STRUCT(s) rill_arg_struct(&(s), sizeof(s))

#else

// One argument from one value. A value of another type does not compile: pointers want RILL_PTR or RILL_HOST.
// clang-format off
#ifdef __FLT16_MAX__ // the compiler has _Float16
__extension__ typedef _Float16 rill_f16_;
#define RILL_ARG_F16_ rill_f16_: rill_arg_float,
#define RILL_TYPE_F16_ rill_f16_ *: RILL_F16, const rill_f16_ *: RILL_F16,
#else
#define RILL_ARG_F16_
#define RILL_TYPE_F16_
#endif
#define RILL_ARG(x)                                                                                                    \
    _Generic((x),                                                                                                      \
        _Bool: rill_arg_uint, char: rill_arg_int, signed char: rill_arg_int, unsigned char: rill_arg_uint,             \
        short: rill_arg_int, unsigned short: rill_arg_uint, int: rill_arg_int, unsigned int: rill_arg_uint,            \
        long: rill_arg_int, unsigned long: rill_arg_uint, long long: rill_arg_int,                                     \
        unsigned long long: rill_arg_uint, RILL_ARG_F16_ float: rill_arg_float, double: rill_arg_float,                \
        rill_array: rill_arg_array, rill_arg: rill_arg_same_)(x)
#define RILL_TYPE_OF_POINTER_(p)                                                                                       \
    _Generic((p),                                                                                                      \
        _Bool *: RILL_BOOL, const _Bool *: RILL_BOOL, char *: RILL_I8, const char *: RILL_I8,                          \
        signed char *: RILL_I8, const signed char *: RILL_I8, unsigned char *: RILL_U8,                                \
        const unsigned char *: RILL_U8, short *: RILL_I16, const short *: RILL_I16, unsigned short *: RILL_U16,        \
        const unsigned short *: RILL_U16, int *: RILL_I32, const int *: RILL_I32, unsigned int *: RILL_U32,            \
        const unsigned int *: RILL_U32, long *: RILL_I64, const long *: RILL_I64, unsigned long *: RILL_U64,           \
        const unsigned long *: RILL_U64, long long *: RILL_I64, const long long *: RILL_I64,                           \
        unsigned long long *: RILL_U64, const unsigned long long *: RILL_U64, float *: RILL_F32,                       \
        const float *: RILL_F32, RILL_TYPE_F16_ double *: RILL_F64, const double *: RILL_F64, default: RILL_RECORD)
// clang-format on

// A choice between a pointer to const and a void * that is no null constant is a const void *.
#define RILL_MEMORY_(kind, const_kind, p, count)                                                                       \
    rill_arg_memory(_Generic(1 ? (p) : (void *)1, const void *: const_kind, default: kind), RILL_TYPE_OF_POINTER_(p),  \
                    (p), (uint64_t)(count), sizeof *(p))
#define RILL_PTR(p, count) RILL_MEMORY_(RILL_ARG_PTR, RILL_ARG_CONST_PTR, p, count)
#define RILL_HOST(p, count) RILL_MEMORY_(RILL_ARG_HOST, RILL_ARG_CONST_HOST, p, count)
#define RILL_STRUCT(s) rill_arg_struct(&(s), sizeof(s))

// An empty list has one argument, which is empty: told apart from one real argument by what happens around it. A comma
// appears only if the list has one itself (first test), if it starts with parentheses (second), if it is a macro that
// takes arguments (third), and when nothing stands between RILL_COMMA_ and the parentheses (fourth).
#define RILL_ARGS(...) RILL_ARGS_IF_EMPTY_(RILL_IS_EMPTY_(__VA_ARGS__), __VA_ARGS__)
#define RILL_ARGS_IF_EMPTY_(is_empty, ...) RILL_PASTE_(RILL_ARGS_EMPTY_, is_empty)(__VA_ARGS__)
#define RILL_ARGS_EMPTY_0(...)                                                                                         \
    ((rill_args){(const rill_arg[]){RILL_PASTE3_(RILL_MAP_, RILL_COUNT_(__VA_ARGS__), _)(__VA_ARGS__)},                \
                 RILL_COUNT_(__VA_ARGS__)})
#define RILL_ARGS_EMPTY_1(...) ((rill_args){NULL, 0})
#define RILL_HAS_COMMA_(...)                                                                                           \
    RILL_COUNT_PICK_(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  \
                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,   \
                     1, 1, 1, 0, 0)
#define RILL_COMMA_(...) ,
#define RILL_IS_EMPTY_(...)                                                                                            \
    RILL_IS_EMPTY_TESTS_(RILL_HAS_COMMA_(__VA_ARGS__), RILL_HAS_COMMA_(RILL_COMMA_ __VA_ARGS__),                       \
                         RILL_HAS_COMMA_(__VA_ARGS__()), RILL_HAS_COMMA_(RILL_COMMA_ __VA_ARGS__()))
#define RILL_IS_EMPTY_TESTS_(a, b, c, d) RILL_HAS_COMMA_(RILL_PASTE5_(RILL_IS_EMPTY_CASE_, a, b, c, d))
#define RILL_IS_EMPTY_CASE_0001 ,
#define RILL_PASTE_(a, b) RILL_PASTE_NOW_(a, b)
#define RILL_PASTE_NOW_(a, b) a##b
#define RILL_PASTE3_(a, b, c) RILL_PASTE3_NOW_(a, b, c)
#define RILL_PASTE3_NOW_(a, b, c) a##b##c
#define RILL_PASTE5_(a, b, c, d, e) a##b##c##d##e
#define RILL_MAP_1_(x) RILL_ARG(x)
#define RILL_MAP_2_(x, ...) RILL_ARG(x), RILL_MAP_1_(__VA_ARGS__)
#define RILL_MAP_3_(x, ...) RILL_ARG(x), RILL_MAP_2_(__VA_ARGS__)
#define RILL_MAP_4_(x, ...) RILL_ARG(x), RILL_MAP_3_(__VA_ARGS__)
#define RILL_MAP_5_(x, ...) RILL_ARG(x), RILL_MAP_4_(__VA_ARGS__)
#define RILL_MAP_6_(x, ...) RILL_ARG(x), RILL_MAP_5_(__VA_ARGS__)
#define RILL_MAP_7_(x, ...) RILL_ARG(x), RILL_MAP_6_(__VA_ARGS__)
#define RILL_MAP_8_(x, ...) RILL_ARG(x), RILL_MAP_7_(__VA_ARGS__)
#define RILL_MAP_9_(x, ...) RILL_ARG(x), RILL_MAP_8_(__VA_ARGS__)
#define RILL_MAP_10_(x, ...) RILL_ARG(x), RILL_MAP_9_(__VA_ARGS__)
#define RILL_MAP_11_(x, ...) RILL_ARG(x), RILL_MAP_10_(__VA_ARGS__)
#define RILL_MAP_12_(x, ...) RILL_ARG(x), RILL_MAP_11_(__VA_ARGS__)
#define RILL_MAP_13_(x, ...) RILL_ARG(x), RILL_MAP_12_(__VA_ARGS__)
#define RILL_MAP_14_(x, ...) RILL_ARG(x), RILL_MAP_13_(__VA_ARGS__)
#define RILL_MAP_15_(x, ...) RILL_ARG(x), RILL_MAP_14_(__VA_ARGS__)
#define RILL_MAP_16_(x, ...) RILL_ARG(x), RILL_MAP_15_(__VA_ARGS__)
#define RILL_MAP_17_(x, ...) RILL_ARG(x), RILL_MAP_16_(__VA_ARGS__)
#define RILL_MAP_18_(x, ...) RILL_ARG(x), RILL_MAP_17_(__VA_ARGS__)
#define RILL_MAP_19_(x, ...) RILL_ARG(x), RILL_MAP_18_(__VA_ARGS__)
#define RILL_MAP_20_(x, ...) RILL_ARG(x), RILL_MAP_19_(__VA_ARGS__)
#define RILL_MAP_21_(x, ...) RILL_ARG(x), RILL_MAP_20_(__VA_ARGS__)
#define RILL_MAP_22_(x, ...) RILL_ARG(x), RILL_MAP_21_(__VA_ARGS__)
#define RILL_MAP_23_(x, ...) RILL_ARG(x), RILL_MAP_22_(__VA_ARGS__)
#define RILL_MAP_24_(x, ...) RILL_ARG(x), RILL_MAP_23_(__VA_ARGS__)
#define RILL_MAP_25_(x, ...) RILL_ARG(x), RILL_MAP_24_(__VA_ARGS__)
#define RILL_MAP_26_(x, ...) RILL_ARG(x), RILL_MAP_25_(__VA_ARGS__)
#define RILL_MAP_27_(x, ...) RILL_ARG(x), RILL_MAP_26_(__VA_ARGS__)
#define RILL_MAP_28_(x, ...) RILL_ARG(x), RILL_MAP_27_(__VA_ARGS__)
#define RILL_MAP_29_(x, ...) RILL_ARG(x), RILL_MAP_28_(__VA_ARGS__)
#define RILL_MAP_30_(x, ...) RILL_ARG(x), RILL_MAP_29_(__VA_ARGS__)
#define RILL_MAP_31_(x, ...) RILL_ARG(x), RILL_MAP_30_(__VA_ARGS__)
#define RILL_MAP_32_(x, ...) RILL_ARG(x), RILL_MAP_31_(__VA_ARGS__)
#define RILL_MAP_33_(x, ...) RILL_ARG(x), RILL_MAP_32_(__VA_ARGS__)
#define RILL_MAP_34_(x, ...) RILL_ARG(x), RILL_MAP_33_(__VA_ARGS__)
#define RILL_MAP_35_(x, ...) RILL_ARG(x), RILL_MAP_34_(__VA_ARGS__)
#define RILL_MAP_36_(x, ...) RILL_ARG(x), RILL_MAP_35_(__VA_ARGS__)
#define RILL_MAP_37_(x, ...) RILL_ARG(x), RILL_MAP_36_(__VA_ARGS__)
#define RILL_MAP_38_(x, ...) RILL_ARG(x), RILL_MAP_37_(__VA_ARGS__)
#define RILL_MAP_39_(x, ...) RILL_ARG(x), RILL_MAP_38_(__VA_ARGS__)
#define RILL_MAP_40_(x, ...) RILL_ARG(x), RILL_MAP_39_(__VA_ARGS__)
#define RILL_MAP_41_(x, ...) RILL_ARG(x), RILL_MAP_40_(__VA_ARGS__)
#define RILL_MAP_42_(x, ...) RILL_ARG(x), RILL_MAP_41_(__VA_ARGS__)
#define RILL_MAP_43_(x, ...) RILL_ARG(x), RILL_MAP_42_(__VA_ARGS__)
#define RILL_MAP_44_(x, ...) RILL_ARG(x), RILL_MAP_43_(__VA_ARGS__)
#define RILL_MAP_45_(x, ...) RILL_ARG(x), RILL_MAP_44_(__VA_ARGS__)
#define RILL_MAP_46_(x, ...) RILL_ARG(x), RILL_MAP_45_(__VA_ARGS__)
#define RILL_MAP_47_(x, ...) RILL_ARG(x), RILL_MAP_46_(__VA_ARGS__)
#define RILL_MAP_48_(x, ...) RILL_ARG(x), RILL_MAP_47_(__VA_ARGS__)
#define RILL_MAP_49_(x, ...) RILL_ARG(x), RILL_MAP_48_(__VA_ARGS__)
#define RILL_MAP_50_(x, ...) RILL_ARG(x), RILL_MAP_49_(__VA_ARGS__)
#define RILL_MAP_51_(x, ...) RILL_ARG(x), RILL_MAP_50_(__VA_ARGS__)
#define RILL_MAP_52_(x, ...) RILL_ARG(x), RILL_MAP_51_(__VA_ARGS__)
#define RILL_MAP_53_(x, ...) RILL_ARG(x), RILL_MAP_52_(__VA_ARGS__)
#define RILL_MAP_54_(x, ...) RILL_ARG(x), RILL_MAP_53_(__VA_ARGS__)
#define RILL_MAP_55_(x, ...) RILL_ARG(x), RILL_MAP_54_(__VA_ARGS__)
#define RILL_MAP_56_(x, ...) RILL_ARG(x), RILL_MAP_55_(__VA_ARGS__)
#define RILL_MAP_57_(x, ...) RILL_ARG(x), RILL_MAP_56_(__VA_ARGS__)
#define RILL_MAP_58_(x, ...) RILL_ARG(x), RILL_MAP_57_(__VA_ARGS__)
#define RILL_MAP_59_(x, ...) RILL_ARG(x), RILL_MAP_58_(__VA_ARGS__)
#define RILL_MAP_60_(x, ...) RILL_ARG(x), RILL_MAP_59_(__VA_ARGS__)
#define RILL_MAP_61_(x, ...) RILL_ARG(x), RILL_MAP_60_(__VA_ARGS__)
#define RILL_MAP_62_(x, ...) RILL_ARG(x), RILL_MAP_61_(__VA_ARGS__)
#define RILL_MAP_63_(x, ...) RILL_ARG(x), RILL_MAP_62_(__VA_ARGS__)
#define RILL_MAP_64_(x, ...) RILL_ARG(x), RILL_MAP_63_(__VA_ARGS__)
#endif
#endif
