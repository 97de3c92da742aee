// What streams, events and blocks cost on the CPU, beside what the machine itself takes (a futex, bare threads), PoCL's
// queues and OpenMP tasks. Peers take turns in one process; medians are compared. The peers are in bench/streams/.
//
//     make bench                          or      build/release/bench/streams [rounds [peer …]]
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEERS = 5, MAX_ROUNDS = 101, PAUSE_US = 5000 };

static struct peer *const peers[PEERS] = {&peer_rill, &peer_bare, &peer_gcc, &peer_clang, &peer_opencl};
static bool is_open[PEERS];

struct row {
    const char *name;
    enum shape shape;
    int k; // 0: as many as there are processors
};

static const struct row rows[] = {
    {"enqueue, threads awake", SHAPE_ENQUEUE, 1},
    {"enqueue, threads asleep", SHAPE_IDLE, 1},
    {"enqueue and wait", SHAPE_COMPLETE, 1},
    {"event record and wait, calls", SHAPE_EVENT, 1},
    {"kernel, event, kernel", SHAPE_CHAIN, 1},
    {"fork/join of 2", SHAPE_FORK, 2},
    {"fork/join of 4", SHAPE_FORK, 4},
    {"fork/join of 8", SHAPE_FORK, 8},
    {"1 thread, each launch", SHAPE_THREADS, 1},
    {"2 threads, each launch", SHAPE_THREADS, 2},
    {"4 threads, each launch", SHAPE_THREADS, 4},
};

// Of each row and peer, measured with the row.
static double shares[sizeof rows / sizeof rows[0]][PEERS][KIND_COUNT];

enum { SPIN_ROWS = 3, SERIAL_ROUNDS = 3, SPIN_ROUNDS = 15 };

static const struct row spin_rows[SPIN_ROWS] = {
    {"one after the other", SHAPE_SERIAL, 0},
    {"at the same time", SHAPE_OVERLAP, 0},
    {"the same, threads asleep", SHAPE_OVERLAP_IDLE, 0},
};

// Of the rounds of one row.
struct figures {
    double median[PEERS]; // a NAN where there is no such thing
    double least[PEERS];
    int rounds;
    double times[PEERS][MAX_ROUNDS];
};

static int processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 2 ? 2 : count > MAX_K ? MAX_K : (int)count;
}

// Threads of a peer that waited a moment ago still spin: a pause lets them come to rest. Who comes after whom changes
// from round to round: one that has touched much leaves the caches empty, one that has touched little does not.
static void measure(const struct row *row, int rounds, struct figures *out, double kinds[PEERS][KIND_COUNT])
{
    int k = row->k > 0 ? row->k : processors();
    rounds = row->shape == SHAPE_OVERLAP_IDLE && rounds > 9 ? 9 : rounds; // each waits until all sleep, and is long
    out->rounds = rounds;
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < PEERS; i++) {
            int p = r % 2 == 0 ? (r / 2 + i) % PEERS : (r / 2 + PEERS - 1 - i) % PEERS;
            if (is_open[p]) {
                usleep(PAUSE_US);
                out->times[p][r] = peers[p]->sample(peers[p], row->shape, k);
            }
        }
    }
    for (int p = 0; p < PEERS; p++) {
        double times[MAX_ROUNDS];
        memcpy(times, out->times[p], sizeof times);
        bool has_times = is_open[p] && !isnan(times[0]);
        out->median[p] = has_times ? bench_median(times, rounds) : (double)NAN; // it puts them in order
        out->least[p] = has_times ? times[0] : (double)NAN;
        if (is_open[p] && peers[p]->kinds != NULL) {
            usleep(PAUSE_US);
            peers[p]->kinds(peers[p], row->shape, k, kinds[p]);
        }
    }
}

// |kinds| may be NULL. A star stands where tasks were not deferred.
static void print_row(const char *name, const double *values, const char *format, double kinds[PEERS][KIND_COUNT])
{
    printf("%-28s", name);
    for (int p = 0; p < PEERS; p++) {
        bool is_inside = kinds != NULL && kinds[p][KIND_INSIDE] >= 0.5;
        if (isnan(values[p])) {
            printf("%12s ", "-");
        } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            printf(format, values[p]);
#pragma GCC diagnostic pop
            putchar(is_inside ? '*' : ' ');
        }
    }
    putchar('\n');
    fflush(stdout);
}

