#!/bin/sh
# Builds the client in TypeScript in .runtime, with what its package-lock.json names, and tests it against the service.
#
# Needs node (20.11 or later) with npm; without them it says so and leaves it out. What is already there is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
source="$root/clients/typescript"
folder="$root/.runtime/clients/typescript"
binary=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")

stop() {
    echo "clients: $1" >&2
    exit 1
}

for program in node npm; do
    command -v "$program" >/dev/null 2>&1 || {
        echo "skipped: $program is not installed, so that the client in TypeScript was not tested"
        exit 0
    }
done
mkdir -p "$folder"
if ! cmp -s "$source/package-lock.json" "$folder/made"; then
    echo "clients: getting what tests the client in TypeScript through npm (20 MB)" >&2
    rm -f "$folder/made"
    cp "$source/package.json" "$source/package-lock.json" "$folder/"
    (cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund) || stop "npm could not install what clients/typescript/package-lock.json names: see above"
    cp "$source/package-lock.json" "$folder/made"
fi
cd "$folder"
rm -rf src test scripts examples snippets dist build
cp -R "$source/src" "$source/test" "$source/scripts" "$source"/*.json "$source/README.md" "$source/LICENSE" ./
mkdir examples snippets
cp "$root"/examples/typescript-sdk/*.ts examples/
awk '/^```ts/ { on = 1; next } /^```/ { on = 0 } on' README.md >snippets/readme.ts
node_modules/.bin/tsc && node_modules/.bin/tsc -p tsconfig.test.json || stop "the client in TypeScript does not compile: see above"
OTHERWISE_ROOT="$root" OTHERWISE_BIN="$binary" exec node --test --test-timeout=300000 build/test/*.test.js
