// What a thread that records a step does otherwise than others.
#ifndef RILL_PYTHON_STEP_H
#define RILL_PYTHON_STEP_H

#include "core.h"

bool step_make_type(PyObject *module);
// Whether the calling thread records on the context.
bool step_is_recording(struct context_object *context);
// Keeps |held| as long as what is being recorded.
void step_keep(struct context_object *context, struct held *held, size_t count);
// What threads were recording when the context went.
void step_forget(struct context_object *context);

#endif
