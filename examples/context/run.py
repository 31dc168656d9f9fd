#!/usr/bin/env python3
"""The two scenarios of agent context distribution and the cycle of shared context, with a process for every role.

    python3 examples/context/run.py                       all, as they are meant to be
    python3 examples/context/run.py see_a_doctor
    python3 examples/context/run.py --tokens              the two by every variant, with what each costs

Starts the service (`--program`, else target/release/otherwise) with a principal and a key for every role, then the agents, then
the master, and ends when the master does.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

SCENARIOS = {
    "tour_plan": ("tour-master", ["hotel-agent", "flight-agent", "weather-agent"]),
    "see_a_doctor": ("doctor-master", ["diagnosis-agent", "prescription-agent", "pharmacy-agent"]),
    "incident": ("incident-lead", ["analysis-subagent", "remediation-subagent"]),
}
# Those whose windows are filled by contexts that a master makes out.
MEASURED = ["tour_plan", "see_a_doctor"]
# Each adds one thing to the one before.
VARIANTS = [
    ("everything to everyone", []),
    ("isolation", ["isolation"]),
    ("and summaries", ["isolation", "summaries"]),
    ("and offloading", ["isolation", "summaries", "offloading"]),
]


def serve(program, folder, keys):
    """The service on a free port, with a principal for every role."""
    lines = ["[log]", 'level = "warn"']
    for name, key in keys.items():
        digest = hashlib.sha256(key.encode()).hexdigest()
        lines += ["[[principals]]", f'name = "{name}"', 'roles = ["client"]', f'key_sha256 = "{digest}"']
    config = pathlib.Path(folder) / "otherwise.toml"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = [program, "serve", "--config", str(config), "--listen", "127.0.0.1:0", "--data", f"{folder}/data",
                 "--schemas", str(ROOT / "schemas"), "--models", str(ROOT / "models")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTHERWISE_")}
    service = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)
    ready = service.stdout.readline().split()
    if len(ready) != 2:
        sys.exit("the service did not start")
    return service, ready[1]


def file_of(role):
    return {"tour-master": "tour_master.py", "doctor-master": "doctor_master.py"}.get(role, role.replace("-", "_") + ".py")


def play(scenario, variant, base, keys, folder, quiet):
    """One scenario from its beginning to its end; what was read, by what it was."""
    master, agents = SCENARIOS[scenario]
    notes = pathlib.Path(folder) / f"{scenario}-{len(variant)}.jsonl"
    output = subprocess.DEVNULL if quiet else None

    def start(role):
        environment = dict(os.environ, ACI_BASE=base, ACI_KEY=keys[role], ACI_NOTES=str(notes), ACI_VARIANT=",".join(variant) or "-",
                           PYTHONDONTWRITEBYTECODE="1")
        return subprocess.Popen([sys.executable, str(HERE / file_of(role))], env=environment, stdout=output)

    running = [start(agent) for agent in agents]
    try:
        if start(master).wait(timeout=120) != 0:
            sys.exit(f"{scenario}: the master failed")
    finally:
        for agent in running:
            agent.terminate()
            agent.wait()
    read = collections.Counter()
    notes.touch()
    for line in notes.read_text(encoding="utf-8").splitlines():
        note = json.loads(line)
        read[note["what"]] += note["chars"]
    return {what: -(-chars // 4) for what, chars in read.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    arguments.add_argument("--program", default=str(ROOT / "target/release/otherwise"))
    arguments.add_argument("--tokens", action="store_true", help="every variant, with what it costs")
    asked = arguments.parse_args()
    unknown = [name for name in asked.scenarios if name not in SCENARIOS]
    if unknown:
        arguments.error(f"there is no scenario {unknown[0]}")
    scenarios = asked.scenarios or (MEASURED if asked.tokens else list(SCENARIOS))
    if asked.tokens and not set(scenarios) <= set(MEASURED):
        arguments.error(f"tokens are counted of {' and '.join(MEASURED)}")
    names = [name for scenario in scenarios for name in [SCENARIOS[scenario][0], *SCENARIOS[scenario][1]]]
    keys = {name: secrets.token_hex(32) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        service, base = serve(asked.program, folder, keys)
        try:
            if not asked.tokens:
                for scenario in scenarios:
                    play(scenario, VARIANTS[-1][1], base, keys, folder, quiet=False)
                return
            print("| scenario | what is done | agents: own contexts | agents: contents | master: given back | all |")
            print("|---|---|--:|--:|--:|--:|")
            for scenario in scenarios:
                for name, variant in VARIANTS:
                    read = play(scenario, variant, base, keys, folder, quiet=True)
                    own, content, back = (read.get(what, 0) for what in ("own context", "content", "given back"))
                    print(f"| {scenario} | {name} | {own:,} | {content:,} | {back:,} | {own + content + back:,} |", flush=True)
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main()
