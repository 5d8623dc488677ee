#!/usr/bin/env python3
"""The page of `lockstep report` in a real browser: the committed one, which other tests compare with
what the program writes; and the style sheets and scripts of all pages.

Usage: report_page_test.py [unittest arguments]"""

import json
import pathlib
import re
import subprocess
import unittest

from chromium import Chromium

REPORT = pathlib.Path(__file__).resolve().parent.parent / "src/report"
PAGE = REPORT / "golden/report.html"

# Texts that do not stand out from what is behind them: WCAG 2.1, 1.4.3, level AA. What is behind a text
# of a drawing are the rectangles painted before it.
HARD_TO_READ = """(() => {
  const numbers = colour => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((c, i) => a * c + (1 - a) * below[i]);
  const luminance = colour => {
    const [r, g, b] = colour.map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const background = element => {
    if (!element) return [255, 255, 255];
    const own = numbers(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, background(element.parentElement));
  };
  const behind = text => {
    const drawing = text.closest(".panels > svg");
    const { x, y, width, height } = text.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    let colour = background(drawing.parentElement);
    for (const rect of drawing.querySelectorAll("rect")) {
      const after = rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      const box = rect.getBoundingClientRect();
      if (!after || left < box.left || left > box.right || top < box.top || top > box.bottom) continue;
      const style = getComputedStyle(rect);
      const [r, g, b, a] = numbers(style.fill);
      colour = over([r, g, b, a * style.fillOpacity], colour);
    }
    return colour;
  };
  const found = [];
  let looked = 0;
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
      .map(node => node.data).join("").trim();
    if (!text || element.closest("script, style, title") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const drawn = element.namespaceURI.endsWith("svg");
    const colour = numbers(drawn ? style.fill : style.color).slice(0, 3);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = contrast(colour, drawn ? behind(element) : background(element));
    ++looked;
    if (ratio < (large ? 3 : 4.5)) found.push(`${text}: ${ratio.toFixed(2)}`);
  }
  return { looked, found };
})()"""


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.prefer("light")
        self.browser.resize(1280, 900)
        self.browser.open(PAGE)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def evaluate(self, script):
        return self.browser.evaluate(script)

    def test_shows_all_figures(self):
        areas = self.evaluate("""[...document.querySelectorAll(".panels > svg")].map(svg => {
          const { width, height } = svg.getBoundingClientRect();
          return width * height;
        })""")
        self.assertEqual(len(areas), PAGE.read_text().count('role="img" aria-label="') - self.evaluate(
            "document.querySelectorAll('.bar').length"))
        self.assertGreater(min(areas), 10_000)

    def test_fits_a_phone(self):
        self.browser.resize(390, 844)
        self.assertEqual(self.evaluate("document.documentElement.scrollWidth"), 390)
        # Which choice is best, and what limits it, is seen at once.
        beyond = "[...document.querySelectorAll('.fastest')].map(t => t.scrollWidth - t.parentElement.clientWidth)"
        self.assertLessEqual(max(self.evaluate(beyond)), 0)

    def test_links_lead_to_what_they_name(self):
        # What is not seen yet is not drawn: its height is an estimate until it is.
        for target in self.evaluate("[...document.querySelectorAll('nav a')].map(link => link.hash)"):
            top = self.evaluate(f"""(async () => {{
              document.querySelector("nav a[href='{target}']").click();
              for (let i = 0; i < 3; ++i) await new Promise(requestAnimationFrame);
              return document.querySelector("{target}").getBoundingClientRect().top;
            }})()""")
            self.assertGreater(top, -2, target)
            self.assertLess(top, 800, target)

    def test_tables_sort_from_the_keyboard(self):
        self.evaluate("document.querySelector('th:nth-child(6) button').focus()")
        speeds = """[...document.querySelectorAll(".sortable td:nth-child(6) [data-value]")]
          .map(cell => Number(cell.dataset.value))"""
        before = self.evaluate(speeds)
        self.browser.press("Enter")
        self.assertEqual(self.evaluate(speeds), sorted(before))
        self.browser.press("Enter")
        self.assertEqual(self.evaluate(speeds), sorted(before, reverse=True))
        self.assertEqual(self.evaluate("document.querySelector('th:nth-child(6)').ariaSort"), "descending")

    def test_configurations_can_be_hidden(self):
        seen = """[...document.querySelectorAll("[data-series=replicated]")]
          .filter(group => group.getClientRects().length > 0).length"""
        all_of_them = self.evaluate(seen)
        self.assertGreater(all_of_them, 5)
        self.evaluate("document.querySelector('#toggles [value=replicated]').focus()")
        self.browser.press(" ")
        self.assertEqual(self.evaluate(seen), 0)
        self.browser.press(" ")
        self.assertEqual(self.evaluate(seen), all_of_them)

    def test_arrow_keys_go_from_mark_to_mark(self):
        self.evaluate("document.querySelector('#throughput svg').focus()")
        told = []
        for _ in range(3):
            self.browser.press("ArrowRight")
            told.append(self.evaluate("document.getElementById('tip').textContent"))
        self.assertEqual(len(set(told)), 3)
        self.assertIn("images/s (95 %: ", told[0])
        self.browser.press("Escape")
        self.assertTrue(self.evaluate("document.getElementById('tip').hidden"))

    def test_parts_of_a_series_of_steps_can_be_enlarged(self):
        ends = """[...document.querySelectorAll("#steps [data-end]")].map(text => Number(text.textContent))"""
        window = "document.querySelector('#steps svg svg').getAttribute('viewBox').split(' ').map(Number)"
        whole, (first, last) = self.evaluate(window), self.evaluate(ends)
        self.assertEqual(first, 0)
        box = self.evaluate("""(() => {
          const sheet = document.querySelector("#steps .sheet");
          sheet.scrollIntoView({ block: "center" });
          return sheet.getBoundingClientRect().toJSON();
        })()""")
        middle = box["top"] + box["height"] / 2
        self.browser.drag((box["left"] + 0.3 * box["width"], middle), (box["left"] + 0.9 * box["width"], middle))
        left, _, width, _ = self.evaluate(window)
        self.assertAlmostEqual(left, 0.3 * whole[2], delta=2)
        self.assertAlmostEqual(width, 0.6 * whole[2], delta=2)
        self.assertEqual(self.evaluate(ends), [round(0.3 * last), round(0.9 * last)])
        self.assertRegex(self.evaluate("document.getElementById('tip').textContent"),
                         f"^step {int(0.9 * last)}: [0-9.]+ ms$")
        # Seconds move with the steps. The warm-up, 4.5 s of 7.13, is out of sight but for its end.
        seconds = """[...document.querySelectorAll("#steps [data-share]")]
          .filter(tick => tick.getAttribute("visibility") === "visible")
          .map(tick => [Number(tick.textContent), tick.transform.baseVal[0].matrix.e])"""
        visible = self.evaluate(seconds)
        self.assertEqual([second for second, _ in visible], [5, 6])
        self.assertLess(visible[0][1], visible[1][1])

        self.evaluate("document.querySelector('#steps .panels > svg').focus()")
        self.browser.press("0")
        self.assertEqual(self.evaluate(window), whole)
        # The first step lies above the break of the axis and keeps its number there.
        self.browser.drag((box["left"] + 2, middle), (box["left"] + 3, middle))
        self.assertEqual(self.evaluate("document.getElementById('tip').textContent"),
                         "step 0: 4500 ms, not measured")
        self.browser.press("+")
        left, _, width, _ = self.evaluate(window)
        self.assertLess(width, whole[2])
        self.browser.press("ArrowLeft")
        self.assertAlmostEqual(self.evaluate(window)[0], left - width / 4)
        self.browser.press("ArrowLeft")
        self.assertEqual(self.evaluate(window)[0], 0)

    def test_all_texts_can_be_read_on_light_and_dark_screens(self):
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            self.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
            result = self.evaluate(HARD_TO_READ)
            self.assertGreater(result["looked"], 200)
            self.assertEqual(result["found"], [], scheme)

    def test_everything_that_can_be_used_or_seen_has_a_name(self):
        nodes = [node for node in self.browser.call("Accessibility.getFullAXTree")["nodes"]
                 if not node["ignored"]]
        roles = {"button", "checkbox", "link", "image", "img", "region", "navigation", "group", "table"}
        named = [node for node in nodes if node["role"]["value"] in roles]
        self.assertGreater(len(named), 50)
        nameless = [node["role"]["value"] for node in named if not node.get("name", {}).get("value", "").strip()
                    and node["role"]["value"] not in ("group", "table")]
        self.assertEqual(nameless, [])

    def test_prints_all_that_is_folded_or_was_not_seen_yet_or_is_wide(self):
        # Long names and numbers: what is beyond the edge of the paper is not in the text.
        self.evaluate("""document.querySelectorAll(".sortable .interval").forEach(
          interval => interval.textContent = "123456 to 1234567 %")""")
        printed = subprocess.run(["pdftotext", "-layout", "-", "-"], input=self.browser.pdf(),
                                 capture_output=True, check=True, timeout=30).stdout.decode()
        for text in ("lockstep run --model=mobilenet", "cache.l2_bytes", "ideal", "ranks from left to right"):
            self.assertIn(text, printed)
        rows = self.evaluate("document.querySelectorAll('.sortable tbody tr').length")
        self.assertEqual(len(re.findall("^ *alexnet .* (?:yes|no)$", printed, re.MULTILINE)), rows)

    def test_is_whole_without_scripts(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.open(PAGE)
        figures = "[...document.querySelectorAll('.panels > svg')].filter(svg => svg.checkVisibility()).length"
        self.assertGreater(self.evaluate(figures), 5)
        self.assertFalse(self.evaluate("document.getElementById('toggles').checkVisibility()"))


# Browsers skip what they do not understand of a style sheet and say nothing. Returns those parts.
NOT_UNDERSTOOD = """(text => {
  const found = [];
  const braces = text.replace(/\\/\\*.*?\\*\\//gs, "").replace(/"[^"]*"/g, '""').match(/[{}]/g).join("");
  let depth = 0;
  for (const brace of braces) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) break;
  }
  if (depth !== 0) found.push("braces that do not match");
  for (const [, before, body] of text.matchAll(/([^{};]*)\\{([^{}]*)\\}/g)) {
    const selector = before.trim();
    try {
      document.querySelector(selector);
    } catch {
      found.push(selector);
    }
    for (const declaration of body.split(";").map(part => part.trim()).filter(part => part)) {
      const [, name, value] = declaration.match(/^([\\w-]+): (.+)$/) ?? [];
      if (!name || !CSS.supports(name, value)) found.push(`${selector} { ${declaration} }`);
    }
  }
  return found;
})"""


class Assets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def not_understood(self, text):
        return self.browser.evaluate(f"{NOT_UNDERSTOOD}({json.dumps(text)})")

    def syntax_error(self, script):
        return self.browser.call("Runtime.compileScript", expression=script, sourceURL="", persistScript=False
                                 ).get("exceptionDetails", {}).get("exception", {}).get("description")

    def test_style_sheets_are_understood(self):
        for name in ("report.css", "watch.css"):
            self.assertEqual(self.not_understood((REPORT / "assets" / name).read_text()), [], name)

    def test_scripts_are_strict_and_have_no_syntax_errors(self):
        for name in ("report.js", "watch.js"):
            script = (REPORT / "assets" / name).read_text()
            self.assertTrue(script.startswith('"use strict";\n'), name)
            self.assertIsNone(self.syntax_error(script), name)

    def test_mistakes_are_seen(self):
        for text, mistake in (("a { colour: red; }", "a { colour: red }"), ("a { color: 3px }", "a { color: 3px }"),
                              ("a { color red; }", "a { color red }"), ("b, a:hoover { top: 0; }", "b, a:hoover"),
                              ("@media print { a { top: 1; } }", "a { top: 1 }"),
                              ("@media print { a { top: 0; }", "braces that do not match")):
            self.assertEqual(self.not_understood(text), [mistake])
        self.assertIn("SyntaxError", self.syntax_error("const a = ;"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
