"""Converts documents from GitHub's Markdown to Python-Markdown's, which MkDocs uses, with the same result."""
import re

FENCE = re.compile(r"^[ ]*```")
ITEM = re.compile(r"^( *)([-*]|\d+\.) +(?=\S)")
UNIT = 4  # spaces by which Python-Markdown needs the contents of an item indented


def converted(text, diagram):
    """Returns text with items of lists indented by fours, and with mermaid blocks replaced by diagram(source)."""
    lines, open_items, fence, mermaid, before = [], [], None, None, ""  # open_items: indents of the contents of each open item
    for line in text.split("\n"):
        if mermaid is not None:
            if FENCE.match(line):
                lines += [diagram("\n".join(mermaid)), ""]
                mermaid = None
            else:
                mermaid.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        if fence is None and line.strip():
            while open_items and indent < open_items[-1]:
                open_items.pop()
        depth = len(open_items)
        taken = open_items[-1] if open_items else 0
        if fence is None and line.strip() == "```mermaid":
            mermaid = []
            continue
        item = ITEM.match(line) if fence is None else None
        shifted = (" " * UNIT * depth + line[min(indent, taken):]) if line.strip() else ""
        if item:
            if before.strip() and not depth and not ITEM.match(before):
                lines.append("")  # GitHub starts a list right after a line of text
            open_items.append(indent + len(item.group(0)) - len(item.group(1)))
        if FENCE.match(line):
            fence = None if fence is not None else indent
        lines.append(shifted)
        before = line if item or not open_items else before if line.strip() else ""
    return "\n".join(lines)


# --- flow charts ---

NODE = re.compile(r'(\w+)(?:\["([^"]*)"\]|\{"([^"]*)"\})?')
ARROW = re.compile(r"\s*--(?:\s*([^->]+?)\s*--)?>\s*")


class NotDrawn(Exception):
    pass


def dot_of(mermaid):
    """Converts a flow chart with nodes in brackets or braces, and arrows with or without labels, to graphviz's dot."""
    first, *rest = [line.strip() for line in mermaid.strip().split("\n")]
    direction = re.fullmatch(r"flowchart (TD|LR)", first)
    if not direction:
        raise NotDrawn(f"'{first}' is no flow chart from the top or the left")
    lines = [f"rankdir={'TB' if direction.group(1) == 'TD' else 'LR'}"]

    def node(text, at):
        match = NODE.match(text, at)
        if not match:
            raise NotDrawn(f"'{text}': no node at '{text[at:]}'")
        name, box, question = match.groups()
        words = box if box is not None else question
        if words is not None:
            label = words.replace("<br>", "\\n").replace('"', '\\"')
            lines.append(f'{name} [label="{label}"{", shape=diamond" if question is not None else ""}]')
        return name, match.end()

    for line in rest:
        if not line:
            continue
        left, at = node(line, 0)
        while at < len(line):
            arrow = ARROW.match(line, at)
            if not arrow:
                raise NotDrawn(f"'{line}': no arrow at '{line[at:]}'")
            right, at = node(line, arrow.end())
            lines.append(f"{left} -> {right}" + (f' [label="{arrow.group(1)}"]' if arrow.group(1) else ""))
            left = right
    style = 'node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]; edge [fontname="sans-serif", fontsize=10]'
    return "digraph { " + style + "; " + "; ".join(lines) + " }"
