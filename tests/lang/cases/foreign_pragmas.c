// Hints of other compilers are passed over; what would change a result is done or said.
#include <rill/kernel.h>
#pragma GCC diagnostic push
#pragma GCC optimize("O3", "unroll-loops")
#pragma GCC ivdep
#pragma clang loop unroll(enable)
#pragma unroll(4)
#pragma region helpers
#pragma
#pragma STDC CX_LIMITED_RANGE ON
#pragma STDC FP_CONTRACT OFF
#pragma STDC FP_CONTRACT ON
#pragma STDC FP_CONTRACT DEFAULT
#pragma clang fp contract(off)
#pragma clang fp reassociate(on)
#pragma fp_contract(off)
#pragma weak f
#pragma redefine_extname sin my_sin
#pragma STDC FENV_ACCESS ON
#pragma STDC FP_CONTRACT MAYBE
#pragma GCC optimize("fp-contract=off")
#pragma scalar_storage_order big-endian
#pragma ms_struct on
#pragma options align=packed
#pragma GCC warning "old"
#pragma GCC error "too old"
#pragma rlil parallel
#pragma frobnicate 3
#pragma GCC frobnicate
#pragma 3
_Pragma("weak g")

struct s { char c; int i; };
#pragma pack(frob)
#pragma pack(pop, outer)
#pragma pack(push, outer, 1)
struct one { char c; int i; };
#pragma pack(push, inner, 2)
struct two { char c; int i; };
#pragma pack(frob)
#pragma pack(push)
#pragma pack(pop, outer)
_Static_assert(sizeof(struct one) == 5 && sizeof(struct two) == 6, "packed");
struct four { char c; int i; };
_Static_assert(sizeof(struct four) == 8, "back to what was before 'outer'");
#pragma pack(push, 1)
#pragma pack(pop, nowhere)
struct five { char c; int i; };
_Static_assert(sizeof(struct five) == 8, "the last push counts");

kernel void f(int n, float x[n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        x[i] += 1;
    }
}
