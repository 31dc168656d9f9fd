#!/usr/bin/env python3
"""Measures what is learned of recorded streams: how much, how much of it an operator could approve, and what it would do to clients.

    tools/learn.py target/release/otherwise --data DATA --eval EVAL [--reader DIR] [--policy P.toml] [--set wishes] [--reports DIR]

DATA has the folders rediscovery, covered and wishes, or some of them, with a folder for each scenario: template.json, stream.jsonl and
gold.json. Each is replayed, two at a time; where --reader has a folder of the scenario's name, with the answers that lie there. EVAL
has score.py and harm.py, which judge the reports. Wishes are told apart by the language in gold.json.

Prints what was measured of each set beside its target, with the middle 95 % over 1,000 draws of scenarios, and the harm by kind. What is
below its target is marked with `!`; that is no error. Exit status 1 where a replay or a script fails. Standard library only.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = ("wishes", "rediscovery", "covered")
# Replays at a time: each has an embedding model of its own in memory.
REPLAYS = 2
# Draws of scenarios for an interval: its ends then move by less than a hundredth from seed to seed.
DRAWS = 1_000
SEED = 27
# Harm that nobody is ever to meet: wrong value, inverted, private, order, sensitive, publisher's key changed, default.
GRAVE = ("H4", "H5", "H6", "H7", "H8", "H10", "H11")
# Merged or no wish at all, duplicate, misnamed.
CLUMSY = ("H1", "H2", "H3")
KINDS = ("H1", "H2", "H3", "H4", "H5", "H6", "H6b", "H7", "H8", "H10", "H11")


# One scenario: its report, and what score.py, harm.py and harm.py with all that waits say of it.
Row = collections.namedtuple("Row", "report score harm proposals")


def harms(judged, kinds):
    return sum(judged.get(kind, 0) for kind in kinds)


# Of each measure its name, numerator and denominator in one scenario, and what is shown of their ratio.
MEASURES = (
    ("F1 of all proposals", lambda r: 2 * r.score["covered"], lambda r: r.score["hidden"] + r.score["keys"], 1),
    ("approvable unedited, of hidden", lambda r: r.proposals["right"], lambda r: r.proposals["hidden"], 1),
    ("right or rightly waiting, of hidden", lambda r: r.harm["right"] + r.harm["waiting"], lambda r: r.harm["hidden"], 1),
    ("harmful, of served", lambda r: r.harm["harmful"], lambda r: r.harm["served"], 1),
    ("merged, duplicate, misnamed, of 100 served", lambda r: harms(r.harm, CLUMSY), lambda r: r.harm["served"], 100),
    ("engine without encoder, ms a line", lambda r: 1000 * r.report["seconds"]["engine"], lambda r: r.report["lines"], 1),
)
COUNTS = (
    ("served: grave harms", lambda r: harms(r.harm, GRAVE)),
    ("hidden", lambda r: r.harm["hidden"]),
    ("keys, served or waiting", lambda r: r.score["keys"]),
    ("served", lambda r: r.harm["served"]),
    ("served rightly", lambda r: r.harm["right"]),
    ("waiting rightly", lambda r: r.harm["waiting"]),
    ("waiting wrongly", lambda r: r.harm["waiting_wrongly"]),
)
# The least or the most that is aimed at, by the engine alone and with a reader.
EVERYWHERE = {"served: grave harms": ("<=", 0), "engine without encoder, ms a line": ("<=", 0.5)}
SERVED = {"merged, duplicate, misnamed, of 100 served": ("<=", 8)}
READ = {"right or rightly waiting, of hidden": (">=", 0.95), "harmful, of served": ("<=", 0.01)}
TARGETS = {
    "wishes, English": (
        {"F1 of all proposals": (">=", 0.78), "approvable unedited, of hidden": (">=", 0.60), **SERVED},
        {**SERVED, **READ},
    ),
    "wishes, others": (
        {"F1 of all proposals": (">=", 0.65), "approvable unedited, of hidden": (">=", 0.40), **SERVED},
        {**SERVED, **READ},
    ),
    "rediscovery": ({"F1 of all proposals": (">=", 0.65)}, {"F1 of all proposals": (">=", 0.93)}),
    "covered": ({}, {}),
}


def replay(args, folder, report):
    """Replays one scenario into a report; the first line of what went wrong, or nothing."""
    command = [args.binary, "replay", "--template", folder / "template.json", "--stream", folder / "stream.jsonl"]
    command += ["--report", report, "--models", ROOT / "models"]
    command += ["--policy", args.policy] if args.policy else []
    command += ["--reader", f"play:{args.reader / folder.name}"] if is_read(args, folder) else []
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{folder.name}: exit status {done.returncode}: {done.stderr.strip()[-400:]}"


def is_read(args, folder):
    return args.reader is not None and (args.reader / folder.name).is_dir()


def with_texts(report):
    """The report with members as what was said, where that is known: a line may say several things."""
    for key in report["keys"]:
        read = {said["line"] for said in key["fragments"]}
        key["members"] = key["fragments"] + [line for line in key["members"] if line not in read]
    return report


def judged(args, script, gold, reports, *more):
    command = [sys.executable, args.eval / script, "--gold", gold, "--pred", reports, "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script} failed: {done.stderr.strip()[-400:]}")
    return {row["scenario"]: row for row in json.loads(done.stdout)["scenarios"]}


def measured(args, name):
    """The scenarios of a set, by group."""
    folders = sorted(path.parent for path in (args.data / name).glob("*/gold.json"))
    reports, texts = args.reports / name, args.reports / name / "with_texts"
    texts.mkdir(parents=True, exist_ok=True)
    for stale in [*reports.glob("*.json"), *texts.glob("*.json")]:
        stale.unlink()
    files = [reports / f"{folder.name}.json" for folder in folders]
    with concurrent.futures.ThreadPoolExecutor(REPLAYS) as pool:
        failed = list(filter(None, pool.map(lambda each: replay(args, *each), zip(folders, files))))
    if failed:
        sys.exit("\n".join(failed))
    for file in files:
        (texts / file.name).write_text(json.dumps(with_texts(json.loads(file.read_text()))))
    gold = args.data / name
    scored, harm = judged(args, "score.py", gold, reports), judged(args, "harm.py", gold, texts)
    proposals = judged(args, "harm.py", gold, texts, "--proposals")
    groups = {}
    for folder, file in zip(folders, files):
        told = json.loads((folder / "gold.json").read_text())
        group = name if name != "wishes" else "wishes, English" if told["language"] == "en" else "wishes, others"
        row = Row(json.loads(file.read_text()), scored[told["scenario"]], harm[folder.name], proposals[folder.name])
        groups.setdefault(group, []).append((is_read(args, folder), row))
    return groups


def ratio(rows, above, below):
    """None where there is nothing to compare with."""
    whole = sum(map(below, rows))
    return sum(map(above, rows)) / whole if whole else None


def interval(rows, above, below):
    """The middle 95 % of a ratio over drawn scenarios, of those draws that have one."""
    drawing = random.Random(SEED)
    drawn = (ratio(drawing.choices(rows, k=len(rows)), above, below) for _ in range(DRAWS))
    drawn = sorted(figure for figure in drawn if figure is not None)
    return drawn[len(drawn) // 40], drawn[-1 - len(drawn) // 40]


def show(group, rows, with_reader):
    targets = {**EVERYWHERE, **TARGETS[group][with_reader]}
    for measure, *of, scale in MEASURES:
        figure = ratio(rows, *of)
        if figure is None:
            line(measure, None, "-", "", targets)
            continue
        low, high = (scale * end for end in interval(rows, *of))
        line(measure, scale * figure, f"{scale * figure:.3g}", f"[{low:.3g}, {high:.3g}]", targets)
    for measure, of in COUNTS:
        line(measure, sum(map(of, rows)), str(sum(map(of, rows))), "", targets)


def line(measure, figure, shown, between, targets):
    sign, bar = targets.get(measure, ("", ""))
    is_missed = figure is not None and (sign == ">=" and figure < bar or sign == "<=" and figure > bar)
    print(f"  {measure:44}{shown:>8}  {between:18}{sign:3}{bar:<6}{'!' if is_missed else ''}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--eval", type=pathlib.Path, required=True)
    parser.add_argument("--reader", type=pathlib.Path)
    parser.add_argument("--policy", type=pathlib.Path)
    parser.add_argument("--set", action="append", choices=SETS, help="one set alone; may be given again")
    parser.add_argument("--reports", type=pathlib.Path, default=ROOT / "target" / "learn")
    args = parser.parse_args()
    groups = {}
    for name in args.set or SETS:
        if (args.data / name).is_dir():
            groups.update(measured(args, name))
    groups = {group: groups[group] for group in TARGETS if group in groups}
    for group, each in groups.items():
        rows, read = [row for _, row in each], sum(read for read, _ in each)
        print(f"{group}: {len(rows)} scenarios" + (f", {read} of them read" if args.reader else ""))
        show(group, rows, read > 0)
    print(f"{'harm by kind':44}" + "".join(f"{kind:>5}" for kind in KINDS) + "  waiting wrongly")
    for group, each in groups.items():
        for what, of in (("of what is served", lambda row: row.harm), ("were all of it served", lambda row: row.proposals)):
            counts = "".join(f"{sum(harms(of(row), [kind]) for _, row in each):>5}" for kind in KINDS)
            waiting = f"{sum(row.harm['waiting_wrongly'] for _, row in each):>17}" if what.startswith("of") else ""
            print(f"  {group + ', ' + what:42}{counts}{waiting}")


if __name__ == "__main__":
    main()
