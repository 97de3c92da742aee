"""Streams and events."""
import types as _types

from rill import _core


class Stream(_core.Stream):
    """A queue of device work that runs in the order it was given; work on two streams may overlap unless an event orders
    it. `with ctx.stream() as s:` destroys it at the end, which waits for its work."""

    def __repr__(self):
        return f"<rill.Stream {self.id:#x}>" if self.id else "<rill.Stream, destroyed>"

    def __eq__(self, other):
        return isinstance(other, Stream) and self.id == other.id != 0 or self is other

    def __hash__(self):
        return hash(self.id)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.id == 0 or not self.context.is_open:
            return
        if kind is None:
            self.destroy()
            return
        try:  # what is on its way says more than what it led to
            self.destroy()
        except Exception as second:
            second.__context__ = None

    @property
    def error(self):
        """The failure that the stream carries, or None: status, text, kernel, file, line, column, iteration, array, index,
        extent, shape. Looking does not wait."""
        info = self._error()
        return None if info is None else _types.SimpleNamespace(**info)

    def use(self):
        """`with s.use():` makes it the thread's current stream, as rill.stream(s) does."""
        return _core.Scope(self)

    def record(self, timed=True):
        """A new event that marks the place after everything queued here so far."""
        event = Event(self.context, timed)
        event.record(self)
        return event


class Event(_core.Event):
    """A mark in a stream, for other streams and the host to wait for. A wait means the last record made before it."""

    def __repr__(self):
        return f"<rill.Event {self.id:#x}>" if self.id else "<rill.Event, destroyed>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.id != 0 and self.context.is_open:
            self.destroy()


def stream(stream):
    """`with rill.stream(s):` makes |s| the calling thread's current stream of its context: what names no stream goes
    there. Leaving restores what was current before."""
    return _core.Scope(stream)
