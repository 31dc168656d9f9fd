"""Runs the compatibility suite of A2A against the agent that does what its message ids ask, and holds its failures to a list.

The suite is in no registry: A2A_TCK names a folder that holds it (branch 1.0-dev of a2aproject/a2a-tck). Without it nothing is run.
"""

import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request
import xml.etree.ElementTree

PATIENCE_S = 900
TRANSPORTS = "jsonrpc,http_json"


def allowed(listed):
    """The failures that a list allows, one a line; # begins a remark."""
    lines = (line.split("#")[0].strip() for line in listed.read_text().splitlines())
    return {line for line in lines if line}


def outcomes(report):
    """Every test of a report in the form of JUnit, with its outcome."""
    told = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        failed = case.find("failure") is not None or case.find("error") is not None
        told[name] = "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
    return told


def judged(told, listed):
    """What is wrong: failures that are not listed, and listed ones that do not fail."""
    failed = {name for name, outcome in told.items() if outcome == "failed"}
    wrong = [f"it fails and is not listed: {name}" for name in sorted(failed - listed)]
    return wrong + [f"it is listed and does not fail: {name}" for name in sorted(listed - failed)]


def interpreter(tck, folder):
    """A python with what the suite needs, made once."""
    python = folder / "tck/bin/python"
    if not python.exists():
        subprocess.run(["python3", "-m", "venv", folder / "tck"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", tck], check=True)
    return python


def run(program, root, folder):
    """Whether the suite ended as it should; it also did where there is none."""
    tck = os.environ.get("A2A_TCK")
    if not tck:
        print("skip A2A TCK: it is in no registry; set A2A_TCK to a folder that holds a2aproject/a2a-tck, branch 1.0-dev", flush=True)
        return True
    agent = pathlib.Path(program).parent / "examples/a2a_suite_agent"
    if not (pathlib.Path(tck) / "run_tck.py").exists() or not agent.exists():
        print(f"FAIL A2A TCK: {tck} holds no run_tck.py, or {agent} is not built (cargo build --example a2a_suite_agent)", flush=True)
        return False
    python = interpreter(pathlib.Path(tck), folder)
    with tempfile.TemporaryDirectory() as data:
        address = "127.0.0.1:9999"
        serving = subprocess.Popen([agent, address, data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=root)
        try:
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"http://{address}/.well-known/agent-card.json", timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            report = pathlib.Path(data) / "report.xml"
            command = [python, "-m", "pytest", "tests/compatibility/", f"--sut-host=http://{address}", "--tb=line", "-q",
                       f"--transport={TRANSPORTS}", "-m", "must", f"--junitxml={report}", "-p", "no:cacheprovider"]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, cwd=tck)
            if not report.exists():
                print("FAIL A2A TCK: it wrote no report", *ended.stderr.splitlines()[-20:], sep="\n     ", flush=True)
                return False
            told = outcomes(report)
        finally:
            serving.terminate()
            serving.wait(timeout=30)
    wrong = judged(told, allowed(root / "tools/conformance/a2a-tck.txt"))
    counts = {word: sum(outcome == word for outcome in told.values()) for word in ("passed", "failed", "skipped")}
    well = not wrong and counts["passed"] > 0
    print("ok  " if well else "FAIL", f"A2A TCK, MUST, {TRANSPORTS}: {counts}", flush=True)
    for line in wrong:
        print("     " + line, flush=True)
    return well
