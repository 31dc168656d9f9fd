#!/usr/bin/env python3
"""The bill of materials of the program for one target, as CycloneDX 1.5: every crate that is linked into it with its licence and the
sum that Cargo.lock pins, ONNX Runtime, and the models. Usage: bom.py TARGET SECONDS_SINCE_1970"""

import json
import pathlib
import re
import subprocess
import sys
import time
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What Cargo calls the kind of a dependency that is linked in; `build` and `dev` are not.
LINKED = None


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def linked(meta, root):
    """The ids of the packages that the root links, itself left out."""
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    seen, waiting = set(), [root]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            if any(kind["kind"] is LINKED for kind in dependency["dep_kinds"]) and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return seen


def crate(package, sums):
    name, version = package["name"], package["version"]
    return {
        "type": "library", "name": name, "version": version, "purl": f"pkg:cargo/{name}@{version}",
        # Old manifests write a choice with a stroke.
        "licenses": [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}],
        "hashes": [{"alg": "SHA-256", "content": sums[name, version]}],
    }


def runtime(target):
    script = (ROOT / "tools/runtime.sh").read_text()
    version = re.search(r"^version=(\S+)$", script, re.M)[1]
    of_processor = script.split(f"\n{target.split('-')[0]})\n", 1)[1]
    return {
        "type": "library", "name": "onnxruntime", "version": version, "purl": f"pkg:pypi/onnxruntime@{version}",
        "licenses": [{"license": {"id": "MIT"}}],
        "hashes": [{"alg": "SHA-256", "content": re.search(r"library_sha256=(\w+)", of_processor)[1]}],
    }


def models():
    for path in sorted(ROOT.glob("models/*/calibration.toml")):
        model = tomllib.loads(path.read_text())
        yield {"type": "machine-learning-model", "name": path.parent.name, "licenses": [{"license": {"id": model["licence"]}}],
               "hashes": [{"alg": "SHA-256", "content": model["sha256"]}]}


def main():
    target, moment = sys.argv[1], int(sys.argv[2])
    meta = metadata(target)
    packages = {package["id"]: package for package in meta["packages"]}
    root = next(package for package in meta["packages"] if package["name"] == "otherwise")
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(package["name"], package["version"]): package["checksum"] for package in lock if "checksum" in package}
    others = (packages[one] for one in linked(meta, root["id"]))
    # The workspace's own crates are the program itself.
    crates = sorted((one for one in others if one["source"]), key=lambda one: (one["name"], one["version"]))
    components = [crate(one, sums) for one in crates] + [runtime(target), *models()]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)),
            "component": {"type": "application", "name": "otherwise", "version": root["version"],
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
            "properties": [{"name": "target", "value": target}],
        },
        "components": components,
    }
    # The same contents have the same number.
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))}"
    json.dump(document, sys.stdout, indent=1)
    print()


main()
