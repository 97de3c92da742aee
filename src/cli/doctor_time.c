#include "cli/doctor.h"

#include <math.h>
#include <time.h>

enum { BATCH = 200, BATCHES = 9 };

double doctor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

double doctor_time_of(doctor_call *call, doctor_call *settle, void *user)
{
    double least = INFINITY;
    for (int batch = -1; batch < BATCHES; batch++) {
        double begin = doctor_now();
        for (int i = 0; i < BATCH; i++) {
            if (!call(user)) {
                return -1;
            }
        }
        double time = (doctor_now() - begin) / BATCH;
        least = batch < 0 || time > least ? least : time;
        if (settle != NULL && !settle(user)) {
            return -1;
        }
    }
    return least;
}
