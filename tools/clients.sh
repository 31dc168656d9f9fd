#!/bin/sh
# Tries the clients against the service whose binary is named, each part whose interpreter is there; says which one was left out, and why.
#
# What a part needs is got once, in the versions and with the sums that stand beside the client, and kept in .runtime/clients.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
binary=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
folder="$root/.runtime/clients"

stop() {
    echo "clients: $1" >&2
    exit 1
}

# The name of a part, and why it is left out.
leave_out() {
    echo "clients: the client in $1 was left out: $2"
}

# The sum of the files named, which says whether what was made of them is still right.
sum_of() {
    cat "$@" | python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
}

# Python 3.11 to 3.13 on x86-64 Linux: the wheels that requirements.txt pins are for these.
try_python() {
    client="$root/clients/python"
    if ! command -v python3 >/dev/null 2>&1; then
        leave_out Python "there is no python3; install 3.11 to 3.13"
        return
    fi
    if ! python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
        leave_out Python "what it is tried with is pinned for Python 3.11 to 3.13, and python3 is another one"
        return
    fi
    if [ "$(uname -s) $(uname -m)" != "Linux x86_64" ]; then
        leave_out Python "what it is tried with is pinned for x86-64 Linux, and this is another platform"
        return
    fi
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        leave_out Python "python3 makes no virtual environment; install venv (the package python3-venv)"
        return
    fi
    mkdir -p "$folder"
    python="$folder/python/bin/python"
    pip="$python -m pip install --quiet --disable-pip-version-check --no-input --no-deps"
    wanted=$(sum_of "$client/requirements.txt")
    if [ "$(cat "$folder/python.made" 2>/dev/null || true)" != "$wanted" ]; then
        echo "clients: getting what the client in Python is tried with through pip (60 MB)" >&2
        rm -f "$folder/python.made"
        python3 -m venv --clear "$folder/python" || stop "python3 makes no virtual environment: see above"
        $pip --only-binary=:all: --require-hashes -r "$client/requirements.txt" ||
            stop "pip could not install what clients/python/requirements.txt names: see above, and try again with a network"
        echo "$wanted" >"$folder/python.made"
    fi
    # The package as it would be published, not the folder that it is made of.
    $pip --no-index --no-build-isolation --force-reinstall "$client" || stop "the package in clients/python cannot be built: see above"
    (
        cd "$client"
        "$folder/python/bin/mypy" --no-error-summary --cache-dir "$folder/mypy" || stop "the client in Python has wrong types: see above"
        OTHERWISE_BIN="$binary" PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider ||
            stop "the client in Python failed its tests: see above"
    )
}

[ -x "$binary" ] || stop "$1 is no program: build it first (cargo build)"
try_python
