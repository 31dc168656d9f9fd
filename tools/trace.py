#!/usr/bin/env python3
"""Says for every requirement of docs/requirements.tsv which tests fail when its rule is taken out.

A requirement is traced to a test by its id in the test's name (`…_z095_z100`), as the test binaries list them: what does
not exist, is ignored or stands only in a comment does not count. A requirement marked `covered` or `partly` without a
test is an error, and so is a test for one that is marked `open`.

With --mutations, every rule of docs/mutations.tsv is taken out in a copy of the sources, one at a time, and the test that
is named beside it must fail.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = ("covered", "partly", "open", "client", "text")


def requirements():
    rows = collections.OrderedDict()
    for number, line in enumerate((ROOT / "docs/requirements.tsv").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 3 or parts[1] not in STATES:
            sys.exit(f"docs/requirements.tsv:{number}: expected id, one of {', '.join(STATES)}, and a note")
        rows[parts[0]] = (parts[1], parts[2])
    return rows


def listed_tests():
    listing = subprocess.run(["cargo", "test", "--workspace", "--quiet", "--", "--list"], cwd=ROOT, text=True, capture_output=True)
    if listing.returncode != 0:
        sys.exit("the tests do not build:\n" + listing.stderr[-4000:])
    ignored = subprocess.run(["cargo", "test", "--workspace", "--quiet", "--", "--list", "--ignored"], cwd=ROOT, text=True, capture_output=True)
    names = lambda text: {line[:-6] for line in text.splitlines() if line.endswith(": test")}
    return sorted(names(listing.stdout) - names(ignored.stdout))


def trace():
    rows, tests = requirements(), collections.defaultdict(list)
    for test in listed_tests():
        for document, number in re.findall(r"_([zcmsp](?=\d{3})|x(?=\d{2}))(\d{2,3})(?![0-9])", test.rsplit("::", 1)[-1]):
            tests[f"{document.upper()}-{number}"].append(test)
    errors = [f"{test}: there is no requirement {identifier}" for identifier in tests if identifier not in rows for test in tests[identifier]]
    for identifier, (state, note) in rows.items():
        found = tests.get(identifier, [])
        if state in ("covered", "partly") and not found:
            errors.append(f"{identifier} is marked {state}, and no test carries its id")
        if state == "open" and found:
            errors.append(f"{identifier} is marked open, and {found[0]} tests it")
        missing = f" [{note}]" if state == "partly" else ""
        shown = "; ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "") + missing
        print(f"{identifier}  {state:8} {shown or note}")
    count = collections.Counter(state for state, _ in rows.values())
    print(", ".join(f"{count[state]} {state}" for state in STATES) + f"; {len(errors)} errors")
    for error in errors:
        print("error:", error, file=sys.stderr)
    return 1 if errors else 0


def mutations():
    """The rows of docs/mutations.tsv whose rule stands in the sources exactly once, and how many do not."""
    rows, stale, known = [], 0, requirements()
    for number, line in enumerate((ROOT / "docs/mutations.tsv").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = line.split("\t")
        if len(parts) != 5 or parts[0] not in known:
            sys.exit(f"docs/mutations.tsv:{number}: expected a known id, file, rule, what stands without it, and test")
        identifier, path, before, after, test = parts
        source = ROOT / path
        count = source.read_text().count(before) if source.exists() else 0
        if count != 1 or before == after:
            print(f"{identifier}  stale     {path} holds the rule {count} times: {before}")
            stale += 1
        else:
            rows.append((identifier, path, before, after, test))
    return rows, stale


def check_mutations():
    rows, stale = mutations()
    print(f"{len(rows)} rules of {len({row[0] for row in rows})} requirements stand where they are said to; {stale} do not")
    return 1 if stale else 0


def mutate(wanted):
    rows, failures = mutations()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("target", "data", ".git", ".runtime"))
        if (ROOT / ".runtime").exists():
            os.symlink(ROOT / ".runtime", copy / ".runtime")
        environment = dict(os.environ, CARGO_TARGET_DIR=os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target/mutations")))
        for identifier, path, before, after, test in rows:
            if wanted and identifier not in wanted:
                continue
            source = copy / path
            text = source.read_text()
            source.write_text(text.replace(before, after))
            # The filter names a test of a library or of the store's contract, or `tests/` and a test of the journeys.
            target = ["--test", "otherwise"] if test.startswith("tests/") else ["--workspace", "--lib", "--test", "contract"]
            command = ["cargo", "test", "--quiet", *target, "--", test.removeprefix("tests/")]
            run = subprocess.run(command, cwd=copy, env=environment, text=True, capture_output=True)
            source.write_text(text)
            built = "error: could not compile" not in run.stderr
            verdict = "caught" if built and run.returncode != 0 else "NO BUILD" if not built else "SURVIVED"
            failures += verdict != "caught"
            print(f"{identifier}  {verdict:9} {test}", flush=True)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", action="store_true", help="take rules out and see whether their tests fail (slow)")
    parser.add_argument("--dry", action="store_true", help="with --mutations: only see whether each rule stands where it is said to")
    parser.add_argument("ids", nargs="*", help="with --mutations: only these requirements")
    options = parser.parse_args()
    if not options.mutations:
        sys.exit(trace())
    sys.exit(check_mutations() if options.dry else mutate(set(options.ids)))


if __name__ == "__main__":
    main()
