"""What master and agents share: calls to the service, and a count of what each reads.

The ACI client and the ACI server of the draft are one HTTP service here; a role is a process with a name and a key of its own.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request


class Refused(Exception):
    """The service said no: its problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status, self.problem = status, problem


class Role:
    """One role at the service. The driver gives address, key, variant, and where to note what was read."""

    def __init__(self, name):
        self.name = name
        self.base = os.environ["ACI_BASE"]
        self.key = os.environ["ACI_KEY"]
        self.notes = os.environ.get("ACI_NOTES")
        # What is switched on: isolation, summaries, offloading.
        self.variant = set(filter(None, os.environ.get("ACI_VARIANT", "isolation,summaries,offloading").split(",")))

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}{path}", data=data, method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)) from None

    def read(self, what, text):
        """Notes what goes into this role's window: characters, since tokens are estimated by them."""
        if self.notes:
            with open(self.notes, "a", encoding="utf-8") as notes:
                notes.write(json.dumps({"who": self.name, "what": what, "chars": len(text)}) + "\n")
        return text

    def read_context(self, what, subtask):
        """Notes an AgentContext that goes into this role's window, as it came."""
        self.read(what, json.dumps(subtask["AgentContext"], separators=(",", ":"), ensure_ascii=False))
        return subtask

    def store(self, text):
        """Stores a large text; its address."""
        return self.call("POST", "/v1/contents", {"content": text})["ContextURI"]

    def fetch(self, uri):
        """A large text into this role's window."""
        return self.read("content", self.call("GET", uri)["content"])

    def say(self, text):
        print(f"{self.name:20} {text}", flush=True)


def pause():
    time.sleep(0.05)


def rows(text, first):
    """The rows of the table whose first column bears this name: head first, cells between bars, until a line without."""
    lines = text[text.index(f"\n{first} | ") + 1:].splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    table = cells[: next((place for place, row in enumerate(cells) if len(row) == 1), len(cells))]
    return [dict(zip(table[0], row)) for row in table[1:]]


def member(text, name):
    """What stands behind `name:` in a text."""
    for line in text.splitlines():
        if line.startswith(f"{name}: "):
            return line.split(": ", 1)[1].strip()
    sys.exit(f"nothing is said of {name}")
