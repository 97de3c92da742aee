"""qd.ad: the names that programs use around derivatives. There are none: what would compute one says so."""
from rill.quadrants.lang import impl


class Tape:
    """`with qd.ad.Tape(loss):` records kernels for their derivatives. The first kernel that it would record is refused."""

    def __init__(self, loss=None, *_, **__):
        self.loss = loss

    def __enter__(self):
        impl.tapes.append(self)
        return self

    def __exit__(self, kind, error, trace):
        impl.tapes.remove(self)
