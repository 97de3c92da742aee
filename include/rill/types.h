// Element types and shapes.
#ifndef RILL_TYPES_H
#define RILL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The scalar types, written once: X(name, value, bytes, C name).
#define RILL_TYPE_LIST(X)                                                                                              \
    X(BOOL, 1, 1, "_Bool")                                                                                             \
    X(I8, 2, 1, "int8_t")                                                                                              \
    X(U8, 3, 1, "uint8_t")                                                                                             \
    X(I16, 4, 2, "int16_t")                                                                                            \
    X(U16, 5, 2, "uint16_t")                                                                                           \
    X(I32, 6, 4, "int32_t")                                                                                            \
    X(U32, 7, 4, "uint32_t")                                                                                           \
    X(I64, 8, 8, "int64_t")                                                                                            \
    X(U64, 9, 8, "uint64_t")                                                                                           \
    X(F32, 10, 4, "float")                                                                                             \
    X(F64, 11, 8, "double")                                                                                            \
    X(F16, 12, 2, "_Float16")                                                                                          \
    X(BF16, 13, 2, "__bf16")

typedef enum rill_type {
    RILL_RECORD = 0, // a struct or union: its size is given beside it
#define RILL_TYPE_ENUM(name, value, bytes, text) RILL_##name = value,
    RILL_TYPE_LIST(RILL_TYPE_ENUM)
#undef RILL_TYPE_ENUM
} rill_type;

enum { RILL_MAX_RANK = 16, RILL_MAX_ARGS = 64 };

// The extents of an array, outermost first. RILL_SHAPE(n, m) makes one of 1 to RILL_MAX_RANK extents.
typedef struct rill_shape {
    int64_t extents[RILL_MAX_RANK];
    int32_t rank;
} rill_shape;

// Counts 1 to 64 arguments.
#define RILL_COUNT_(...)                                                                                               \
    RILL_COUNT_PICK_(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44,  \
                     43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,   \
                     19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define RILL_COUNT_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20,    \
                         a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38,     \
                         a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56,     \
                         a57, a58, a59, a60, a61, a62, a63, a64, n, ...)                                               \
    n

#ifdef __cplusplus
}

template <typename... Extents> inline rill_shape rill_shape_of_(Extents... extents)
{
    static_assert(sizeof...(extents) >= 1 && sizeof...(extents) <= RILL_MAX_RANK, "a shape has 1 to 16 extents");
    return rill_shape{{static_cast<int64_t>(extents)...}, static_cast<int32_t>(sizeof...(extents))};
}
#define RILL_SHAPE(...) rill_shape_of_(__VA_ARGS__)
#else
#define RILL_SHAPE(...) ((rill_shape){{__VA_ARGS__}, RILL_COUNT_(__VA_ARGS__)})
#endif
#endif
