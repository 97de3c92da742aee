"""qd.root.dense(qd.ij, (n, m)).place(x, y): places of fields that were made without a shape. Each field lies in one piece, its
last index the fastest, whatever the tree says about the memory; a tree of dense nodes gives extents and nothing else."""
import math

from rill.quadrants.lang import field as fields
from rill.quadrants.lang.exception import QuadrantsRuntimeError


def _refused(kind):
    def call(self, *_, **__):
        raise NotImplementedError(f"rill.quadrants has no sparse fields, and so no '{kind}': dense() has all elements there always")
    call.__name__ = kind
    call.__doc__ = "Refused: there are no sparse fields."
    return call


class SNode:
    """A node of dense extents."""

    def __init__(self, extents, placed):
        self._extents, self._placed = extents, placed  # by the number of the axis; the fields of the whole tree

    @property
    def shape(self):
        """Extents by the order of the axes."""
        return tuple(self._extents[axis] for axis in sorted(self._extents))

    def dense(self, axes, dimensions):
        """A node below with |dimensions| more along the axes."""
        axes = axes if isinstance(axes, (list, tuple)) else [axes]
        dimensions = [dimensions] * len(axes) if isinstance(dimensions, int) else list(map(int, dimensions))
        if len(axes) != len(dimensions):
            raise QuadrantsRuntimeError(f"{len(axes)} axes, and {len(dimensions)} extents")
        extents = dict(self._extents)
        for axis, extent in zip(axes, dimensions):
            extents[axis] = extents.get(axis, 1) * extent
        return SNode(extents, self._placed)

    def place(self, *placed, offset=None):
        """Gives fields their memory."""
        if offset is not None and any((offset,) if isinstance(offset, int) else offset):
            raise NotImplementedError("rill.quadrants has no offsets: indices of a field begin at 0")
        for field in placed:
            for one in field if isinstance(field, (list, tuple)) else [field]:
                fields.place(one, self.shape)
                if self._placed is not None:
                    self._placed.append(one)
        return self

    def lazy_grad(self):
        """Refused: there are no derivatives."""
        raise NotImplementedError("rill.quadrants has no derivatives: fields have no gradients to place")

    pointer, bitmasked, dynamic, hash, quant_array = map(_refused, ("pointer", "bitmasked", "dynamic", "hash", "quant_array"))

    @property
    def num_cells(self):
        """How many elements a field placed here has."""
        return math.prod(self.shape)


class FieldsBuilder(SNode):
    """A tree of a program's own, whose finalize() gives an object with destroy()."""

    def __init__(self):
        super().__init__({}, [])

    def finalize(self, raise_warning=True):
        """The tree; its destroy() gives the memory of its fields back."""
        return self

    def destroy(self):
        """Gives the memory of the fields back."""
        for field in self._placed:
            field.destroy()
        self._placed.clear()


root = SNode({}, None)
_LETTERS = "ijkl"
axes_by_name = {name: [_LETTERS.index(letter) for letter in name]
                for name in ("i", "j", "k", "l", "ij", "ik", "il", "jk", "jl", "kl", "ijk", "ijl", "ikl", "jkl", "ijkl")}


def axes(*numbers):
    """Axes by their numbers: axes(0, 1) is ij."""
    return list(numbers)
