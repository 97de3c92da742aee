// The parts of `rill demo`. Each prints what it shows; a status that is not RILL_OK ends the tour.
#ifndef RILL_CLI_DEMO_H
#define RILL_CLI_DEMO_H

#include "cli/cli.h"

// demo_gcc.c: builds |source|, which holds the kernel heat, with gcc as a serial program, runs it over the same cells,
// and compares the bits of every cell with |checksum|. Says why if it cannot. False if the results differ.
struct demo_heat {
    const char *source;
    int n;
    int steps;
    uint64_t checksum; // of Rill's cells
    double time;       // Rill's, in milliseconds
};
bool demo_compare_with_gcc(const struct demo_heat *heat);

// demo_spins.c: two kernels that each keep one thread busy, one after the other, on two streams, and as two blocks.
rill_status demo_spins(void);

double demo_now(void); // milliseconds

#endif
