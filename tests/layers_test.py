"""Compares every #include in src/ with the table of layers in CMakeLists.txt.

A row `lockstep_module(NAME DEPENDS ...)` says which modules NAME includes. A blank line between
rows starts the next level; a row names modules of lower levels only, so there are no cycles.
"""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Headers of libraries, and the folders of src/ that may include them.
LIBRARIES = {
    r"asio(/.*)?\.hpp": ["comm/tcp"],
    r"(oneapi/dnnl/)?dnnl.*": ["engine/onednn"],
    r"hwloc(/.*)?\.h": ["machine"],
    r"jpeglib\.h": ["data"],
    r"mpi\.h": ["mpi"],
    r"nlohmann/.*": ["base", "spec", "result", "train", "report", "doctor", "cli"],
    r"openssl/.*": ["comm/tcp"],
    r"omp\.h": ["machine", "kernel", "comm", "engine", "train"],
    r"png\.h": ["data"],
    r"zlib\.h": ["data"],
}
TEST_LIBRARIES = r"(gtest|gmock)/.*"


def read_levels(cmake):
    """The rows of the table, level by level, bottom first: [{module: [modules it may include]}]."""
    cmake = re.sub(r"#.*", "", cmake)
    row = re.compile(r"lockstep_(?:module|program)\(\s*(\w+)([^)]*)\)")
    levels = []
    for paragraph in re.split(r"\n[ \t]*\n", cmake):
        level = {}
        for name, arguments in row.findall(paragraph):
            depends = re.search(r"\bDEPENDS\b((?:\s+[a-z_]\w*\b(?!::))*)", arguments)
            level[name] = depends.group(1).split() if depends else []
        if level:
            levels.append(level)
    return levels


def bad_rows(levels):
    below = set()
    for level in levels:
        for module, depends in level.items():
            for other in depends:
                if other not in below:
                    yield f"CMakeLists.txt: {module} names {other}, which is not on a lower level"
        below |= level.keys()


def sources(source):
    return sorted(p for p in source.rglob("*") if p.suffix in (".cc", ".h"))


