// The rows of sweep_test.c about steps: what is recorded, and what is launched of it.
#ifndef RILL_TESTS_CONFORMANCE_SWEEP_STEPS_H
#define RILL_TESTS_CONFORMANCE_SWEEP_STEPS_H

CALL(rill_record_begin)
{
    RILL_TRY(rill_record_begin(s->context));
    return rill_record_drop(s->context);
}

CALL(rill_record_end)
{
    rill_step step = {0};
    rill_status status = make_step(s, &step);
    s->out = step.id;
    return status;
}

CALL(rill_record_drop)
{
    RILL_TRY(rill_record_begin(s->context));
    rill_status status = rill_launch(s->two, s->stream, RILL_ARGS(N, s->b));
    RILL_TRY(rill_record_drop(s->context));
    return status;
}

CALL(rill_step_launch)
{
    RILL_TRY(rill_step_launch(s->step, s->stream, RILL_NO_VALUES));
    RILL_TRY(rill_stream_wait(s->second, s->stream));
    return rill_step_launch(s->step, s->second, RILL_VALUES(RILL_SET_ARRAY(s->b, s->a)));
}

CALL(rill_step_launch_at)
{
    rill_step outer = {0};
    RILL_TRY(rill_record_begin(s->context));
    rill_status status = rill_step_launch_at("here", s->step, s->stream, RILL_VALUES(RILL_SET_ARRAY(s->b, s->a)));
    if (status != RILL_OK) {
        RILL_TRY(rill_record_drop(s->context));
        return status;
    }
    RILL_TRY(rill_record_end(s->context, &outer));
    return rill_step_launch_at("here", outer, RILL_CURRENT, RILL_NO_VALUES);
}

CALL(rill_step_repeat)
{
    RILL_TRY(rill_step_repeat(s->step, 3));
    return rill_step_launch(s->step, RILL_CURRENT, RILL_NO_VALUES);
}

CALL(rill_step_until)
{
    RILL_TRY(rill_step_repeat(s->step, 3));
    RILL_TRY(rill_step_until(s->step, s->one));
    RILL_TRY(rill_step_launch(s->step, RILL_CURRENT, RILL_NO_VALUES));
    return rill_step_until(s->step, (rill_array){0});
}

CALL(rill_step_describe)
{
    rill_step_info info;
    return rill_step_describe(s->step, &info);
}

CALL(rill_step_destroy)
{
    rill_status status = rill_step_launch(s->step, RILL_CURRENT, RILL_NO_VALUES);
    RILL_TRY(rill_step_destroy(s->step));
    return status;
}

CALL(rill_auto_step)
{
    rill_auto_step(&s->step);
    return s->step.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

#endif
