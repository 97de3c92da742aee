// What the headers that `rill build` writes are made of: arguments whose types the compiler checks. A parameter takes a
// rill_array, what RILL_HOST and RILL_PTR make (which the launch checks), and, where it has extents, a pointer to host
// memory of as many elements: to const ones only if the kernel does not write them. In C++ also a rill::array, and a
// std::vector, std::array or std::span, whose size the launch compares with the extents.
#ifndef RILL_TYPED_H
#define RILL_TYPED_H

#include "rill/args.h"

static inline rill_arg rill_typed_host_(const void *memory)
{
    return rill_arg_memory(RILL_ARG_HOST, RILL_RECORD, memory, RILL_WHOLE, 0);
}

static inline rill_arg rill_typed_const_host_(const void *memory)
{
    return rill_arg_memory(RILL_ARG_CONST_HOST, RILL_RECORD, memory, RILL_WHOLE, 0);
}

// What is of a checked type has the size of that type.
static inline rill_arg rill_typed_sized_(rill_arg arg, uint64_t size)
{
    if (arg.size == 0) {
        arg.size = size;
    }
    return arg;
}

#ifdef __cplusplus

// The elements of a parameter: rill_typed_scalar_ of a type, or a struct.
template <rill_type Type> struct rill_typed_scalar_ {
};
template <typename Element, typename Type> struct rill_typed_fits_ {
    static const bool value = rill_is_same_<Element, Type>::value;
};
template <rill_type Scalar, typename Type> struct rill_typed_fits_<rill_typed_scalar_<Scalar>, Type> {
    static const bool value = rill_type_of_<Type>::value == Scalar;
};
template <typename Type> struct rill_typed_bare_ {
    typedef Type type;
    static const bool is_const = false;
};
template <typename Type> struct rill_typed_bare_<const Type> {
    typedef Type type;
    static const bool is_const = true;
};
template <bool Holds> struct rill_typed_if_ {
};
template <> struct rill_typed_if_<true> {
    typedef int type;
};

// |Pointed|, as it stands behind a pointer, fits a parameter of |Element| that may be |IsConst|; |Holds| too.
template <bool Holds, typename Element, bool IsConst, typename Pointed>
struct rill_typed_takes_
    : rill_typed_if_<Holds && rill_typed_fits_<Element, typename rill_typed_bare_<Pointed>::type>::value &&
                     (IsConst || !rill_typed_bare_<Pointed>::is_const)> {
};
template <typename Pointer> struct rill_typed_pointed_ {
};
template <typename Pointed> struct rill_typed_pointed_<Pointed *> {
    typedef Pointed type;
};

template <typename Element, bool IsConst, bool HasExtents> struct rill_typed_any_ {
    rill_arg arg;

    rill_typed_any_(rill_array array) : arg(rill_arg_array(array))
    {
    }
    rill_typed_any_(const rill_arg &given) : arg(given)
    {
    }
    // A pointer: as many elements as the extents say.
    template <typename Pointed, typename rill_typed_takes_<HasExtents, Element, IsConst, Pointed>::type = 0>
    rill_typed_any_(Pointed *memory)
        : arg(rill_arg_memory(rill_typed_bare_<Pointed>::is_const ? RILL_ARG_CONST_HOST : RILL_ARG_HOST,
                              rill_type_of_<Pointed>::value, memory, RILL_WHOLE, sizeof(Pointed)))
    {
    }
    // An owner of an array.
    template <typename Owner>
    rill_typed_any_(const Owner &owner, decltype(rill_arg_array(owner.get())) * = nullptr)
        : arg(rill_arg_array(owner.get()))
    {
    }
    // A container of any size: the launch compares it with the extents.
    template <typename Container>
    rill_typed_any_(
        Container &&container,
        typename rill_typed_takes_<true, Element, IsConst,
                                   typename rill_typed_pointed_<decltype(container.data())>::type>::type = 0)
        : arg(rill_arg_of_(static_cast<Container &&>(container)))
    {
    }
};

template <typename Element> using rill_typed_ = rill_typed_any_<Element, false, true>;
template <typename Element> using rill_typed_const_ = rill_typed_any_<Element, true, true>;
template <typename Element> using rill_typed_whole_ = rill_typed_any_<Element, false, false>;
template <typename Element> using rill_typed_whole_const_ = rill_typed_any_<Element, true, false>;

#else

