#!/bin/sh
# Makes schemathesis ready in .runtime, in the versions and with the sums that stand in tools/api, and lets it try the service by
# its own description. Needs python3 (3.11 to 3.13) with venv and pip. What is already there is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
wanted=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$root/tools/api/requirements.txt")
folder="$root/.runtime/api"

stop() {
    echo "api-test: $1" >&2
    exit 1
}

command -v python3 >/dev/null 2>&1 || stop "python3 is missing: install it, then try again"
mkdir -p "$folder"
if [ "$(cat "$folder/made" 2>/dev/null || true)" != "$wanted" ]; then
    echo "api-test: getting schemathesis through pip (10 MB)" >&2
    rm -f "$folder/made"
    python3 -m venv --clear "$folder/python" || stop "python3 makes no virtual environment: install venv (the package python3-venv)"
    "$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
        --require-hashes -r "$root/tools/api/requirements.txt" || stop "pip could not install what tools/api/requirements.txt names: see above"
    echo "$wanted" >"$folder/made"
fi
exec "$folder/python/bin/python" "$root/tools/api/check.py" "$1" "$folder/python/bin/schemathesis" "$root"
