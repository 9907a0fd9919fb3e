"""A place that a mutant changes."""
import re


class Place:
    """kind, path, line, was: the source; change: what the mutant does to it, in words."""

    def __init__(self, path, kind, start, end, lines, was, change, text, asks, source_line):
        """The source from start to end is replaced by text, in which @M@ becomes asks, with the number for {n}."""
        self.path, self.kind, self.start, self.end = path, kind, start, end
        self.line, self.last_line = lines
        self.was, self.change = was, change
        self._text, self._asks, self._source_line = text, asks, source_line.strip()

    def mutated(self, number, source):
        """Returns the replacement, with as many lines. Refuses a source that is not the one the place was drawn from."""
        line = source[source.rfind("\n", 0, self.start) + 1:].split("\n", 1)[0].strip()
        if line != self._source_line or source.count("\n", 0, self.start) + 1 != self.line:
            raise RuntimeError(f"{self.path} has changed since its mutants were drawn: line {self.line} was "
                               f"'{self._source_line}'. Start again, in a tree that nobody changes meanwhile")
        text = self._text.replace("@M@", self._asks.format(n=number))
        return text + "\n" * (source[self.start:self.end].count("\n") if "\n" not in text else 0)

    def name(self):
        """The name in equivalent.json: it stays the same whatever other lines of the file, comments and spaces change."""
        code = " ".join(re.sub(r"\s*(//|# ).*", "", self._source_line).split())
        return f"{self.path}: {code}: {self.kind}: {self.was}: {self.change}"

    def told(self):
        """The place in results."""
        return {"file": self.path, "line": self.line, "kind": self.kind, "change": self.change, "was": self.was,
                "source line": self._source_line, "name": self.name()}

    def described(self):
        was = self.was if len(self.was) <= 100 else self.was[:97] + "..."
        return f"{self.path}:{self.line}: {self.kind}: {self.change}: {was}"