static void print_heads(const char *title)
{
    printf("%-28s", title);
    for (int p = 0; p < PEERS; p++) {
        printf("%12s ", peers[p]->name);
    }
    putchar('\n');
}

// How much faster than one after the other, beside what bare threads gain. Round by round, and the median of that: a
// machine that is slow for a while is slow for both.
static void print_gain(const char *name, const struct figures *serial, const struct figures *overlapped)
{
    double gain[PEERS];
    for (int p = 0; p < PEERS; p++) {
        double ratios[MAX_ROUNDS];
        for (int r = 0; r < overlapped->rounds; r++) {
            ratios[r] = overlapped->times[1][r] / overlapped->times[p][r];
        }
        bool has_times = is_open[1] && is_open[p];
        gain[p] =
            has_times ? serial->median[p] / serial->median[1] * bench_median(ratios, overlapped->rounds) : (double)NAN;
    }
    print_row(name, gain, "%12.3f", NULL);
}

static void measure_spins(int rounds)
{
    static struct figures figures[SPIN_ROWS];
    double kinds[SPIN_ROWS][PEERS][KIND_COUNT] = {{{0}}};
    char title[64];
    snprintf(title, sizeof title, "\n%d spins on %d streams, us", processors(), processors());
    print_heads(title);
    for (int i = 0; i < SPIN_ROWS; i++) {
        int most = i == 0 ? SERIAL_ROUNDS : SPIN_ROUNDS; // they are long
        measure(&spin_rows[i], rounds < most ? rounds : most, &figures[i], kinds[i]);
        print_row(spin_rows[i].name, figures[i].median, "%12.0f", kinds[i]);
        print_row("    the least", figures[i].least, "%12.0f", NULL);
    }
    print_gain("gain, of bare threads", &figures[0], &figures[1]);
    print_gain("the same, threads asleep", &figures[0], &figures[2]);
}

// Who ran a peer's tasks. What the call that makes it runs itself is not queued at all, and no launch compares with it.
static void print_kinds(int p)
{
    printf("%-28s%12s%12s%12s\n", peers[p]->name, "in the call", "in the wait", "elsewhere");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double *share = shares[i][p];
        printf("%-28s%11.0f%%%11.0f%%%11.0f%%%s\n", rows[i].name, 100 * share[KIND_INSIDE], 100 * share[KIND_IN_WAIT],
               100 * share[KIND_ELSEWHERE], share[KIND_INSIDE] >= 0.5 ? "  not deferred" : "");
    }
}

// Rill always, the others unless some are named.
static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return argc <= 2 || strcmp(name, peers[0]->name) == 0;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 21;
    rounds = rounds < 3 ? 3 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (int p = 0; p < PEERS; p++) {
        const char *why = is_wanted(peers[p]->name, argc, argv) ? peers[p]->open(peers[p]) : "not asked for";
        is_open[p] = why == NULL;
        if (why != NULL) {
            printf("%s is left out: %s\n", peers[p]->name, why);
        }
    }
    if (!is_open[0]) {
        return 1;
    }
    printf("microseconds, medians of %d rounds taken in turn; %d processors. 'bare' is a futex call that wakes a "
           "thread, and "
           "threads\nof the C library; for OpenMP an event is a task that another depends on, and * marks tasks that "
           "were not "
           "deferred:\nmost of them ran inside the call that made them\n\n",
           rounds, processors());
    print_heads("");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct figures figures;
        measure(&rows[i], rounds, &figures, shares[i]);
        print_row(rows[i].name, figures.median, "%12.3f", shares[i]);
    }
    measure_spins(rounds);
    putchar('\n');
    for (int p = 0; p < PEERS; p++) {
        if (is_open[p] && peers[p]->kinds != NULL) {
            print_kinds(p);
        }
        if (is_open[p] && peers[p]->close != NULL) {
            peers[p]->close(peers[p]);
        }
    }
    return 0;
}
