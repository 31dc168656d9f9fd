#!/usr/bin/env python3
"""Books a flight over MCP: an ordinary host (host.py), a model (model.py, or yours), and the service as a server on standard input and
output. Nobody here has a line about the schema but the service itself.

    python3 examples/mcp/run.py                                     with the stand-in for a model
    python3 examples/mcp/run.py --model http://127.0.0.1:11434/v1   with one that speaks OpenAI's Chat Completions
"""

import argparse
import json
import pathlib
import tempfile

import host
import model

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORDS = "Fly two of us from Beijing to Shanghai on 4 May 2026, business class, with a seat at the window."


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=str(ROOT / "target/release/otherwise"))
    arguments.add_argument("--model")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # As mcp.json, with a data folder of its own instead of a service that runs.
        args = ["mcp", "--data", f"{folder}/data", "--schemas", str(ROOT / "schemas"), "--models", str(ROOT / "models")]
        configuration = pathlib.Path(folder) / "mcp.json"
        server = {"command": given.program, "args": args}
        configuration.write_text(json.dumps({"mcpServers": {"otherwise": server}}), encoding="utf-8")
        address, end = (given.model, None) if given.model else model.serve()
        host.main(configuration, address, WORDS)
        if end:
            end()


if __name__ == "__main__":
    main()
