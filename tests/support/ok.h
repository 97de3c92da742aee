// Checks of calls of Rill, for programs of the tests.
#ifndef RILL_TESTS_SUPPORT_OK_H
#define RILL_TESTS_SUPPORT_OK_H

#include "rill/rill.h"

#include "test.h"

// A check that a call succeeded; shows the message if not.
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        rill_status ok_status_ = (call);                                                                               \
        if (ok_status_ != RILL_OK) {                                                                                   \
            FAIL("%s is %s: %s", #call, rill_status_name(ok_status_), rill_message());                                 \
        }                                                                                                              \
    } while (0)

#endif
