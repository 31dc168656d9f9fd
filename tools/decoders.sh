#!/bin/sh
# Makes ready what reads exports (llguidance, xgrammar, outlines-core, Pydantic, Gemini's schema, Zod, Ajv, the compiler of TypeScript, a
# tokenizer) in .runtime, in the versions and with the sums that stand in tools/decoders, and gives it every export of the shipped
# templates.
#
# Needs python3 (3.11 to 3.13) with venv and pip, and node with npm. What is already there is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tools="$root/tools/decoders"
folder="$root/.runtime/decoders"

stop() {
    echo "decoders: $1" >&2
    exit 1
}

for program in python3 node npm; do
    command -v "$program" >/dev/null 2>&1 || stop "$program is missing: install it, then try again"
done
mkdir -p "$folder"
wanted=$(cat "$tools/requirements.txt" "$tools/package-lock.json" | python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
if [ "$(cat "$folder/made" 2>/dev/null || true)" != "$wanted" ]; then
    echo "decoders: getting them through pip and npm (65 MB)" >&2
    rm -f "$folder/made"
    python3 -m venv --clear "$folder/python" || stop "python3 makes no virtual environment: install venv (the package python3-venv)"
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
        --require-hashes -r "$tools/requirements.txt" || stop "pip could not install what tools/decoders/requirements.txt names: see above"
    cp "$tools/package.json" "$tools/package-lock.json" "$folder/"
    (cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund) || stop "npm could not install what tools/decoders/package-lock.json names: see above"
    echo "$wanted" >"$folder/made"
fi
exec "$folder/python/bin/python" "$tools/check.py" "$1" "$folder/node_modules" "$root"/schemas/*.json
