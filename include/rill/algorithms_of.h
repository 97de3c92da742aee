// All of rill/algorithms.h for one type of number: included after it, with RILL_T, RILL_NAME, RILL_CODE_T and RILL_CODE
// as for rill/sort_of.h.
#ifdef RILL_T

#include "rill/bounds_of.h"
#include "rill/merge_of.h"
#include "rill/partition_of.h"
#include "rill/runs_of.h"
#include "rill/scan_of.h"
#include "rill/sort_of.h"
#include "rill/transpose_of.h"

#endif
