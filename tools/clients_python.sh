#!/bin/sh
# Builds the package of the client in Python, installs it in .runtime beside what it is tried with, and tests it against the service.
#
# Needs python3 (3.11 to 3.13) with venv, on x86-64 Linux, which the wheels in requirements.txt are for; without them it says so and
# leaves it out. What is already there is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder="$root/.runtime/clients"
binary=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")

stop() {
    echo "clients: $1" >&2
    exit 1
}

leave_out() {
    echo "skipped: $1, so that the client in Python was not tested"
    exit 0
}

client="$root/clients/python"
if ! command -v python3 >/dev/null 2>&1; then
    leave_out "python3 is not installed"
fi
if ! python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
    leave_out "python3 is none of 3.11 to 3.13, which requirements.txt is for"
fi
if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
    leave_out "this is not x86-64 Linux, which requirements.txt is for"
fi
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    leave_out "python3 makes no virtual environment (the package python3-venv)"
fi
mkdir -p "$folder"
python="$folder/python/bin/python"
pip="$python -m pip install --quiet --disable-pip-version-check --no-input --no-deps"
requirements="$client/requirements.txt"
if ! cmp -s "$requirements" "$folder/python.made"; then
    echo "clients: getting what the client in Python is tried with through pip (100 MB)" >&2
    rm -f "$folder/python.made"
    python3 -m venv --clear "$folder/python" || stop "python3 makes no virtual environment: see above"
    $pip --only-binary=:all: --require-hashes -r "$requirements" ||
        stop "pip could not install what clients/python/requirements.txt names: see above, and try again with a network"
    cp "$requirements" "$folder/python.made"
fi
# The package as it would be published, not the folder that it is made of.
$pip --no-index --no-build-isolation --force-reinstall "$client" || stop "the package in clients/python cannot be built: see above"
cd "$client"
"$folder/python/bin/mypy" --no-error-summary --cache-dir "$folder/mypy" || stop "the client in Python has wrong types: see above"
OTHERWISE_BIN="$binary" PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider ||
    stop "the client in Python failed its tests: see above"
