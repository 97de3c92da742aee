"""One element of a field on the host: what is set in it, x[i][0] = 1, x[i].pos.y = 1, is set in the field."""
from rill.vectors import Vector


class PlacedVector(Vector):
    """A vector that a field holds."""

    __slots__ = ("_changed",)

    def __init__(self, values, shape, changed):
        super().__init__(values, shape)
        object.__setattr__(self, "_changed", changed)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self._changed(self)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name not in ("values", "shape"):
            self._changed(self)


class PlacedStruct:
    """A struct that a field holds. To isinstance() it is an object of the struct's class."""

    __slots__ = ("_value", "_changed")

    def __init__(self, value, changed):
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_changed", changed)

    @property  # type: ignore[misc]
    def __class__(self):
        return type(self._value)

    def __getattr__(self, name):
        return placed(getattr(self._value, name), lambda changed: setattr(self, name, changed))

    def __setattr__(self, name, value):
        if isinstance(value, PlacedStruct):
            value = value._value
        setattr(self._value, name, value)
        self._changed(self._value)

    def __repr__(self):
        return repr(self._value)

    def __eq__(self, other):
        return self._value == getattr(other, "_value", other)

    __hash__ = None  # type: ignore[assignment]  # it may change


def placed(value, changed):
    """|value| as an element that calls |changed| with itself when something in it is set; a number is itself."""
    if isinstance(value, Vector):
        return PlacedVector(value.values, value.shape, changed)
    return PlacedStruct(value, changed) if hasattr(type(value), "__dataclass_fields__") else value
