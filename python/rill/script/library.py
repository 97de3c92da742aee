"""What kernels in Python may call, and the C functions for what Python means by its operators."""

# Names of the math module and of NumPy → C's. The result is a float.
MATH = {name: name for name in (
    "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc", "fabs", "trunc", "rint")}
MATH.update({"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
             "arctanh": "atanh", "gamma": "tgamma", "lgamma": "lgamma", "rsqrt": "rill_rsqrt"})
MATH2 = {"atan2": "atan2", "arctan2": "atan2", "pow": "pow", "power": "pow", "hypot": "hypot", "fmod": "fmod",
         "copysign": "copysign", "fmin": "fmin", "fmax": "fmax", "remainder": "remainder"}
ATOMICS = ("add", "sub", "mul", "min", "max", "and_", "or_", "xor", "exchange")
RANDOM = {"random_u32": "u32", "random_f32": "f32", "random_f64": "f64", "random_normal_f32": "f32"}

# What Python means where C means something else; {T} is the type, {N} its name, {F} the suffix of math functions. A
# function that another one needs stands first.
OPERATORS = {
    # The quotient rounded down. The sign of the remainder is the divisor's.
    "floordiv_int": "static inline {T} rill_floordiv_{N}({T} a, {T} b) "
                    "{{ {T} q = a / b; return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q; }}",
    "mod_int": "static inline {T} rill_mod_{N}({T} a, {T} b) "
               "{{ {T} r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r; }}",
    "mod_float": "static inline {T} rill_mod_{N}({T} a, {T} b) "
                 "{{ {T} r = fmod{F}(a, b); return r != 0 ? ((r < 0) != (b < 0) ? r + b : r) : copysign{F}(0, b); }}",
    "floordiv_float": "static inline {T} rill_floordiv_{N}({T} a, {T} b) "
                      "{{ {T} r = fmod{F}(a, b), d = (a - r) / b; d = r != 0 && (r < 0) != (b < 0) ? d - 1 : d; "
                      "{T} w = floor{F}(d); return d == 0 ? copysign{F}(0, a / b) : d - w > ({T})0.5 ? w + 1 : w; }}",
    # An integer to a power that is not negative.
    "pow_int": "static inline {T} rill_pow_{N}({T} a, int n) "
               "{{ {T} r = 1; for (; n > 0; n >>= 1) {{ if (n & 1) {{ r *= a; }} a *= a; }} return r; }}",
    "range_count": "static inline {T} rill_range_{N}({T} a, {T} b, {T} s) "
                   "{{ return s > 0 ? (b > a ? (b - a - 1) / s + 1 : 0) : s < 0 && a > b ? (a - b - 1) / -s + 1 : 0; }}",
    "square": "static inline {T} rill_square_{N}({T} a) {{ return a * a; }}",
    "cube": "static inline {T} rill_cube_{N}({T} a) {{ return a * a * a; }}",
}

# Names that C, its headers or Rill have: a local of that name gets another.
RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false "
    "kernel stream_parallel assert printf NULL INFINITY NAN y0 y1 yn j0 j1 jn signgam abs labs llabs fma floor ceil round "
    "main size_t ptrdiff_t asm typeof div ldiv index "
    # Macros of <stdio.h>, <assert.h>, <math.h>, <stdint.h> and compilers, and what those headers declare beside functions of numbers.
    "EOF BUFSIZ FILENAME_MAX FOPEN_MAX TMP_MAX SEEK_SET SEEK_CUR SEEK_END HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO "
    "FP_NORMAL FP_SUBNORMAL FP_ILOGB0 FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT SIZE_MAX INTMAX_MAX UINTMAX_MAX PTRDIFF_MAX WCHAR_MAX "
    "M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 stdin stdout stderr FILE "
    "linux unix static_assert isnan isinf isfinite isnormal signbit fpclassify isgreater isless puts putchar fprintf sprintf snprintf "
    "frexp ldexp modf scalbn ilogb logb nan nextafter fdim lround llround lrint llrint nearbyint roundf remquo sincos".split())
RESERVED |= {name + end for name in (*MATH.values(), *MATH2.values(), "floor", "ceil", "round", "fma", "fdim", "modf", "frexp", "ldexp")
             for end in ("", "f", "l")}
RESERVED |= {f"{sign}INT{bits}_{end}" for sign in ("", "U") for bits in (8, 16, 32, 64) for end in ("MIN", "MAX", "C")}


def suffix(dtype):
    return "f" if dtype.size < 8 else ""
