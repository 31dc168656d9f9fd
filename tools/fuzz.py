#!/usr/bin/env python3
"""Sends hostile inputs to every route of a service of its own, and reports which request cost too much.

    tools/fuzz.py target/release/otherwise [--seconds 600] [--seed 1] [--cpu-max 1.0] [--grown-max 50] [--rss-max 600] [--models models]

Starts the program on a temporary folder and a free port of this machine, open to no other user, with learning at rest, and sends one
request at a time: every address of docs/openapi.json, JSON-RPC, MCP and A2A, with deep JSON, odd numbers and letters, wrong types,
envelopes that are nearly right, texts that are expensive to read, and templates, versions and documents that are expensive to compare,
lint and import; bodies have up to 256 KB. For each request it reads the CPU time of the process (utime and stime of /proc/PID/stat)
before and after, what is worked on behind it included, and the peak of resident memory (VmHWM, after 5 was written to clear_refs) over
what was resident before. Exit status 1 where a request took more than --cpu-max seconds or --grown-max MB, was answered 5xx (but 501,
503 and 507) or not at all, where resident memory passed --rss-max MB, or where the process ended. Routes that start long work answer 202
and are listed. The same seed sends the same requests. Standard library only; a debug build is some ten times slower, for which
--cpu-max has to allow.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TICKS = os.sysconf("SC_CLK_TCK")
# What is worked on behind an answer is waited for so long, in seconds, and no longer: looks at pools go on by themselves.
SETTLE_S = 3.0
# A client that waits longer than this got no answer.
ANSWER_S = 60.0
# Statuses of 500 and more that are no fault: not implemented here, and busy or starting.
EXPECTED = (501, 503, 507)

UNITS = [
    "a 1 ", "1", "1 ", "1.", "1,", "1/", "1-", "A", "A ", "Ab ", "AB ", "a", "a ", ". ", ", ", "; ", " ", "\n", "\t", '"', "'", "\"'",
    '"a" ', "(", "((a", "[", '{"a":', "\\", '\\"', "é", "ß", "漢", "漢 ", "е\u0301", "\u200b", "😀", "\u202e", "\u2028", "\x00", "\ufffd",
    "one ", "one-", "one way ", "two hundred ", "at 8 ", "$1 ", "$1.", "noon ", "monday ", "may 1 ", "to ", "from a to ", "12 main st ",
    "new york, ", "I'm Al. ", "Mr A ", "my name is a ", "Maria Lopez called ", "call me A ", "a@b.c ", "a at b dot com ", "pwd:", "pwd: x ",
    "token:", "token:://a:b@", "password is ", "my PIN is 1 ", "pin pin ", "not ", "no a, ", "and ", "a and b, but c; ", "e.g. ", "what ",
    "a=b;", "'a' -> true; ", "Acceptable values: 'a', ", "between 1 and ", "| a | b ", "- a\n", "Range: ", "-----BEGIN X PRIVATE KEY-----",
]
WORDS = "a quiet room with two beds near the station on monday for my mother and her small dog please no nuts vegan window".split()
# Patterns that are expensive to compare, compile or run.
PATTERNS = ["^(a|b)*a(a|b){16}$", "^[ab]*a[ab]{200}$", "^(a|aa)*(b|bb){90}$", "^\\p{L}{40}$", "^([a-z]{1,60}-){1,12}$", "^([a-z]+)+$", "(.*,){11}x",
            "^(\\w+\\s?)*$", "^[^]{0,400}$", "^(a?){60}a{60}$", "(a{8}){8}b", "^((((a{8}b){8}c){8}d){8}e)*$"]
NUMBERS = ["1e400", "-1e400", "1e-400", "9" * 400, "-" + "9" * 30, "0." + "1" * 400, "1E+2", "-0", "18446744073709551616", "1.0"]


class Texts:
    """Texts that are expensive to read, or odd."""

    def __init__(self, chance):
        self.chance = chance

    def of(self, most):
        chance = self.chance
        size = chance.choice([1, 20, 390, 401, 2_000, most]) if most > 2_000 else chance.randint(1, most)
        size = min(size, most)
        kind = chance.randrange(5)
        if kind == 0:
            unit = chance.choice(UNITS)
            return (unit * (size // len(unit) + 1))[:size]
        if kind == 1:
            unit = chance.choice(UNITS) + chance.choice(UNITS)
            return (unit * (size // len(unit) + 1))[:size]
        if kind == 2:
            parts, length = [], 0
            while length < size:
                parts.append(chance.choice(UNITS))
                length += len(parts[-1])
            return "".join(parts)[:size]
        if kind == 3:
            unit = chance.choice(UNITS)
            return (unit * (size // len(unit) + 1))[: max(size - 4, 0)] + " x1"
        return " ".join(chance.choice(WORDS) for _ in range(max(size // 6, 1)))[:size]

    def value(self, depth=0):
        chance = self.chance
        kind = chance.randrange(9)
        if kind < 3:
            return self.of(chance.choice([20, 400, 2_000, 20_000]))
        if kind == 3:
            return chance.choice([0, -1, 1.5, 10**18, True, False, None, 2**63, -(2**63)])
        if kind == 4 and depth < 4:
            return [self.value(depth + 1) for _ in range(chance.randint(0, 6))]
        if kind == 5 and depth < 4:
            return {self.of(30): self.value(depth + 1) for _ in range(chance.randint(0, 6))}
        if kind == 6:
            return [self.of(2_000) for _ in range(chance.randint(1, 16))]
        if kind == 7:
            return {f"k{place}": place for place in range(chance.choice([10, 1_000, 10_000]))}
        return "x"

    def deep(self):
        """JSON that nests, closed or not, and JSON that only looks so."""
        chance = self.chance
        levels = chance.choice([100, 126, 127, 128, 129, 1_000, 60_000, 200_000])
        opened, closed = chance.choice([("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ('["[[[[",', "]")])
        levels = min(levels, 240_000 // (len(opened) + len(closed)))
        return opened * levels + "1" + (closed * levels if chance.random() < 0.6 else "")

    def raw(self):
        """Bodies that are no JSON, or hardly."""
        chance = self.chance
        kind = chance.randrange(6)
        if kind == 0:
            return "[" + ",".join(chance.choice(NUMBERS) for _ in range(chance.choice([1, 100]))) + "]"
        if kind == 1:
            return '{"a":' * 3 + json.dumps(self.of(2_000))
        if kind == 2:
            return json.dumps(self.of(200_000))
        if kind == 3:
            return "{" + ",".join(f'"{chance.choice("ab")}": {place}' for place in range(chance.choice([10, 20_000]))) + "}"
        if kind == 4:
            return chance.choice(['"\\ud800"', "", "\ufeff{}", "nul", "{}{}", '{"a":1,}', "\x00", "[1e999999999]"])
        return self.deep()


class Asker:
    """Makes requests of every kind."""

    def __init__(self, chance, addresses):
        self.chance = chance
        self.texts = Texts(chance)
        self.addresses = addresses
        self.number = 0

    def next(self):
        kinds = [self.route, self.route, self.submission, self.submission, self.batch, self.extension, self.schema, self.schema,
                 self.rpc, self.mcp, self.a2a, self.envelope, self.work, self.version, self.version, self.document, self.wish]
        self.number += 1
        return self.chance.choice(kinds)()

    def payload(self):
        payload = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}
        chance = self.chance
        if chance.random() < 0.8:
            strings = [self.texts.of(2_000) for _ in range(chance.choice([1, 1, 4, 16]))]
            payload["other"] = strings[0] if len(strings) == 1 else strings
        if chance.random() < 0.3:
            payload[chance.choice(list(payload))] = self.texts.value()
        for _ in range(chance.choice([0, 0, 1, 5, 200])):
            payload[self.texts.of(chance.choice([10, 60, 300]))] = self.texts.value(3)
        return payload

    def submit(self):
        body = {"schema_id": "flight_booking_v1", "payload": self.payload()}
        if self.chance.random() < 0.5:
            body["utterance"] = self.texts.of(self.chance.choice([300, 2_000, 100_000]))
        return body

    def submission(self):
        path = self.chance.choice(["/v1/submissions", "/v1/submissions", "/v1/submissions:validate"])
        return "POST", path, json.dumps(self.submit(), ensure_ascii=self.chance.random() < 0.5)

    def envelope(self):
        """Nearly right: members misspelt, doubled, of another type."""
        members = [(name, json.dumps(value)) for name, value in self.submit().items()]
        for _ in range(self.chance.randint(1, 3)):
            name = self.chance.choice(["schema_id", "schemaId", "payload", "Payload", "dryrun", "dry_run", "revision", "pinned", "language"])
            value = self.chance.choice(["null", "[]", "{}", "1e400", '"x"', "true", self.texts.deep(), json.dumps(self.texts.value())])
            members.append((name, value))
        self.chance.shuffle(members)
        return "POST", "/v1/submissions", "{" + ",".join(f'"{name}":{value}' for name, value in members) + "}"

    def batch(self):
        items = [self.submit() for _ in range(self.chance.choice([1, 5, 20]))]
        for item in items:
            if self.chance.random() < 0.5:
                item["idempotency_key"] = f"k{self.chance.randrange(50)}"
        return "POST", "/v1/submissions:batch", json.dumps({"submissions": items})

    def extension(self):
        wishes = [self.texts.of(2_000) for _ in range(self.chance.choice([1, 4, 16]))]
        return "POST", "/v1/scenarios/flight_booking/extensions", json.dumps({"wishes": wishes})

    def schema(self):
        chance = self.chance
        count = chance.choice([1, 1, 5, 40, 200])
        keys = []
        for place in range(count):
            key = {"key_name": f"key_{place}", "key_type": chance.choice(["string", "integer", "boolean", "array", "object"]),
                   "required": False, "semantic_description": self.texts.of(16_000 if count < 6 else 200_000 // count)}
            if chance.random() < 0.3:
                key["constraints"] = chance.choice([
                    {"pattern": self.texts.of(900)}, {"enum": [self.texts.of(40) for _ in range(chance.choice([1, 200]))]},
                    {"pattern": "(a+)+$"}, {"pattern": "(" * 200 + ")" * 200}, {"pattern": "a{1000}{1000}"}, self.texts.value(),
                    {"minimum": 10**30, "maximum": -(10**30)}, {"items": {"properties": {"a": {"enum": ["x"] * 900}}}}])
            if chance.random() < 0.2:
                key["default_value"] = self.texts.value()
            keys.append(key)
        document = {"schema_id": f"hostile_{self.number}_v1", "scenario": f"hostile_{self.number % 7}", "version": "1.0", "keys": keys}
        if chance.random() < 0.5:
            document["description"] = self.texts.of(16_000)
        if chance.random() < 0.3:
            document[chance.choice(["policy", "labels", "owner", "executor", "language", "response_schema"])] = self.texts.value()
        body = json.dumps(document)
        if chance.random() < 0.6:
            return "POST", "/v1/schemas:check", body
        return "PUT", f"/v1/schemas/hostile_{self.number}_v1", body

    def version(self):
        """A template that the line has, nearly: compared key by key with those before it."""
        chance = self.chance
        count = chance.choice([1, 8, 40, 120])
        kinds = [
            ("string", lambda: {"pattern": chance.choice(PATTERNS).replace("16", str(chance.randint(13, 17)))}),
            ("string", lambda: {"pattern": chance.choice(PATTERNS), "minLength": 60_000}),
            ("string", lambda: {"minLength": chance.choice([65_000, 65_001])}),
            ("string", lambda: {"enum": [f"v{place}" for place in range(chance.choice([10, 900]) // (1 + count // 40))]}),
            ("array", lambda: {"minItems": chance.choice([1_000, 1_000_000]), "items": {"type": "string", "minLength": 9_000}}),
            ("object", lambda: {"required": [f"m{place}" for place in range(30)],
                                "additionalProperties": {"type": "string", "minLength": chance.choice([2_000, 60_000])}}),
            ("number", lambda: {"multipleOf": chance.choice([0.1, 1e-300, 7]), "minimum": chance.choice([0, -1e308])}),
        ]
        keys = []
        for place in range(count):
            key_type, made = kinds[(place + self.number) % len(kinds)]
            keys.append({"key_name": f"key_{place}", "key_type": key_type, "required": chance.random() < 0.5, "constraints": made(),
                         "semantic_description": chance.choice(["A key.", "\ufdfa" * min(3_000, 70_000 // count)])})
        minor = chance.randrange(40)
        document = {"schema_id": f"line_{count}_{minor}", "scenario": f"line {count}", "version": f"1.{minor}.0", "keys": keys,
                    "strict": chance.random() < 0.3}
        body = json.dumps(document, ensure_ascii=False)
        query = chance.choice(["", "", "?accept_unproved=true"])
        if chance.random() < 0.2:
            text = (chance.choice(["ab", "b", "a ", "\u00e9", "x-"]) * 100_000)[:chance.choice([2_000, 60_000, 120_000])]
            payload = {f"key_{place}": text for place in range(1 + count % 2)}
            return "POST", "/v1/submissions:validate", json.dumps({"schema_id": document["schema_id"], "payload": payload})
        if chance.random() < 0.3:
            return "GET", f"/v1/scenarios/line%20{count}/diff?from=line_{count}_{chance.randrange(40)}", ""
        if chance.random() < 0.5:
            return "POST", "/v1/schemas:check", body
        return "PUT", f"/v1/schemas/line_{count}_{minor}{query}", body

    def document(self):
        """A JSON Schema whose references, alternatives and members multiply."""
        chance = self.chance
        count = chance.choice([20, 900, 6_000])
        listed = [f"value {place}" for place in range(1_000)]
        members = {f"k{place}": {"type": "string", "pattern": chance.choice(PATTERNS)} for place in range(100)}
        keyword = chance.choice(["anyOf", "allOf", "oneOf"])
        led = chance.choice([{"enum": listed}, {"type": "object", "properties": members, "additionalProperties": {"type": "string"}},
                             {"anyOf": [{"$ref": "#/$defs/f"}] * 100}])
        references = [{"$ref": "#/$defs/e"}] * count
        inner = {keyword: references}
        outer = chance.choice([inner, {"type": "object", "properties": {"k": inner}},
                               {"type": "object", "properties": {f"k{place}": {"$ref": "#/$defs/e"} for place in range(min(count, 900))}}])
        document = {"title": "hostile", "$defs": {"e": led, "f": {"enum": listed}}, "description": self.texts.of(16_000), **outer}
        return "POST", "/v1/schemas:import", json.dumps(document)

    def wish(self):
        text = re.sub(r"[^\x21-\x7e]", "+", self.texts.of(1_000))
        return "GET", "/v1/scenarios?q=" + re.sub(r"[#%&?]", "+", text), ""

    def work(self):
        """Bodies of the shapes that the other addresses take, with expensive texts in them."""
        chance, text = self.chance, lambda: self.texts.of(chance.choice([300, 4_000, 60_000]))
        turn = {"role": "ROLE_USER", "parts": [{"text": text()}], "messageId": f"m{self.number}"}
        return chance.choice([
            ("POST", "/v1/contents", json.dumps({"content": chance.choice([text(), self.texts.deep()])})),
            ("POST", "/v1/sessions", json.dumps({"conventions": {"rule": text(), "token": text()}})),
            ("POST", "/v1/conversations", json.dumps({"recipients": [{"agent": "a"}], "metadata": self.texts.value()})),
            ("POST", "/v1/conversations/c1/turns", json.dumps({"message": turn})),
            ("POST", "/v1/tasks", json.dumps({"UserInput": text(), "Goal": text(), "SubTasks": [{"TaskDescription": text()}] * 20})),
            ("PUT", "/v1/agents/a/services", json.dumps({"services": [{"name": text(), "description": text()}] * 10})),
            ("POST", "/v1/messages:check", json.dumps({"agentContext": {"securityContext": self.texts.value()}, "message": turn})),
            ("POST", "/v1/messages:render", json.dumps({"agentContext": {"role": text()}, "taskContext": {"goal": text()}})),
            ("POST", "/v1/messages:convert", json.dumps({"taskContext": self.texts.value()})),
            ("POST", "/v1/webhooks", json.dumps({"url": text(), "events": [text()]})),
        ])

    def rpc(self):
        chance = self.chance
        methods = ["get_schema_template", "submit_payload", "validate_payload", "request_extension", "get_schema_updates",
                   "list_scenarios", "shared_context", "x"]
        call = lambda place: {"jsonrpc": "2.0", "id": place, "method": chance.choice(methods), "params": chance.choice(
            [self.submit(), self.texts.value(), {"scenario": "flight_booking", "wishes": [self.texts.of(2_000)]}])}
        body = json.dumps(call(1) if chance.random() < 0.6 else [call(place) for place in range(chance.choice([2, 10, 60]))])
        return "POST", "/rpc", chance.choice([body, body, body, self.texts.raw()])

    def mcp(self):
        tools = ["submit_payload", "get_schema_template", "request_extension", "shared_context", "list_scenarios"]
        params = {"name": self.chance.choice(tools), "arguments": self.chance.choice([self.submit(), self.texts.value()])}
        method = self.chance.choice(["tools/call", "tools/call", "tools/list", "initialize", "resources/read", "prompts/get"])
        body = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return "POST", "/mcp", self.chance.choice([body, body, body, self.texts.raw()])

    def a2a(self):
        chance = self.chance
        parts = [chance.choice([{"text": self.texts.of(2_000)}, {"data": self.submit()}, {"data": self.texts.value()}])
                 for _ in range(chance.choice([1, 3, 20]))]
        message = {"messageId": f"m{self.number}", "role": "ROLE_USER", "parts": parts, "metadata": {"a": self.texts.value(3)}}
        if chance.random() < 0.5:
            return "POST", "/a2a/message:send", json.dumps({"message": message})
        method = chance.choice(["SendMessage", "GetTask", "ListTasks", "message/send", "CancelTask"])
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}})
        return "POST", "/a2a", chance.choice([body, body, self.texts.raw()])

    def route(self):
        """Any address of the description, with names and bodies that do not belong there."""
        method, pattern = self.chance.choice(self.addresses)
        known = ["flight_booking", "flight_booking_v1", "c1", "a", "x", "%00", "%ff", "..%2f", "a" * 300, "漢".encode().decode("latin-1")]
        name = lambda _: self.chance.choice(known).encode("utf-8", "replace").hex() if self.chance.random() < 0.1 else \
            re.sub(r"[^\x21-\x7e]", "x", self.chance.choice(known))
        path = re.sub(r"\{[^}]*\}", name, pattern)
        if self.chance.random() < 0.3:
            path += "?" + "&".join(f"q{place}={'x' * 200}" for place in range(self.chance.choice([1, 50])))
        body = "" if method in ("GET", "DELETE") else self.chance.choice([
            self.texts.deep(), self.texts.raw(), json.dumps(self.texts.value()), json.dumps(self.submit())])
        return method, path, body


class Service:
    """The program under test, its CPU time and its memory."""

    def __init__(self, program, models):
        self.folder = tempfile.TemporaryDirectory(prefix="fuzz-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = os.path.join(self.folder.name, "fuzz.toml")
        with open(settings, "w", encoding="utf-8") as out:
            # Learning rests: no pool is looked at.
            out.write(f'[policy.pool]\nlook_every_fragments = 1000000000\n[server]\nlisten = "127.0.0.1:{self.port}"\nclient_requests_per_s = 0\n'
                      f'[data]\nfolder = "{self.folder.name}/data"\n[schemas]\nfolder = "{ROOT}/schemas"\n[models]\nfolder = "{models}"\n')
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8", errors="replace")
        environment = {**os.environ, "RUST_LOG": "warn"}
        self.process = subprocess.Popen([program, "serve", "--config", settings], stdout=self.log, stderr=self.log, env=environment,
                                        cwd=self.folder.name)
        began = time.monotonic()
        while True:
            try:
                if self.ask("GET", "/readyz", "")[0] == 200:
                    # The hosted templates are embedded behind a start, which is no answer's cost.
                    self.come_to_rest()
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() - began > 120:
                self.log.seek(0)
                sys.exit("the service did not start:\n" + self.log.read()[-2_000:])
            time.sleep(0.2)

    def ask(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Otherwise-Client": "fuzz"}
        try:
            connection.request(method, path, body.encode("utf-8", "surrogatepass") or None, headers)
            answer = connection.getresponse()
            # A stream goes on for ever: its head is its answer.
            if "event-stream" not in (answer.getheader("Content-Type") or ""):
                answer.read()
            return answer.status, answer.getheader("Content-Type")
        finally:
            connection.close()

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self, what):
        """Resident memory (VmRSS) or its peak since it was last forgotten (VmHWM)."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8", errors="replace") as status:
            found = re.search(what + r":\s+(\d+) kB", status.read())
        return int(found.group(1)) / 1_024 if found else 0.0

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as refs:
            refs.write("5")

    def come_to_rest(self):
        """Waits until nothing is worked on, two minutes at most."""
        began, last = time.monotonic(), -1.0
        while self.cpu_s() - last > 0.02 and time.monotonic() - began < 120:
            last = self.cpu_s()
            time.sleep(1.0)

    def settled_cpu_s(self, before):
        """The CPU time once what an answer left behind is done."""
        until, last = time.monotonic() + SETTLE_S, self.cpu_s()
        while time.monotonic() < until:
            time.sleep(0.02 if last - before < 0.1 else 0.1)
            now = self.cpu_s()
            if now - last < 0.01:
                return now
            last = now
        return last

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        self.folder.cleanup()


