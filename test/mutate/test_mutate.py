"""Tests of script/mutate, whose folder is the argument: places, texts that have mutants in them, and verdicts."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, SCRIPT)
from mutation import cpp, draw, programs, python_source, tokens  # noqa: E402
from mutation.tree import Tree  # noqa: E402

loader = importlib.machinery.SourceFileLoader("mutate", os.path.join(SCRIPT, "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(mutate)


def changes(text, find=cpp.places):
    return [(p.kind, p.was, p.change) for p in find("x", text)]


def in_function(statement):
    return changes("void f()\n{\n    " + statement + "\n}\n")


class Places(unittest.TestCase):
    def test_each_kind(self):
        self.assertIn(("comparison", "a < b + 1", "< becomes <="), in_function("x = a < b + 1 && c;"))
        self.assertIn(("comparison", "v[1].size() == n", "== becomes !="), in_function("if(v[1].size() == n || !a) return;"))
        self.assertIn(("condition", "v.empty()", "the condition is negated"), in_function("if(v.empty()) g();"))
        self.assertIn(("condition", "a > 0", "the condition is negated"), in_function("x = a > 0 ? b : c;"))
        self.assertIn(("statement", "g(1);", "the statement is deleted"), in_function("if(a)\n g(1);"))
        self.assertIn(("statement", "throw E(1);", "the statement is deleted"), in_function("throw E(1);"))
        self.assertIn(("constant", "1.5", "1.5 becomes (-1.5)"), in_function("x = 1.5;"))
        self.assertIn(("constant", "true", "true becomes false"), in_function("x = true;"))
        self.assertIn(("arithmetic", "a * b - c", "- becomes +"), in_function("x = a * b - c + d;"))
        self.assertIn(("arithmetic", "a += b", "+= becomes -="), in_function("a += b;"))
        self.assertIn(("arguments", "b, c", "two arguments are swapped"), in_function("f(a, b, c);"))
        self.assertIn(("return", "return g(a);", "nothing is returned: {}"), in_function("return g(a);"))

    def test_what_is_no_place(self):
        for text in ("const std::vector<int> v = w;", "Foo<4, 5> x;", "static_assert(a == 1);", "constexpr int n = 4 + 5;",
                     "using X = Y<3>;", "std::string s = a;", "if constexpr(n == 4) {}", "Foo& x;", "Foo x(y);"):
            self.assertEqual(in_function(text), [], text)
        self.assertEqual(changes("#if defined(CK_PLATFORM_AMD)\nint f() { return g(1); }\n#endif\n"), [])
        self.assertEqual(changes("enum class A { b = 1, c = 2 };\nstruct S { int a, b; virtual void f() = 0; };\n"), [])
        self.assertEqual(changes("void f(int a, const T& b);\n"), [])
        self.assertNotIn("arguments", [p[0] for p in in_function("x = std::max({a, b}) + std::max(a, b);")])
        kinds = [p[0] for p in in_function("g(\"a\" + b, c);")]
        self.assertNotIn("arithmetic", kinds)
        for text in ("return Support{};", "return grid::Vector<4>{};"):
            self.assertEqual(in_function(text), [], f"{text} already returns nothing")
        self.assertIn("return", [p[0] for p in in_function("return Support{a};")])

    def test_python(self):
        text = "def f(a: 'x < 1', b):\n    g(a, b)\n    return a < b + 1\n"
        found = changes(text, python_source.places)
        self.assertIn(("comparison", "a < b + 1", "the comparison becomes <="), found)
        self.assertIn(("statement", "g(a, b)", "the statement is deleted"), found)
        self.assertIn(("arguments", "a, b", "two arguments are swapped"), found)
        self.assertIn(("return", "a < b + 1", "nothing is returned: None"), found)
        self.assertIn(("arithmetic", "b + 1", "+ becomes -"), found)
        self.assertEqual(sum(kind == "comparison" for kind, _, _ in found), 2)

    def test_brackets_that_do_not_fit_are_told(self):
        with self.assertRaisesRegex(ValueError, "is not closed"):
            tokens.tokenize("void f() {")
        with self.assertRaisesRegex(ValueError, "fits none"):
            tokens.tokenize("void f() }")


class Mutants(unittest.TestCase):
    """All mutants of a source together, each chosen by CK_MUTANT."""

    def mutated(self, folder, name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        order = draw.drawn(folder, [name], 1)
        choice = draw.Choice(order, len(order))
        seen, all_of_them = set(), []
        while len(seen) < len(order):  # those that overlap, one after the other
            choice.refused = seen.copy()
            chosen = choice.places()
            seen |= {number for number, _ in chosen}
            all_of_them.append(chosen)
        return all_of_them

    def run_each(self, command, folder, chosen):
        def run(number):
            reached = os.path.join(folder, "reached")
            with open(reached, "w", encoding="ascii"):
                pass
            ended = subprocess.run(command, capture_output=True, text=True, timeout=20,
                                   env={**os.environ, "CK_MUTANT": str(number), "CK_MUTANT_REACHED": reached})
            with open(reached, encoding="ascii") as file:
                return (ended.returncode, ended.stdout), {int(line) for line in file}

        right, reached = run(0)
        self.assertEqual(right[0], 0)
        different = [p.described() for number, p in chosen if number in reached and run(number)[0] == right]
        return different, [p.described() for number, p in chosen if number not in reached]

    def test_cpp(self):
        with open(os.path.join(HERE, "subject.cpp"), encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            rounds = self.mutated(folder, "subject.cpp", text)
            count, alike, refused = 0, [], set()
            for i, chosen in enumerate(rounds):
                tree = Tree(folder, os.path.join(folder, "copy"))
                program = os.path.join(folder, f"program{i}")
                chosen = [c for c in chosen if c[0] not in refused]
                for _ in range(10):
                    tree.fill(chosen)
                    built = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-w", "-o", program,
                                            os.path.join(tree.copy, "subject.cpp")], capture_output=True, text=True)
                    if built.returncode == 0:
                        break
                    found = tree.refused_by(built.stderr)
                    self.assertTrue(found, built.stderr)
                    chosen = [c for c in chosen if c[0] not in found]
                self.assertEqual(built.returncode, 0, built.stderr)
                self.assertEqual(programs.mutants_of(folder) & {n for n, _ in chosen}, {n for n, _ in chosen})
                same, unreached = self.run_each([program], folder, chosen)
                self.assertEqual(unreached, [])
                count, alike = count + len(chosen), alike + same
            self.assertGreaterEqual(count, 40)
            functions = text[:text.index("int main")].count("\n")  # main() has numbers that do not matter
            self.assertEqual([a for a in alike if int(a.split(":")[1]) <= functions], [])

    def test_mutants_that_only_the_compilers_message_names(self):
        with tempfile.TemporaryDirectory() as folder:
            log = ("x/tables.hpp:480:1: error: call to non-'constexpr' function 'bool ck_mutant::is() [with int number = 185]'\n"
                   "x/mutant.hpp:29:32: note: 'bool ck_mutant::is() [with int number = 7]' declared here\n")
            self.assertEqual(Tree(folder, os.path.join(folder, "copy")).refused_by(log), {185})

    def test_code_that_is_not_built_has_no_mutants(self):
        text = "template <class T>\nint unused(T a)\n{\n    return a + 1;\n}\nint main() { return 2 - 2; }\n"
        with tempfile.TemporaryDirectory() as folder:
            for chosen in self.mutated(folder, "x.cpp", text):
                tree = Tree(folder, os.path.join(folder, "copy"))
                tree.fill(chosen)
                program = os.path.join(folder, "build", "program")
                os.makedirs(os.path.dirname(program), exist_ok=True)
                subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-w", "-Wl,--gc-sections", "-o", program,
                                os.path.join(tree.copy, "x.cpp")], check=True)
                self.assertEqual(programs.mutants_of(os.path.dirname(program)), {n for n, place in chosen if place.line == 6})

    def test_python(self):
        text = '"""A docstring."""\nfrom __future__ import annotations\n\n\ndef f(a, b):\n    if a < b:\n' \
               '        return a - 2 * b\n    return a\n\n\nprint(f(1, 3), f(3, 1), f(2, 2))\n'
        with tempfile.TemporaryDirectory() as folder:
            for chosen in self.mutated(folder, "subject.py", text):
                tree = Tree(folder, os.path.join(folder, "copy"))
                tree.fill(chosen)
                same, unreached = self.run_each([sys.executable, "-B", os.path.join(tree.copy, "subject.py")], folder, chosen)
                self.assertEqual(unreached, [])
                self.assertLessEqual(len(same), 1, same)  # b of f(3, 1)

    def test_python_without_its_mutants_stays_as_it_is(self):
        """Also where an operand binds weaker than what a mutant puts beside it; each mutant changes the result."""
        text = ("def g(*given):\n    return given\n\ndef f(a, b):\n"
                "    return g(a if a else b + 4, b and a, (a or b) == 2, lambda: a, [n for n in (a, b + 7) if n])\n")
        places = [p for p in python_source.places("x.py", text) if p.line > 2]

        def results(text, chosen):
            names = {"_ck_mutant": lambda number: number == chosen}
            exec(text, names)
            return [[x() if callable(x) else x for x in names["f"](*given) or ()] for given in ((0, 3), (2, 0), (2, 2))]
        for place in places:
            mutated = text[:place.start] + place.mutated(1, text) + text[place.end:]
            self.assertEqual(results(mutated, None), results(text, None), place.described())
            self.assertNotEqual(results(mutated, 1), results(text, None), place.described())

    def test_lines_stay_where_they_are(self):
        text = "void f()\n{\n    g(a,\n      b);\n    h();\n}\n"
        for place in cpp.places("x.cpp", text):
            self.assertEqual(place.mutated(1, text).count("\n"), text[place.start:place.end].count("\n"))

    def test_the_working_tree_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            text = "int f(int a) { return a + 1; }\n"
            chosen = self.mutated(folder, "x.cpp", text)[0]
            Tree(folder, os.path.join(folder, "build", "copy")).fill(chosen)
            with open(os.path.join(folder, "x.cpp"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_a_source_that_has_changed_since_the_draw_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            chosen = self.mutated(folder, "x.cpp", "int f(int a) { return a + 1; }\n")[0]
            with open(os.path.join(folder, "x.cpp"), "w", encoding="utf-8") as file:
                file.write("int g();\nint f(int a) { return a + 1; }\n")
            with self.assertRaisesRegex(RuntimeError, "x.cpp has changed since its mutants were drawn: line 1 was 'int f"):
                Tree(folder, os.path.join(folder, "build", "copy")).fill(chosen)


class Draws(unittest.TestCase):
    def listed(self, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(SCRIPT, "mutate"), "--list", *arguments],
                              capture_output=True, text=True)

    def test_a_seed_draws_the_same_places(self):
        some = ["--paths", "profiler/summary.cpp", "profiler/report.cpp", "--count", "10"]
        one, again, other = self.listed("--seed", "1", *some), self.listed("--seed", "1", *some), self.listed("--seed", "2", *some)
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(one.stdout, again.stdout)
        self.assertNotEqual(one.stdout, other.stdout)
        self.assertEqual(len(one.stdout.splitlines()), 10)

    def test_mutants_known_to_do_nothing_are_places(self):
        root = os.path.dirname(SCRIPT)
        names = {}
        for mutant in mutate.Campaign.read_equivalent():
            path = mutant.split(": ")[0]
            if path not in names:
                names[path] = {p.name() for p in draw.places(root, path)}
            self.assertIn(mutant, names[path])

    def test_names_are_without_comments_and_spaces(self):
        for module, path, one, other in ((cpp, "a.cpp", "int f(int x)\n{\n    x    = x + 1; // more\n    return x;\n}\n",
                                          "int f(int x)\n{\n    x = x + 1; // other\n    return x; // x\n}\n"),
                                         (python_source, "a.py", "def f(x):\n    return x + 1  # more\n",
                                          "def f(x):\n    return x + 1\n")):
            names = [[place.name() for place in module.places(path, text)] for text in (one, other)]
            self.assertGreater(len(names[0]), 1)
            self.assertEqual(*names)

    def test_wrong_arguments_are_told(self):
        for arguments, why in ((["--count", "0"], "--count is 0, but must be at least 1"),
                               (["--paths", "no/where"], "--paths names no/where, which is not below"),
                               (["--paths", "docs"], "--paths docs has no source")):
            ended = self.listed(*arguments)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("script/mutate: " + why, ended.stderr)
            self.assertNotIn("Traceback", ended.stderr)

    def test_mutants_do_not_overlap(self):
        order = draw.drawn(os.path.dirname(SCRIPT), ["profiler/report.cpp"], 1)
        chosen = draw.Choice(order, len(order)).places()
        for number, a in chosen:
            self.assertFalse([b.described() for other, b in chosen
                              if other != number and a.start < b.end and b.start < a.end])


class Verdicts(unittest.TestCase):
    def passed(self, status=0, output="", **properties):
        described = {"name": "t", "command": ["x"],
                     "properties": [{"name": n, "value": v} for n, v in properties.items()]}
        return programs.Test(described).passed(status, output)

    def test_are_those_of_ctest(self):
        self.assertTrue(self.passed())
        self.assertFalse(self.passed(1))
        self.assertIsNone(self.passed(77, SKIP_RETURN_CODE=77))
        self.assertTrue(self.passed(1, WILL_FAIL=True))
        self.assertFalse(self.passed(0, WILL_FAIL=True))
        self.assertTrue(self.passed(1, "a\nb", PASS_REGULAR_EXPRESSION=["a.*b"]))
        self.assertFalse(self.passed(0, "ab", PASS_REGULAR_EXPRESSION=["c"]))
        self.assertFalse(self.passed(0, "wrong", FAIL_REGULAR_EXPRESSION=["wr"]))

    def test_a_mutant_is_killed_timed_out_or_survives(self):
        def one(body):
            test = programs.Test({"name": "t", "command": [sys.executable, "-c", body], "properties": []})
            return programs.judge(5, [test])[0]

        asks = "import os, sys, time; m = os.environ['CK_MUTANT']; "
        self.assertEqual(one(asks + "sys.exit(m == '5')"), "killed")
        self.assertEqual(one(asks + "sys.exit(m != '5')"), "survived")
        self.assertEqual(one(asks + "os.abort()"), "killed")

    def test_every_default_path_has_concerned_tests(self):
        root = os.path.dirname(SCRIPT)
        for name in draw.sources(root, draw.DEFAULT_PATHS):
            self.assertTrue(programs.concerned(name)[1], name)

    def test_concerned_programs_have_the_header_in_them(self):
        """Those of GoogleTest: in their own sources, or in the library's where a test links it."""
        root = os.path.dirname(SCRIPT)
        found = {}

        def includes(name):
            if name not in found:
                with open(os.path.join(root, name), encoding="utf-8") as file:
                    named = re.findall(r'^#include "([^"]+)"', file.read(), re.M)
                paths = [os.path.normpath(os.path.join(folder, n)) for n in named for folder in
                         ("include", "library/include", "library/src", "test", "profiler", os.path.dirname(name))]
                found[name] = [p for p in paths if os.path.isfile(os.path.join(root, p))]
            return found[name]

        def reached(folder, below=False):
            waiting, seen = [], set()
            for at, folders, names in os.walk(os.path.join(root, folder)):
                waiting += [os.path.relpath(os.path.join(at, n), root) for n in names if n.endswith((".cpp", ".hpp"))]
                folders[:] = folders if below else []
            while waiting:
                name = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    waiting += includes(name)
            return seen

        of_test = {}
        for at, _, names in os.walk(os.path.join(root, "test")):
            folder = os.path.relpath(at, root)
            if any(n.endswith(".cpp") for n in names):
                of_test[folder.replace("/", "_")] = reached(folder)
        library = reached("library/src", below=True)
        for name in draw.sources(root, [p for p in draw.DEFAULT_PATHS if p.startswith("include/")]):
            targets = programs.concerned(name)[0]
            self.assertTrue(all(t in of_test for t in targets), targets)
            self.assertTrue(any(name in of_test[t] for t in targets) or
                            name in library and set(programs.HOST) <= set(targets) or
                            not draw.places(root, name), f"{name}: no test that CONCERNED names has it")


