#!/usr/bin/env bash
# Brings what console/vendor holds of others: fetched from the npm registry as tools/vendor.toml names it, its digests
# checked before and after the one change, which lets a browser find a module without a map of imports.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../console/vendor"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

field() { # file, member
  awk -v table="[\"$1\"]" -v member="$2" '$0 == table { here = 1; next } /^\[/ { here = 0 } here && $1 == member { gsub(/"/, "", $3); print $3 }' ../../tools/vendor.toml
}
check() { # digest, path
  printf '%s  %s\n' "$1" "$2" | sha256sum --check --quiet -
}

for file in preact.js hooks.js htm.js; do
  name=$(field "$file" name) version=$(field "$file" version)
  folder="$work/$name-$version"
  if [ ! -d "$folder" ]; then
    (cd "$work" && npm pack --silent "$name@$version" >/dev/null && mkdir "$folder" && tar -xzf "$name-$version.tgz" -C "$folder")
  fi
  source="$folder/package/$(field "$file" path)"
  check "$(field "$file" sha256_before)" "$source"
  sed -e 's/from"preact"/from".\/preact.js"/' -e '/^\/\/# sourceMappingURL=/d' "$source" >"$work/$file"
  check "$(field "$file" sha256)" "$work/$file"
  cp -- "$work/$file" "$file"
done
{
  echo "What the console holds of others, each under its licence."
  for package in "$work"/*/package; do
    printf '\n%s\n\n' "$(basename "$(dirname "$package")")"
    cat "$package/LICENSE"
  done
} >LICENSES
