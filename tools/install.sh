#!/bin/sh
# Puts a program that is built, and all that it needs to run without the repository, below a folder: bin/ and share/otherwise/.
#
#   tools/install.sh PROGRAM LIBRARY FOLDER
#
# The program finds its models, schemas and ONNX Runtime from where it lies (src/cli/installed.rs, src/adapters/embed/library.rs).
# What was installed there before is replaced whole; data and settings never lie there.
set -eu

[ $# -eq 3 ] || { echo "usage: tools/install.sh PROGRAM LIBRARY FOLDER" >&2; exit 2; }
program=$1 library=$2 folder=$3
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
share="$folder/share/otherwise"
for file in "$program" "$library"; do
    [ -f "$file" ] || { echo "install: $file is not there: build it first (make install does)" >&2; exit 1; }
done

mkdir -p "$folder/bin" "$folder/share"
new=$(mktemp -d "$folder/share/.otherwise.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
cp "$library" "$new/libonnxruntime.so.1.24.4"
cp -R "$root/models" "$root/schemas" "$root/LICENSE" "$root/otherwise.example.toml" "$new/"
[ ! -f "$root/NOTICE" ] || cp "$root/NOTICE" "$new/"
# What trains a model is no part of what runs it.
rm -f "$new"/models/*/build.py
chmod -R u=rwX,go=rX "$new"
chmod 755 "$new"
# A program that runs keeps the file that it was started from.
cp "$program" "$folder/bin/.otherwise.new"
chmod 755 "$folder/bin/.otherwise.new"
rm -rf "$share"
mv "$new" "$share"
mv -f "$folder/bin/.otherwise.new" "$folder/bin/otherwise"