def includes(path):
    """Every #include of a file: (number of its line, < or ", header)."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        if match:
            yield number, *match.groups()


def unused_names(source, levels):
    used = {(path.relative_to(source).parts[0], header.split("/")[0])
            for path in sources(source) for _, quote, header in includes(path) if quote == '"'}
    for level in levels:
        for module, depends in level.items():
            for other in depends:
                if (module, other) not in used:
                    yield f"CMakeLists.txt: {module} names {other} and includes nothing of it"


def bad_includes(source, levels):
    rows = {module: depends for level in levels for module, depends in level.items()}
    for path in sources(source):
        place = path.relative_to(source)
        module = place.parts[0]
        if module not in rows:
            yield f"src/{place}: CMakeLists.txt has no row for {module}"
            continue
        for number, quote, header in includes(path):
            if header.startswith("tests/") and place.stem.endswith("_test"):
                continue  # what tests share
            problem = (own_problem(header, module, rows) if quote == '"' else
                       library_problem(header, place))
            if problem:
                yield f"src/{place}:{number}: {header}: {problem}"


def bad_prints(source):
    """Whatever throws where a stream cannot be written would end a run for a message."""
    for path in sorted(source.rglob("*.cc")):
        if path.stem.endswith("_test"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\b(fmt::print|std::cout|std::cerr)\b", line):
                yield f"src/{path.relative_to(source)}:{number}: base/streams.h prints"


def own_problem(header, module, rows):
    other = header.split("/")[0]
    if other not in rows:
        return "write the path from src/"
    if other != module and other not in rows[module]:
        return f"the row of {module} does not name {other}"
    return None


def library_problem(header, place):
    if re.fullmatch(TEST_LIBRARIES, header) and "_test" not in place.stem:
        return "for tests only"
    for pattern, folders in LIBRARIES.items():
        if re.fullmatch(pattern, header):
            if not any(place.is_relative_to(folder) for folder in folders):
                return "allowed in " + ", ".join(folders) + " only"
    return None


class ThisTree(unittest.TestCase):
    levels = read_levels((ROOT / "CMakeLists.txt").read_text())

    def test_rows_name_lower_levels_only(self):
        self.assertEqual(list(bad_rows(self.levels)), [])

    def test_includes_follow_the_rows(self):
        self.assertEqual(list(bad_includes(ROOT / "src", self.levels)), [])

    def test_rows_name_only_what_is_included(self):
        self.assertEqual(list(unused_names(ROOT / "src", self.levels)), [])

    def test_everything_is_printed_by_what_survives_a_full_disk(self):
        self.assertEqual(list(bad_prints(ROOT / "src")), [])


class Checker(unittest.TestCase):
    """The checks above see what they should."""

    CMAKE = """
        lockstep_module(base LIBRARIES fmt::fmt)  # lockstep_module(comment)

        lockstep_module(model DEPENDS base)
        lockstep_module(data  DEPENDS base
                              LIBRARIES zlib)

        lockstep_program(cli DEPENDS base model data LIBRARIES nlohmann_json::nlohmann_json)
        """

    def problems(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src"
            (source / path).parent.mkdir(parents=True)
            (source / path).write_text(text)
            return list(bad_includes(source, read_levels(self.CMAKE)))

    def test_sees_what_prints_past_the_guard(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            (source / "a.cc").write_text('fmt::print(stderr, "x");\nprint_message("x");\n')
            self.assertEqual(list(bad_prints(source)), ["src/a.cc:1: base/streams.h prints"])

    def test_reads_the_rows(self):
        self.assertEqual(read_levels(self.CMAKE), [
            {"base": []},
            {"model": ["base"], "data": ["base"]},
            {"cli": ["base", "model", "data"]}])

    def test_this_tree_has_its_layers(self):
        modules = {name for level in ThisTree.levels for name in level}
        self.assertLessEqual({"base", "spec", "engine", "train", "report", "cli"}, modules)

    def test_a_row_may_not_name_its_own_level(self):
        levels = [{"base": []}, {"model": ["base", "data"], "data": ["base"]}]
        self.assertEqual(len(list(bad_rows(levels))), 1)

    def test_a_row_may_not_name_what_nobody_includes(self):
        levels = [{"base": []}, {"model": ["base"], "data": ["base"]}]
        with tempfile.TemporaryDirectory() as folder:
            for module in ("model", "data"):
                (pathlib.Path(folder) / module).mkdir()
            (pathlib.Path(folder) / "model/graph.cc").write_text('#include "base/error.h"')
            (pathlib.Path(folder) / "data/source.cc").write_text("#include <base>")
            self.assertEqual(list(unused_names(pathlib.Path(folder), levels)),
                             ["CMakeLists.txt: data names base and includes nothing of it"])

    def test_a_cycle_is_seen(self):
        levels = [{"base": ["model"]}, {"model": ["base"]}]
        self.assertIn("base names model", list(bad_rows(levels))[0])

    def test_what_the_row_names_is_fine(self):
        text = '#include <vector>\n#include <sys/mman.h>\n#include "base/error.h"\n'
        self.assertEqual(self.problems("model/graph.cc", text), [])

    def test_upward_and_sideways_includes_are_seen(self):
        for header in ("cli/verbs.h", "data/source.h"):
            self.assertEqual(self.problems("model/graph.cc", f'\n  # include "{header}"\n'),
                             [f"src/model/graph.cc:2: {header}: the row of model does not name "
                              + header.split("/")[0]])

    def test_a_path_that_does_not_start_at_src_is_seen(self):
        self.assertIn("path from src/", self.problems("model/graph.cc", '#include "zoo.h"')[0])

    def test_a_folder_without_a_row_is_seen(self):
        self.assertIn("no row for utils", self.problems("utils/misc.h", "")[0])

    def test_a_library_outside_its_folder_is_seen(self):
        for header in ("dnnl.hpp", "oneapi/dnnl/dnnl.hpp", "hwloc.h", "nlohmann/json.hpp", "omp.h"):
            self.assertEqual(len(self.problems("model/graph.cc", f"#include <{header}>")), 1, header)
        self.assertEqual(self.problems("cli/main.cc", "#include <nlohmann/json.hpp>"), [])

    def test_test_libraries_outside_tests_are_seen(self):
        self.assertEqual(len(self.problems("model/graph.cc", "#include <gtest/gtest.h>")), 1)
        self.assertEqual(self.problems("model/graph_test.cc", "#include <gtest/gtest.h>"), [])


if __name__ == "__main__":
    unittest.main()