// clang-format off
#define RILL_TYPED_WHOLE_(x) __extension__ _Generic((x), rill_array: rill_arg_array, rill_arg: rill_arg_same_)(x)
#define RILL_TYPED_OF_(x, size, ...)                                                                                   \
    rill_typed_sized_(__extension__ _Generic((x), rill_array: rill_arg_array, rill_arg: rill_arg_same_, __VA_ARGS__)(x), size)
#define RILL_TYPED_ONE_(x, type) RILL_TYPED_OF_(x, sizeof(type), type *: rill_typed_host_)
#define RILL_TYPED_CONST_ONE_(x, type)                                                                                 \
    RILL_TYPED_OF_(x, sizeof(type), type *: rill_typed_host_, const type *: rill_typed_const_host_)
#define RILL_TYPED_TWO_(x, a, b) RILL_TYPED_OF_(x, sizeof(a), a *: rill_typed_host_, b *: rill_typed_host_)
#define RILL_TYPED_CONST_TWO_(x, a, b)                                                                                 \
    RILL_TYPED_OF_(x, sizeof(a), a *: rill_typed_host_, b *: rill_typed_host_, const a *: rill_typed_const_host_,      \
                   const b *: rill_typed_const_host_)

#define RILL_TYPED_BOOL_(x) RILL_TYPED_ONE_(x, _Bool)
#define RILL_TYPED_CONST_BOOL_(x) RILL_TYPED_CONST_ONE_(x, _Bool)
#define RILL_TYPED_I8_(x) RILL_TYPED_TWO_(x, char, signed char)
#define RILL_TYPED_CONST_I8_(x) RILL_TYPED_CONST_TWO_(x, char, signed char)
#define RILL_TYPED_U8_(x) RILL_TYPED_ONE_(x, unsigned char)
#define RILL_TYPED_CONST_U8_(x) RILL_TYPED_CONST_ONE_(x, unsigned char)
#define RILL_TYPED_I16_(x) RILL_TYPED_ONE_(x, short)
#define RILL_TYPED_CONST_I16_(x) RILL_TYPED_CONST_ONE_(x, short)
#define RILL_TYPED_U16_(x) RILL_TYPED_ONE_(x, unsigned short)
#define RILL_TYPED_CONST_U16_(x) RILL_TYPED_CONST_ONE_(x, unsigned short)
#define RILL_TYPED_I32_(x) RILL_TYPED_ONE_(x, int)
#define RILL_TYPED_CONST_I32_(x) RILL_TYPED_CONST_ONE_(x, int)
#define RILL_TYPED_U32_(x) RILL_TYPED_ONE_(x, unsigned int)
#define RILL_TYPED_CONST_U32_(x) RILL_TYPED_CONST_ONE_(x, unsigned int)
#define RILL_TYPED_I64_(x) RILL_TYPED_TWO_(x, long, long long)
#define RILL_TYPED_CONST_I64_(x) RILL_TYPED_CONST_TWO_(x, long, long long)
#define RILL_TYPED_U64_(x) RILL_TYPED_TWO_(x, unsigned long, unsigned long long)
#define RILL_TYPED_CONST_U64_(x) RILL_TYPED_CONST_TWO_(x, unsigned long, unsigned long long)
#define RILL_TYPED_F32_(x) RILL_TYPED_ONE_(x, float)
#define RILL_TYPED_CONST_F32_(x) RILL_TYPED_CONST_ONE_(x, float)
#define RILL_TYPED_F64_(x) RILL_TYPED_ONE_(x, double)
#define RILL_TYPED_CONST_F64_(x) RILL_TYPED_CONST_ONE_(x, double)
#ifdef __FLT16_MAX__
#define RILL_TYPED_F16_(x) RILL_TYPED_ONE_(x, rill_f16_)
#define RILL_TYPED_CONST_F16_(x) RILL_TYPED_CONST_ONE_(x, rill_f16_)
#else
#define RILL_TYPED_F16_(x) RILL_TYPED_WHOLE_(x)
#define RILL_TYPED_CONST_F16_(x) RILL_TYPED_WHOLE_(x)
#endif
#define RILL_TYPED_BF16_(x) RILL_TYPED_WHOLE_(x)
#define RILL_TYPED_CONST_BF16_(x) RILL_TYPED_WHOLE_(x)
#define RILL_TYPED_RECORD_(x, type) RILL_TYPED_ONE_(x, type)
#define RILL_TYPED_CONST_RECORD_(x, type) RILL_TYPED_CONST_ONE_(x, type)

#define RILL_TYPED_NUMBER_(x) (+(x)) // no pointer, no struct
#define RILL_TYPED_RESULT_(x, type) __extension__ _Generic((x), type *: (x))
// clang-format on

#endif
#endif
