#!/usr/bin/env python3
"""`lockstep report`, the real program: what it draws from a real sweep, number by number, and from
directories that are damaged or named to do harm.

Usage: report_test.py PROGRAM [unittest arguments]"""

import csv
import html.parser
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
HOSTILE = "<script>alert(1)<!--\"' onload=x\n,|\u202e" + "x" * 150
VOID = {"meta", "link", "input"}


def lockstep(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **options)


class Page(html.parser.HTMLParser):
    """Elements with their attributes and texts. Fails where they are not nested properly."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append({"tag": tag, "text": "", **dict(attributes)})

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()["tag"] == tag, tag

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data


class EarlierResults(unittest.TestCase):
    """What an earlier version measured and wrote is read, and comes to the same numbers."""
    DIRECTORY = pathlib.Path(__file__).resolve().parent / "earlier" / "version_1"

    def rows(self, directory):
        return list(csv.DictReader((pathlib.Path(directory) / "results.csv").read_text().splitlines()))

    def test_have_the_numbers_that_they_had(self):
        before = self.rows(self.DIRECTORY)
        with tempfile.TemporaryDirectory() as output:
            done = lockstep("report", self.DIRECTORY, f"--output={output}")
            self.assertEqual((done.returncode, done.stderr.count("left out")), (0, 0), done.stderr)
            now = self.rows(output)
        self.assertEqual(len(now), len(before))
        for row, expected in zip(now, before):
            expected["run_id"] = self.DIRECTORY.name
            self.assertEqual({column: row[column] for column in expected}, expected)

    def test_can_be_compared_and_gated(self):
        with tempfile.TemporaryDirectory() as output:
            done = lockstep("compare", self.DIRECTORY, self.DIRECTORY, cwd=output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lockstep("gate", "--baseline", self.DIRECTORY, self.DIRECTORY).returncode, 0)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.place = pathlib.Path(temporary.name)
        cls.sweep = cls.place / "nightly"
        done = lockstep("sweep", "--models=mnist_mlp:16", "--devices=1,2", "--oversubscribe",
                        "--strategies=replicated,parameter_server", "--num_batches=3", "--price_per_hour=2",
                        "--num_warmup_batches=1", "--repeats=2", f"--result_dir={cls.sweep}")
        assert done.returncode == 0, done.stderr

    def report(self, *directories):
        output = pathlib.Path(tempfile.mkdtemp(dir=self.place))
        done = lockstep("report", *directories, f"--output={output}")
        return done, output

    def copy(self, name):
        copy = self.place / name
        shutil.copytree(self.sweep, copy)
        self.addCleanup(shutil.rmtree, copy)
        return copy

    def rows(self, output):
        with open(output / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return {(row["run_id"], row["point"], row["scaling"]): row for row in rows}

    def check_numbers(self, elements, rows):
        """Every element that says where it stands in results.csv agrees with it; how many do."""
        by_rank = {}
        count = 0
        for element in elements:
            if "data-column" not in element:
                continue
            count += 1
            row = rows[element["data-run"], element["data-point"], element["data-scaling"]]
            column, value = element["data-column"], float(element["data-value"])
            if "data-rank" in element:
                by_rank.setdefault((row["point"], column), []).append(value)
                continue
            first, _, second = column.partition(" - ")
            expected = float(row[first]) - (float(row[second]) if second else 0)
            self.assertAlmostEqual(value, expected, delta=2e-5 * abs(float(row[first])) + 1e-9)
            for bound in ("lo", "hi"):
                self.assertEqual(element.get(f"data-{bound}", ""), row[f"{column}_ci95_{bound}"]
                                 if f"data-{bound}" in element else "")
            if element["tag"] == "span":
                self.check_shown(element["text"], value)
        for (point, column), values in by_rank.items():
            row = next(row for row in rows.values() if row["point"] == point)
            self.assertAlmostEqual(sum(values) / len(values), float(row[column]),
                                   delta=2e-5 * abs(float(row[column])) + 1e-9)
        return count

    def check_shown(self, text, value):
        """What people read is the value, rounded."""
        if text.endswith(" %"):
            text, value = text[:-2], 100 * value
        exponent = int(re.search(r"e([+-]\d+)$", text)[1]) if "e" in text else 0
        digits = len(text.split("e")[0].partition(".")[2])
        self.assertAlmostEqual(float(text), value, delta=0.51 * 10.0 ** (exponent - digits))

    def test_every_number_is_one_of_the_csv(self):
        done, output = self.report(self.sweep)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows(output)
        self.assertEqual(len(rows), 5)
        page = Page((output / "report.html").read_text())
        in_figures = 0
        for path in output.glob("*.svg"):
            elements = [{"tag": element.tag, **element.attrib}
                        for element in ElementTree.parse(path).iter()]
            in_figures += self.check_numbers(elements, rows)
        # Speeds, speed-ups, efficiencies: a marker each; a bar of 7; a cell for each of 2 ranks.
        self.assertEqual(in_figures, 3 * 5 + 7 * 5 + 2 * 2)
        in_page = self.check_numbers(page.elements, rows)
        self.assertGreater(in_page, in_figures + 10 * 5)
        for row in rows.values():
            costs = [json.loads(path.read_text())["statistics"]["cost_per_million_images"]
                     for path in self.sweep.glob(f"points/{row['point']}/*/run.json")]
            self.assertAlmostEqual(float(row["cost_per_million_images"]), sum(costs) / 2, delta=1e-5 * max(costs))
        self.assertIn("cost_per_million_images", {element.get("data-column") for element in page.elements})
        self.assertEqual({path.name for path in output.iterdir()},
                         {"report.html", "report.md", "report.tex", "results.csv", "summary.csv",
                          "throughput.svg",
                          "speed_up.svg", "efficiency.svg", "step_time.svg", "waiting.svg",
                          "steps.svg", "tensorboard", "report.ipynb"})
        notebook = json.loads((output / "report.ipynb").read_text())
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                compile("".join(cell["source"]), cell["id"], "exec")

    def test_event_files_of_an_earlier_report_go_and_those_of_others_stay(self):
        _, output = self.report(self.sweep)
        runs = {path.name for path in (output / "tensorboard").iterdir()}
        for path in ("renamed/events.out.tfevents.1.lockstep", "theirs/events.out.tfevents.1.host"):
            (output / "tensorboard" / path).parent.mkdir()
            (output / "tensorboard" / path).touch()
        (output / "tensorboard" / "notes").touch()
        self.assertEqual(lockstep("report", self.sweep, f"--output={output}").returncode, 0)
        self.assertEqual({path.name for path in (output / "tensorboard").iterdir()}, runs | {"theirs", "notes"})

    def test_figures_of_an_earlier_report_go_and_files_of_others_stay(self):
        _, output = self.report(self.sweep)
        one = self.place / "one"  # device alone: no speed-up to draw
        done = lockstep("run", "--model=mnist_mlp", "--batch_size=16", "--num_batches=3", "--num_warmup_batches=1",
                        f"--result_dir={one}")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("mine.svg", "efficiency.svg.bak", "steps.pdf", "collectives.png"):
            (output / name).touch()
        self.assertTrue((output / "speed_up.svg").exists())
        self.assertEqual(lockstep("report", one, f"--output={output}").returncode, 0)
        self.assertEqual({path.name for path in output.iterdir()},
                         {"report.html", "report.md", "report.tex", "report.ipynb", "results.csv",
                          "summary.csv", "tensorboard",
                          "throughput.svg", "step_time.svg", "steps.svg", "mine.svg", "efficiency.svg.bak"})
        untouched = self.place / "untouched"  # no report yet
        untouched.mkdir()
        (untouched / "steps.pdf").touch()
        self.assertEqual(lockstep("report", one, f"--output={untouched}").returncode, 0)
        self.assertTrue((untouched / "steps.pdf").exists())

    def test_every_link_has_a_target_and_nothing_is_loaded(self):
        _, output = self.report(self.sweep)
        text = (output / "report.html").read_text()
        page = Page(text)
        anchors = {element["id"] for element in page.elements if "id" in element}
        links = [element["href"] for element in page.elements if element["tag"] == "a"]
        self.assertGreater(len(links), 30)
        self.assertLessEqual({link.removeprefix("#") for link in links}, anchors)
        self.assertNotRegex(text.replace("http://www.w3.org/2000/svg", ""), "https?://|url\\(|@import")

    def test_figures_become_png_and_pdf(self):
        output = self.place / "formats"
        done = lockstep("report", self.sweep, "--formats=svg,png,pdf", f"--output={output}")
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = sorted(output.glob("*.svg"))
        self.assertEqual(len(figures), 6)
        for path in figures:
            size = [float(ElementTree.parse(path).getroot().get(side)) for side in ("width", "height")]
            png = path.with_suffix(".png").read_bytes()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            pixels = struct.unpack(">II", png[16:24])
            for got, expected in zip(pixels, size):
                self.assertAlmostEqual(got, 2 * expected, delta=1)
            self.assertEqual(path.with_suffix(".pdf").read_bytes()[:5], b"%PDF-")

    def test_figures_are_svg_where_nothing_draws_them_otherwise(self):
        output = self.place / "svg"
        done = lockstep("report", self.sweep, "--formats=png", f"--output={output}", env={"PATH": ""})
        self.assertEqual(done.returncode, 3)
        self.assertIn("figures are there as SVG only: cannot execute rsvg-convert", done.stderr)
        self.assertEqual(len(list(output.glob("*.svg"))), 6)
        self.assertEqual(lockstep("report", self.sweep, "--formats=gif").returncode, 2)

    def test_hostile_names_do_no_harm(self):
        copy = self.copy(HOSTILE)
        for path in copy.glob("points/*/1/run.json"):
            run = json.loads(path.read_text())
            run["warnings"] = [HOSTILE + 300 * "y"]
            run["context"]["host_name"] = run["ranks"][0]["host"] = HOSTILE + 300 * "y"
            path.write_text(json.dumps(run))
        done, output = self.report(copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\u202e", done.stdout)
        rows = self.rows(output)
        self.assertEqual({run for run, _, _ in rows}, {HOSTILE})
        page = Page((output / "report.html").read_text())
        self.assertEqual(sum(element["tag"] == "script" for element in page.elements), 1)
        for element in page.elements:
            self.assertFalse([name for name in element if name.startswith("on")], element)
        for path in output.glob("*.svg"):
            ElementTree.parse(path)

    def test_reports_what_is_left_where_files_are_damaged(self):
        copy = self.copy("damaged")
        point = copy / "points" / "mnist_mlp-b16-d1-replicated"
        (point / "1" / "run.json").write_text((point / "1" / "run.json").read_text()[:400])
        (point / "2" / "samples.0").write_text("# something else\n")
        done, output = self.report(copy, self.place / "nowhere", self.sweep)
        self.assertEqual(done.returncode, 2)  # for one of them, but the others are reported
        self.assertIn("nowhere holds no results", done.stderr)
        self.assertIn(f"{point}/1/run.json is left out", done.stderr)
        self.assertIn("expected a whole run.json of version 1", done.stderr)
        self.assertIn(f"{point}/2/samples.0 is left out", done.stderr)
        rows = self.rows(output)
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows["damaged", point.name, "weak"]["launches"], "1")
        self.assertIn("is left out", (output / "report.html").read_text())
        self.assertEqual(self.report(self.place / "nowhere")[0].returncode, 2)


class Readme(unittest.TestCase):
    def test_names_the_command_that_draws_its_figure(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        text = (root / "README.md").read_text()
        figure, command = re.search(r"!\[[^]]+\]\(([^)]+\.svg)\)\n\n`\./lockstep ([^`]+)`", text).groups()
        done = lockstep(*command.split(), "--dry_run", "--oversubscribe")
        self.assertEqual(done.returncode, 0, done.stderr)
        commands = [line for line in done.stdout.splitlines() if "--model=" in line]
        drawing = ElementTree.parse(root / figure).getroot()
        texts = {element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")}
        networks = {re.search(r"--model=([^ ]+)", line)[1] for line in commands}
        batches = {re.search(r"--batch_size=([^ ]+)", line)[1] for line in commands}
        self.assertLessEqual(networks, texts)
        self.assertLessEqual({f"weak scaling, batch {batch} per device" for batch in batches}, texts)


if __name__ == "__main__":
    unittest.main(verbosity=2)
