// What to say of a name that nobody declared: the header that has it, what Rill has in the place of a word of CUDA or
// C++, or which name is near.
#include "lang/parse.h"
#include "lang/scope.h"

#include <string.h>

// Whether |names|, words between spaces, has the name.
static bool has_name(const char *names, const char *name)
{
    char word[64];
    size_t length = strlen(name);
    if (length + 3 > sizeof word) {
        return false;
    }
    word[0] = ' ';
    memcpy(word + 1, name, length);
    memcpy(word + 1 + length, " ", 2);
    return strstr(names, word) != NULL;
}

// Where some library names are declared, for the advice to include it.
static const char *header_of(const char *name)
{
    static const struct {
        const char *header;
        const char *names; // between spaces
    } table[] = {
        {"math.h", " sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 log1p expm1 pow sqrt cbrt "
                   "hypot fabs floor ceil round trunc fmod fmin fmax fma erf erfc tgamma lgamma copysign isnan isinf "
                   "sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf expf exp2f logf log2f log10f powf sqrtf "
                   "cbrtf hypotf fabsf floorf ceilf roundf truncf fmodf fminf fmaxf fmaf erff INFINITY NAN M_PI "},
        {"stdio.h", " printf fprintf puts putchar stdout stderr "},
        {"stdlib.h", " abs labs llabs malloc calloc realloc free exit abort rand qsort "},
        {"string.h", " memcpy memset memmove memcmp strlen strcmp strcpy "},
        {"stdbool.h", " bool true false "},
        {"stddef.h", " size_t ptrdiff_t NULL offsetof "},
        {"stdint.h", " int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t INT32_MAX "
                     "INT64_MAX UINT32_MAX UINT64_MAX INT32_MIN INT64_MIN "},
        {"limits.h", " INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN CHAR_BIT "},
        {"float.h", " FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON "},
        {"assert.h", " assert "},
        {"rill/kernel.h", " kernel stream_parallel rill_random_u32 rill_random_f32 rill_random_f64 "
                          "rill_random_normal_f32 rill_atomic_add rill_atomic_sub rill_atomic_mul rill_atomic_min "
                          "rill_atomic_max rill_atomic_and rill_atomic_or rill_atomic_xor rill_atomic_exchange "
                          "rill_atomic_cas "},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (has_name(table[i].names, name)) {
            return table[i].header;
        }
    }
    return NULL;
}

const char *parse_foreign_advice(const char *name)
{
    static const struct {
        const char *advice;
        const char *names; // between spaces
    } table[] = {
        {": write 'kernel', and a loop over all elements instead of threads", " __global__ __kernel "},
        {": leave it out; any function can be called from a kernel",
         " __device__ __host__ __forceinline__ __noinline__ "},
        {": leave it out; 'const' objects at file scope are constants", " __constant__ "},
        {": declare it inside the loop that uses it, or pass an array", " __shared__ __local "},
        {": there are no thread numbers; write a loop over all elements",
         " threadIdx blockIdx blockDim gridDim warpSize get_global_id get_local_id get_group_id omp_get_thread_num "
         "omp_get_num_threads "},
        {": a loop ends when all its iterations have; write what follows as another loop",
         " __syncthreads __syncwarp __threadfence __threadfence_block barrier "},
        {": write 'x += e', or rill_atomic_add() for the old value",
         " atomicAdd atomicInc atomic_add atomic_fetch_add "},
        {": write 'x -= e', or rill_atomic_sub() for the old value", " atomicSub atomicDec atomic_fetch_sub "},
        {": use rill_atomic_min()", " atomicMin atomic_min "},
        {": use rill_atomic_max()", " atomicMax atomic_max "},
        {": use rill_atomic_and()", " atomicAnd "},
        {": use rill_atomic_or()", " atomicOr "},
        {": use rill_atomic_xor()", " atomicXor "},
        {": use rill_atomic_exchange()", " atomicExch "},
        {": use rill_atomic_cas()", " atomicCAS "},
        {": declare a struct of your own",
         " float2 float3 float4 double2 double3 double4 int2 int3 int4 uint2 uint3 uint4 dim3 "},
        {": write fminf(fmaxf(x, low), high)", " clamp __saturatef "},
        {": use rill_rsqrt() or rill_rsqrtf()", " rsqrt rsqrtf __frsqrt_rn "},
        {": write NULL or 0", " nullptr "},
        {": pass memory as an array; there is no heap in a kernel", " new delete "},
        {": write '(type)value'", " static_cast reinterpret_cast const_cast dynamic_cast "},
        {": kernels are C, not C++",
         " template typename class namespace using std cout cin cerr endl try catch throw virtual public private "
         "protected operator friend decltype explicit mutable "},
        {": write '_Float16'", " __half half __fp16 "},
        {": write '__bf16'", " __nv_bfloat16 bfloat16 "},
        {": the largest integers have 64 bits", " __int128 __int128_t __uint128_t "},
        {": inline assembly is not supported", " asm "},
        {": labels belong to the whole function", " __label__ "},
        {": write the type, or '__typeof__(value)'", " __auto_type "},
        {": write the type, or '__auto_type'", " auto "},
        {": write 'static const', or 'const' inside a function", " constexpr "},
        {": write '__builtin_unreachable()'", " unreachable "},
        {": it is not supported", " thread_local "},
        {": integers have 8, 16, 32 or 64 bits", " _BitInt "},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (has_name(table[i].names, name)) {
            return table[i].advice;
        }
    }
    static const char math[] = " inf inff infl huge_val huge_valf nan nanf isnan isnanf isinf isinff isinf_sign finite "
                               "finitef isfinite isnormal signbit "
                               "signbitf isgreater isgreaterequal isless islessequal islessgreater isunordered ";
    if (strncmp(name, "__builtin_", 10) == 0) {
        return has_name(math, name + 10) ? "; #include <math.h>"
                                         : ": the built-in functions of other compilers are not there";
    }
    return "";
}

const char *parse_name_advice(struct parser *p, const char *name, bool wants_type)
{
    const char *header = header_of(name);
    if (header != NULL) {
        return arena_printf(p->arena, "; #include <%s>", header);
    }
    const char *foreign = parse_foreign_advice(name);
    if (foreign[0] != '\0') {
        return foreign;
    }
    if (p->diags->last_dropped) {
        return ""; // nobody will read it, and looking takes time
    }
    const char *best = scope_suggest(p, name, wants_type);
    return best != NULL ? arena_printf(p->arena, "; did you mean '%s'?", best) : "";
}