def addresses():
    with open(os.path.join(ROOT, "docs", "openapi.json"), encoding="utf-8") as file:
        paths = json.load(file)["paths"]
    methods = ("get", "put", "post", "delete", "patch")
    # A backup is as long as the store, and read-only would end the trial.
    left_out = ("/v1/backup", "/v1/service:read-only")
    return [(method.upper(), path) for path, own in sorted(paths.items()) for method in own if method in methods and path not in left_out]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu-max", type=float, default=1.0, help="seconds of CPU of one answer")
    parser.add_argument("--grown-max", type=float, default=50, help="MB that one answer takes above what was resident")
    parser.add_argument("--rss-max", type=float, default=600, help="MB of resident memory")
    parser.add_argument("--models", default=os.path.join(ROOT, "models"))
    given = parser.parse_args()
    asker = Asker(random.Random(given.seed), addresses())
    service = Service(os.path.abspath(given.program), os.path.abspath(given.models))
    findings, worst, largest, by_status, asked, touched, long_work, peak = [], [], [], {}, 0, set(), set(), 0.0
    until = time.monotonic() + given.seconds

    def found(what, method, path, body):
        findings.append(what)
        place = os.path.join(tempfile.gettempdir(), f"fuzz-{given.seed}-{len(findings)}.json")
        with open(place, "w", encoding="utf-8", errors="surrogatepass") as out:
            out.write(body)
        print(f"FOUND {what}: {method} {path[:100]} (body: {place})", flush=True)

    def measured(method, path, body):
        """Sends a request; its status, the CPU time and the memory that it took."""
        service.forget_peak()
        cpu, resident = service.cpu_s(), service.memory_mb("VmRSS")
        try:
            status, _ = service.ask(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            status = 0
            # What is no request line is refused by the client here, or the head is refused and the connection closed.
            if isinstance(error, (TimeoutError, socket.timeout)):
                found(f"no answer within {ANSWER_S:.0f} s", method, path, body)
        return status, service.settled_cpu_s(cpu) - cpu, service.memory_mb("VmHWM") - resident

    try:
        while time.monotonic() < until and len(findings) < 50:
            method, path, body = asker.next()
            status, took, grown = measured(method, path, body)
            if service.process.poll() is not None:
                found(f"the process ended with {service.process.returncode}", method, path, body)
                break
            asked += 1
            touched.add((method, path.split("?")[0]))
            by_status[status] = by_status.get(status, 0) + 1
            peak = max(peak, service.memory_mb("VmHWM"))
            worst = sorted([*worst, (took, method, path[:60], len(body))], reverse=True)[:5]
            largest = sorted([*largest, (grown, method, path[:60], len(body))], reverse=True)[:5]
            if status == 202:
                long_work.add((method, path.split("?")[0]))
            if took > given.cpu_max or grown > given.grown_max:
                # What earlier answers left behind comes when it likes: only what costs as much again is this answer's own.
                service.come_to_rest()
                _, took, grown = measured(method, path, body)
                if took > given.cpu_max:
                    found(f"{took:.2f} s of CPU", method, path, body)
                if grown > given.grown_max:
                    found(f"{grown:.0f} MB of memory", method, path, body)
            if status >= 500 and status not in EXPECTED:
                found(f"status {status}", method, path, body)
        if peak > given.rss_max:
            found(f"{peak:.0f} MB resident", "", "", "")
        print(f"{asked} requests to {len(touched)} addresses, by status {dict(sorted(by_status.items()))}; {peak:.0f} MB at most")
        for took, method, path, size in worst:
            print(f"  {took:.2f} s of CPU  {method} {path} ({size} characters)")
        for grown, method, path, size in largest:
            print(f"  {grown:.1f} MB  {method} {path} ({size} characters)")
        print("long work, answered 202: " + (", ".join(sorted(f"{method} {path}" for method, path in long_work)) or "none"))
    finally:
        service.stop()
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
