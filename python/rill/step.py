"""Steps: launches, copies and fills that were recorded once and are launched as one."""
from rill import _core, context as contexts


class Step(_core.Step):
    """What the block of `with rill.record() as step:` queued: checked and recorded, and not run. Called behind the block, a step
    is launched as one, on the current stream or on `stream=`, and returns at once:

        step()                          # with the values that were recorded
        step(dt=0.5, n=100)             # other values of the parameters of that name, in every kernel
        step({"move.dt": 0.5, x: y})    # of one kernel; and another array wherever x was
        step({(0, 2): y})               # of argument 2 of what was recorded first

    Values are numbers, arrays and memory of the host. What does not touch the same bytes may overlap, on whatever streams it was
    recorded; the results are those of the calls one after the other. Memory of others that was recorded is kept as long as the
    step."""

    def __repr__(self):
        return f"<rill.Step of {self.operation_count} operations>" if self.id else "<rill.Step, not recorded or destroyed>"

    def __enter__(self):
        self._begin()
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self._end()
        else:
            self._drop()

    @property
    def operation_count(self):
        """Launches, copies and fills."""
        return self._info[0]

    @property
    def dependency_count(self):
        """Pairs of them of which one follows the other at once."""
        return self._info[1]

    @property
    def depth(self):
        """Operations in the longest chain: all of them, if nothing may overlap."""
        return self._info[2]

    @property
    def repeat_count(self):
        """How often a launch runs the step, as repeat() said."""
        return self._info[3]


def record(context=None):
    """`with rill.record(ctx) as step:` records what this thread queues on the context, or on the default one. What waits (a read,
    a sync, a kernel that returns a value) raises RecordingError in the block, and the recording goes on; an exception that
    leaves the block drops it."""
    return Step(contexts.default() if context is None else context)
