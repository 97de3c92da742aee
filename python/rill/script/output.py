"""assert and print of kernels in Python, as C's."""
import ast


class Output:
    """Mixed into the translation of a function (function.py)."""

    def stmt_Assert(self, node, depth):
        message = ""
        if node.msg is not None:
            if not isinstance(node.msg, ast.Constant) or not isinstance(node.msg.value, str):
                self.fail(node.msg, "the message of an assertion is a text without values")
            message = " && " + self.quote(node.msg.value)
        self.emit(node, depth, f"assert({self.bare(self.test(node.test).text)}{message});")

    @staticmethod
    def quote(text):
        out = ""
        for letter in text:
            if letter in '"\\':
                out += "\\" + letter
            elif letter == "\n":
                out += "\\n"
            elif letter == "\t":
                out += "\\t"
            elif letter.isascii() and letter.isprintable():
                out += letter
            else:
                out += "".join(f"\\{byte:03o}" for byte in letter.encode())
        return f'"{out}"'

    def print(self, node, call, depth):
        ends = {"sep": " ", "end": "\n"}
        for keyword in call.keywords:
            if keyword.arg not in ends or not isinstance(keyword.value, ast.Constant):
                self.fail(call, "print() in a kernel takes sep= and end=, texts without values")
            ends[keyword.arg] = keyword.value.value
        pieces, values = [], []
        for part in call.args:
            if isinstance(part, ast.JoinedStr):
                pieces.append("".join(self.formatted(piece, values) for piece in part.values))
            else:
                pieces.append(self.formatted(part, values))
        text = ends["sep"].replace("%", "%%").join(pieces) + ends["end"].replace("%", "%%")
        self.emit(node, depth, f"printf({', '.join([self.quote(text), *values])});")

    def formatted(self, node, values):
        """A piece of what is printed as printf has it."""
        spec = ""
        if isinstance(node, ast.FormattedValue):
            if node.conversion != -1:
                self.fail(node, "!r and !s cannot be in a kernel")
            if node.format_spec is not None:
                if not all(isinstance(p, ast.Constant) for p in node.format_spec.values):
                    self.fail(node, "a format is a text without values")
                spec = "".join(p.value for p in node.format_spec.values)
            node = node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value.replace("%", "%%")
        value = self.value(node)
        kind = value.type
        if kind.is_bool and not spec:
            values.append(f"{self.module.words()}[{self.bare(value.text)}]")
            return "%s"
        if kind.is_float:
            values.append(f"(double)({value.text})")
            letter, size = spec[-1:] if spec[-1:] in "eEfFgG" else "", ""
            letter = letter or "g"
        else:
            values.append(f"(long long)({value.text})" if kind.dtype.name != "u64" else f"(unsigned long long)({value.text})")
            letter = spec[-1:] if spec[-1:] in "dxXo" else ""
            letter, size = letter or ("u" if kind.dtype.name == "u64" else "d"), "ll"
        width = spec[:-1] if spec and not spec[-1].isdigit() else spec
        if width.strip("0123456789.+- #"):
            self.fail(node, f"the format {spec!r} cannot be in a kernel: width, precision and one of d x o e f g")
        return f"%{width}{size}{letter}"
