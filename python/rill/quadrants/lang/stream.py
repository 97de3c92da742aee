"""Streams and events by the names of Quadrants. On the CPU they are real queues, whose handle is 0: there is no driver."""
from rill.errors import UnsupportedError
from rill.quadrants.lang import impl
from rill.stream import Event as _Event, Stream as _Stream


class Stream(_Stream):
    """qd.create_stream()."""

    @property
    def handle(self):
        """The driver's handle; 0 on the CPU, and of a stream that was destroyed."""
        if self.id == 0:
            return 0
        try:
            return self.native
        except UnsupportedError:
            return 0


class Event(_Event):
    """qd.create_event()."""

    @property
    def handle(self):
        """Not 0 on a GPU until the event is destroyed; 0 on the CPU."""
        return 0 if impl.current_cfg().arch == "cpu" else self.id

    def record(self, qd_stream=None):
        """Marks the place after everything queued so far on the stream, or on the default stream."""
        super().record(qd_stream)

    def wait(self, qd_stream=None):
        """The stream, or the default stream, waits for the mark."""
        super().wait(qd_stream)


def create_stream():
    """A new stream."""
    return Stream(impl.context())


def create_event():
    """A new event."""
    return Event(impl.context())
