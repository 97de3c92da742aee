"""Where Quadrants has what its programs import by its place."""
from rill.quadrants.lang import exception, impl, stream
