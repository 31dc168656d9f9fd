"""Starts the service with something learned in it, and lets schemathesis try every operation of its description."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

KEY = "tester-key"
SEED = os.environ.get("SEED", "20260501")
SEAT = [
    "a window seat please", "I would like a window seat", "window seat if possible", "please book me a window seat",
    "a seat at the window please", "I prefer a window seat", "window seat again", "I'd like to have a window seat",
]
PEOPLE = 4


def principal(name, roles):
    key = hashlib.sha256((KEY if name == "tester" else name).encode()).hexdigest()
    return f'[[principals]]\nname = "{name}"\nroles = {json.dumps(roles)}\nkey_sha256 = "{key}"\n'


def call(address, key, body):
    request = urllib.request.Request(address, json.dumps(body).encode(), {"X-API-Key": key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def learn(address):
    """Several clients want the same, so that a patch waits for a person."""
    payload = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}
    for number, said in enumerate(SEAT):
        body = {"schema_id": "flight_booking_v1", "payload": {**payload, "other": said}}
        call(f"{address}/v1/submissions", f"agent-{number % PEOPLE}", body)


def main():
    program, tried, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        template = json.loads((root / "schemas/flight_booking_v1.json").read_text())
        template["policy"] = {
            "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
            "evolution": {"autonomy": "review"},
        }
        (folder / "schemas").mkdir()
        (folder / "schemas/flight_booking_v1.json").write_text(json.dumps(template))
        people = [principal("tester", ["publisher", "client", "operator", "auditor"])]
        people += [principal(f"agent-{number}", ["client"]) for number in range(PEOPLE)]
        (folder / "otherwise.toml").write_text("\n".join(people))
        service = subprocess.Popen(
            [program, "serve", "--config", folder / "otherwise.toml", "--listen", "127.0.0.1:0", "--data", folder / "data",
             "--schemas", folder / "schemas", "--models", root / "models"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=root,
        )
        try:
            ready = service.stdout.readline().split()
            if len(ready) != 2 or ready[0] != "ready":
                return "api-test: the service did not start"
            address = ready[1].rstrip("/")
            learn(address)
            surroundings = {
                **os.environ, "OTHERWISE_URL": address, "OTHERWISE_KEY": KEY, "OTHERWISE_HOOKS": str(root / "tools/api/hooks.py"),
            }
            ended = subprocess.run(
                [tried, "--config-file", root / "tools/api/schemathesis.toml", "run", f"{address}/openapi.json", "--url", address,
                 "--checks", "all", "--seed", SEED, "--generation-database", "none", "--max-examples", os.environ.get("EXAMPLES", "25")],
                env=surroundings, cwd=folder,
            )
            return ended.returncode
        finally:
            service.terminate()
            service.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main())
