#!/bin/sh
# Tries the client packages against the service whose binary is named. Each part says in one sentence where it is left out, and why.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
"$root/tools/clients_python.sh" "$1"
"$root/tools/clients_typescript.sh" "$1"
# The whole workspace, so that nothing is built with other features than before.
cd "$root" && cargo test --quiet --workspace --test cases
