#!/bin/sh
# Makes ready who speaks to the service in other people's words (the official clients of A2A and MCP, the suite of MCP, its inspector)
# in .runtime, in the versions and with the sums that stand in examples and tools/conformance, and lets them.
#
# Needs python3 (3.11 to 3.13) with venv and pip, node (20 or later) with npm, and curl. What is already there is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tools="$root/tools/conformance"
examples="$root/examples"
folder="$root/.runtime/conformance"

stop() {
    echo "conformance: $1" >&2
    exit 1
}

for program in python3 node npm curl; do
    command -v "$program" >/dev/null 2>&1 || stop "$program is missing: install it, then try again"
done
mkdir -p "$folder"
wanted=$(cat "$examples/python/requirements.txt" "$examples/typescript/package-lock.json" "$tools/package-lock.json" |
    python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
if [ "$(cat "$folder/made" 2>/dev/null || true)" != "$wanted" ]; then
    echo "conformance: getting clients and suites through pip and npm (330 MB)" >&2
    rm -rf "$folder/made" "$folder/typescript" "$folder/suites"
    python3 -m venv --clear "$folder/python" || stop "python3 makes no virtual environment: install venv (the package python3-venv)"
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
        --require-hashes -r "$examples/python/requirements.txt" || stop "pip could not install what examples/python/requirements.txt names: see above"
    mkdir -p "$folder/typescript" "$folder/suites"
    cp "$examples/typescript/package.json" "$examples/typescript/package-lock.json" "$folder/typescript/"
    cp "$tools/package.json" "$tools/package-lock.json" "$folder/suites/"
    for place in typescript suites; do
        (cd "$folder/$place" && npm ci --silent --ignore-scripts --no-audit --no-fund) || stop "npm could not install what a package-lock.json names: see above"
    done
    echo "$wanted" >"$folder/made"
fi
cp "$examples"/typescript/*.ts "$examples/typescript/tsconfig.json" "$folder/typescript/"
(cd "$folder/typescript" && node_modules/.bin/tsc) || stop "the examples in TypeScript do not compile: see above"
exec "$folder/python/bin/python" -B "$tools/check.py" "$1" "$root" "$folder"
