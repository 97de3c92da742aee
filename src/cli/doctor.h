// What `rill doctor` is made of.
#ifndef RILL_CLI_DOCTOR_H
#define RILL_CLI_DOCTOR_H

#include "cli/cli.h"

struct doctor {
    int problem_count;
};

// A line: what it is about, and how that is.
void doctor_say(const char *what, const char *is);
// A fault, and the sentence or the command that mends it.
void doctor_complain(struct doctor *doctor, const char *what, const char *is, const char *remedy);

void doctor_check_devices(struct doctor *doctor);
void doctor_check_limits(struct doctor *doctor);
// |uses_it|: something small is compiled and found again.
void doctor_check_cache(struct doctor *doctor, bool uses_it);

// Microseconds; negative: not measured.
struct doctor_times {
    double launch;  // queue a small kernel
    double round;   // queue it and wait for it
    double event;   // record an event, and let another stream wait for it
    double fork;    // two kernels at the same time, forked and joined, and wait for them
    double overlap; // how long two long kernels took side by side, of how long one after the other
};

// Runs small kernels on |device| and compares what they compute. The status says what failed.
rill_status doctor_measure(const char *device, struct doctor_times *out);
// The same by the NVIDIA driver's own calls, without Rill. False where that cannot be done.
bool doctor_measure_cuda(struct doctor_times *out);
// What a thread of the C library costs that sleeps: woken and answered.
bool doctor_measure_threads(struct doctor_times *out);

double doctor_now(void); // microseconds

typedef bool doctor_call(void *user); // whether it succeeded
// Microseconds of one |call|: the least of several batches, each one followed by |settle|, unless that is NULL, outside
// of the time. The first batch is left aside. Negative: a call failed.
double doctor_time_of(doctor_call *call, doctor_call *settle, void *user);

#endif
