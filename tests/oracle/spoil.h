// Planted faults, each with a kernel in which it is one and the words that the oracle must find for it.
#ifndef RILL_TESTS_ORACLE_SPOIL_H
#define RILL_TESTS_ORACLE_SPOIL_H

#include "ir/ir.h"

struct spoil_case {
    const char *name;
    bool (*spoil)(struct ir_module *module, struct ir_function *kernel); // false: there was nothing to spoil
    const char *words;
    const char *body; // of SPOIL_KERNEL; or a kernel of its own
};

extern const struct spoil_case spoil_cases[]; // the last has no name

#define SPOIL_KERNEL                                                                                                   \
    "#include <rill/kernel.h>\n"                                                                                       \
    "kernel void f(int n, int m, int k, int a[restrict n][m], const int b[restrict n][k], const int c[restrict "       \
    "k][m],\n"                                                                                                         \
    "              int x[restrict n], int y[restrict n], int z[restrict n + m])\n{\n%s\n}\n"

// Calls every loop one in order: no fault, but much is missed then.
bool spoil_call_in_order(struct ir_module *module, struct ir_function *kernel);

#endif
