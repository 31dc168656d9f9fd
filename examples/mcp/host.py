"""A host of models that knows no server and no schema: it starts the servers of MCP that its configuration names, gives their tools to a
model that speaks OpenAI's Chat Completions (its name in MODEL, its key in OPENAI_API_KEY), and calls what the model asks for, until the
model has nothing more to ask.

    python3 host.py mcp.json http://127.0.0.1:8000/v1 "Fly two of us from Beijing to Shanghai on 4 May 2026"
"""

import json
import os
import subprocess
import sys
import urllib.request

REVISION = "2025-11-25"
# Answers of the model, so that two that misunderstand each other come to an end.
TURNS_MAX = 8


class Server:
    """A server of MCP on its standard input and output, one message a line."""

    def __init__(self, command, args, env=None):
        self.process = subprocess.Popen([command, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.asked = 0
        opening = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        self.ask("initialize", opening)
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.say({"id": self.asked, "method": method, "params": params})
        for line in self.process.stdout:
            said = json.loads(line)
            # What comes between is a notification; the tools are listed anew before every turn.
            if said.get("id") == self.asked and "method" not in said:
                if "error" in said:
                    raise RuntimeError(said["error"]["message"])
                return said["result"]
        raise RuntimeError("the server has ended")

    def tools(self):
        return self.ask("tools/list", {})["tools"]

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def complete(model, messages, tools):
    """The model's next message."""
    functions = [
        {"type": "function", "function": {"name": tool["name"], "description": tool.get("description", ""), "parameters": tool["inputSchema"]}}
        for tool in tools
    ]
    name, key = os.environ.get("MODEL", "any"), os.environ.get("OPENAI_API_KEY", "none")
    body = json.dumps({"model": name, "messages": messages, "tools": functions}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{model}/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["choices"][0]["message"]


def converse(servers, model, words):
    """Lets the model work at what a user said; its last words."""
    messages = [{"role": "user", "content": words}]
    for _ in range(TURNS_MAX):
        offered = [(tool, server) for server in servers for tool in server.tools()]
        message = complete(model, messages, [tool for tool, _ in offered])
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
            server = next(server for tool, server in offered if tool["name"] == name)
            result = server.call(name, arguments)
            text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
            print("calls", name, "->", "refused" if result.get("isError") else "done", flush=True)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    raise RuntimeError(f"the model was not done after {TURNS_MAX} turns")


def main(configuration, model, words):
    with open(configuration, encoding="utf-8") as file:
        named = json.load(file)["mcpServers"]
    servers = [Server(**server) for server in named.values()]
    print("says", converse(servers, model, words))
    for server in servers:
        server.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