class Reports(unittest.TestCase):
    def report(self, *ends):
        """What is printed and written of mutants that come to these ends, one in each folder."""
        campaign = mutate.Campaign.__new__(mutate.Campaign)
        chosen = []
        for number, _ in enumerate(ends, 1):
            place = next(iter(cpp.places(f"folder{number}/x.cpp", "void f()\n{\n    if(ready)\n        g();\n}\n")))
            chosen.append((number, place))
        campaign.results = {n: {"end": end, "by": "", **place.told()} for (n, place), end in zip(chosen, ends)}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            file = os.path.join(folder, "x.json")
            campaign.arguments = types.SimpleNamespace(seed=1, count=len(ends), paths=["x"], json=file)
            score = campaign.report(chosen)
            with open(file, encoding="utf-8") as written:
                return score, out.getvalue(), json.load(written)

    def test_name_what_no_test_sees(self):
        score, text, written = self.report("killed", "timed out", "survived", "not reached", "not built", "equivalent")
        self.assertEqual(score, 50, "of killed, timed out, survived and not reached")
        self.assertRegex(text, r"1 survived, though tests come by:\n  folder3/x\.cpp:3: condition: the condition is negated: ready\n +if\(ready\)")
        self.assertRegex(text, r"1 not reached: no test comes by:\n  folder4/x\.cpp:3: ")
        self.assertRegex(text, r"1 not built: no program of the host has that code:\n  folder5/x\.cpp:3: ")
        self.assertRegex(text, r" 100%  folder2\n.* 0%  folder3\n.* 0%  folder4\n")
        self.assertEqual(written["folders"]["all"], {**dict.fromkeys(mutate.ENDS, 1), "score": 50})
        self.assertEqual(written["folders"]["folder4"]["score"], 0)
        self.assertEqual([(m["file"], m["line"], m["end"]) for m in written["mutants"]][3], ("folder4/x.cpp", 3, "not reached"))

    def test_of_killed_mutants_alone_list_none(self):
        score, text, _ = self.report("killed", "killed")
        self.assertEqual(score, 100)
        self.assertNotIn("survived, though", text)


if __name__ == "__main__":
    unittest.main()
