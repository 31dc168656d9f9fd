"""A stand-in for a model, so that the example needs none: speaks OpenAI's Chat Completions, and plays what one does that is given a tool
for the flights. It fills whatever keys that tool asks for, misspells one value, mends its call by what it is told, and says how it ended.
"""

import http.server
import json
import threading

# What it understands of the user's words; a key of which nothing was said is null.
UNDERSTOOD = {
    "origin": "PEK",
    "destination": "SHA",
    "departure_date": "2026-05-04",
    "cabin_class": "busines",
    "passenger_count": 2,
    "other": "a seat at the window",
}


def fill(function):
    schema = function["parameters"]
    return {key: UNDERSTOOD.get(key) for key in schema["required"]}


def mend(arguments, problem):
    """Replaces what a repair (JSON Patch) replaces; a model does this by reading it."""
    for violation in problem["violations"]:
        for operation in violation["repair"]:
            assert operation["op"] == "replace", operation
            arguments[operation["path"].removeprefix("/")] = operation["value"]
    return arguments


def reply(messages, functions):
    """The next message to a conversation."""
    last = messages[-1]
    if last["role"] == "tool":
        told = json.loads(last["content"])
        before = messages[-2]["tool_calls"][0]["function"]
        if "violations" not in told:
            return {"role": "assistant", "content": f"Booked as {told['exchange']['submission_id']}."}
        name, arguments = before["name"], mend(json.loads(before["arguments"]), told)
    else:
        function = next(function for function in functions if "flight" in function["name"])
        name, arguments = function["name"], fill(function)
    call = {"name": name, "arguments": json.dumps(arguments)}
    tool_call = {"id": f"call_{len(messages)}", "type": "function", "function": call}
    return {"role": "assistant", "content": None, "tool_calls": [tool_call]}


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = reply(asked["messages"], [tool["function"] for tool in asked["tools"]])
        body = json.dumps({"object": "chat.completion", "choices": [{"index": 0, "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    """An endpoint on a free port: its address, and what ends it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1", server.shutdown
