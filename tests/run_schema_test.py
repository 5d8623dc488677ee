#!/usr/bin/env python3
"""The examples of run.json, which run_json_test proves to be what lockstep writes, are valid under
docs/run.schema.json; documents that break its promises are not."""

import copy
import json
import pathlib
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "src" / "result" / "golden"
IMPORTED = ROOT / "src" / "report" / "golden" / "imported_run.json"


def load(path):
    return json.loads(path.read_text())


class RunSchema(unittest.TestCase):
    def setUp(self):
        self.schema = load(ROOT / "docs" / "run.schema.json")
        self.measured = load(GOLDEN / "run.json")
        self.failed = load(GOLDEN / "failed_run.json")
        self.imported = load(IMPORTED)

    def accepts(self, document):
        return jsonschema.Draft202012Validator(self.schema).is_valid(document)

    def changed(self, document, change):
        document = copy.deepcopy(document)
        change(document)
        return document

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_accepts_what_lockstep_writes(self):
        self.assertTrue(self.accepts(self.measured))
        self.assertTrue(self.accepts(self.failed))
        self.assertTrue(self.accepts(self.imported))

    def test_lets_imported_figures_alone_be_unknown(self):
        unknown = self.changed(self.measured, lambda d: d["statistics"].update(step_ms_mean=None))
        self.assertFalse(self.accepts(unknown))
        phases = self.changed(self.measured, lambda d: d.update(phases=None))
        self.assertFalse(self.accepts(phases))
        for key in self.imported["statistics"]:
            changed = self.changed(self.imported, lambda d: d["statistics"].pop(key))
            self.assertFalse(self.accepts(changed), key)
        for speed in (None, 0):
            changed = self.changed(self.imported,
                                   lambda d: d["statistics"].update(images_per_s=speed))
            self.assertFalse(self.accepts(changed), speed)

    def test_accepts_numbers_that_do_not_exist(self):
        for key in ("images_per_s_ci95_lo", "images_per_s_ci95_hi", "peak_gflops", "mfu_pct"):
            changed = self.changed(self.measured, lambda d: d["statistics"].update({key: None}))
            self.assertTrue(self.accepts(changed), key)

    def test_refuses_a_missing_or_an_unknown_key_anywhere(self):
        for part in (None, "schema", "statistics", "phases"):
            inside = lambda d: d if part is None else d[part]
            for key in inside(self.measured):
                changed = self.changed(self.measured, lambda d: inside(d).pop(key))
                self.assertFalse(self.accepts(changed), f"{part} without {key}")
            changed = self.changed(self.measured, lambda d: inside(d).update(unknown=1))
            self.assertFalse(self.accepts(changed), part)

    def test_refuses_an_error_with_numbers_and_neither(self):
        both = self.changed(self.measured, lambda d: d.update(error=self.failed["error"]))
        self.assertFalse(self.accepts(both))
        neither = self.changed(self.failed, lambda d: d.update(error=None))
        self.assertFalse(self.accepts(neither))


if __name__ == "__main__":
    unittest.main()
