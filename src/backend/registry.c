#include "backend/backend.h"

const struct backend *const backend_registry[] = {&backend_cuda, &backend_hip, &backend_cpu, NULL};
