"""The exceptions of Rill: one class for each family of statuses. The text is the C library's own sentence; `status` and
`name` are the code, -14 and "RILL_ERR_ASSERT"."""
from rill import _core


class Error(RuntimeError):
    """Whatever a call of Rill fails with."""

    status = 0
    name = ""


class InvalidError(Error, ValueError):
    """An argument, a handle or an option that is not valid."""


class StaleError(Error):
    """The object was destroyed, or its context closed."""


class ArgumentError(Error, ValueError):
    """The arguments do not fit the kernel's parameters. Nothing was queued."""


class OutOfMemoryError(Error, MemoryError):
    """No memory, of the host or of the device."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Diagnostic:
    """One thing that the compiler said."""

    __slots__ = ("severity", "file", "line", "column", "text", "rendered")

    def __init__(self, severity, file, line, column, text, rendered):
        self.severity = ("note", "warning", "error")[severity]
        self.file, self.line, self.column, self.text, self.rendered = file, line, column, text, rendered

    def __repr__(self):
        return f"<{self.file}:{self.line}:{self.column}: {self.severity}: {self.text}>"


class CompileError(Error):
    """The source did not compile: `diagnostics` has all that was said."""

    _diagnostics = ()

    @property
    def diagnostics(self):
        """Everything that the compiler said, as Diagnostic."""
        return [Diagnostic(*item) for item in self._diagnostics]


class NotFoundError(Error, LookupError):
    """No kernel, field or file of that name."""


class KernelError(Error):
    """A kernel failed while it ran."""


class AssertError(KernelError, AssertionError):
    """An assertion in a kernel failed."""


class BoundsError(KernelError, IndexError):
    """An index in a kernel is out of range, which check_bounds=True or RILL_CHECK=bounds finds."""


class RaceError(KernelError):
    """Two iterations of a loop race, which check_races=True or RILL_CHECK=races finds."""


class ConflictError(Error):
    """Two blocks or arguments conflict."""


class DeviceError(Error):
    """The device failed, or there is none."""


class UnsupportedError(Error):
    """This device or build cannot do it, or a stated limit was exceeded."""


class NotReadyError(Error):
    """The work has not finished."""


class UnrecordedError(Error):
    """The event was never recorded."""


class CallbackError(Error):
    """The call would wait inside a callback."""


class ForkError(Error):
    """The context does not survive fork."""


class RecordingError(Error):
    """The call waits or gives data, and the thread is recording a step."""


class CapturingError(Error):
    """The stream is being captured into a graph."""


class InternalError(Error):
    """A fault of Rill's own: please report it."""


_BY_NAME = {
    "ERR_INVALID": InvalidError, "ERR_NULL_HANDLE": InvalidError, "ERR_STALE": StaleError,
    "ERR_WRONG_KIND": InvalidError, "ERR_FOREIGN": InvalidError, "ERR_OUT_OF_MEMORY": OutOfMemoryError,
    "ERR_IO": FileError, "ERR_COMPILE": CompileError, "ERR_NO_COMPILER": UnsupportedError,
    "ERR_NOT_FOUND": NotFoundError, "ERR_ARGUMENTS": ArgumentError, "ERR_DEVICE": DeviceError,
    "ERR_NO_DEVICE": DeviceError, "ERR_ASSERT": AssertError, "ERR_BOUNDS": BoundsError,
    "ERR_UNRECORDED": UnrecordedError, "ERR_IN_CALLBACK": CallbackError, "ERR_FORKED": ForkError,
    "ERR_LIMIT": UnsupportedError, "ERR_UNSUPPORTED": UnsupportedError, "ERR_NOT_READY": NotReadyError,
    "ERR_CONFLICT": ConflictError, "ERR_INTERNAL": InternalError, "ERR_CAPTURING": CapturingError,
    "ERR_RECORDING": RecordingError,
    "ERR_RACE": RaceError,
}
STATUSES = _core.statuses()
_core.set_errors({number: _BY_NAME.get(name, Error) for name, number in STATUSES.items() if number < 0})
