"""Reads a list of cases, and writes what the package makes of each, to be compared with the original in TypeScript."""

import sys
from itertools import islice

from tapedeck_testing.differences import Masks, describe_difference, find_differences
from tapedeck_testing.faults import seeded_delays
from tapedeck_testing.js_json import canonical, parse, sort_members, stringify
from tapedeck_testing.pointers import is_within, without_pointers
from tapedeck_testing.tape_name import tape_folder


def compare(case):
    before, after = (sort_members(without_pointers(case[name], case["pointers"])) for name in ("before", "after"))
    differences = find_differences(before, after, Masks())
    return {
        "canonical": canonical(case["before"]),
        "without": before,
        "lines": [describe_difference(difference) for difference in differences],
        "within": [[is_within(each.pointer, pointer) for pointer in case["pointers"]] for each in differences],
        "folder": tape_folder(case["name"]),
        "delays": list(islice(seeded_delays(case.get("seed", 0), case.get("jitter", 0)), 5)),
    }


cases = parse(sys.stdin.buffer.read().decode("utf-8"))
sys.stdout.buffer.write(stringify([compare(case) for case in cases]).encode("utf-8"))
