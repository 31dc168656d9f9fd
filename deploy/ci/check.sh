#!/usr/bin/env bash
# Checks the schema files in FILES that changed since the commit SINCE against the service at URL; all of them where that commit is not here.
set -euo pipefail
# Patterns are git's to read, not the shell's.
set -f
if git cat-file -e "${SINCE:-none}^{commit}" 2>/dev/null; then
  listed=$(git diff --name-only --relative --diff-filter=d "$SINCE" -- $FILES)
else
  listed=$(git ls-files -- $FILES)
fi
mapfile -t files <<<"$listed"
if [ -z "$listed" ]; then
  echo "no schema file changed"
  exit 0
fi
[ "${ALLOW_BREAKS:-false}" != true ] || files+=(--allow-breaks)
exec otherwise check --url "$URL" ${KEY:+--key-env KEY} --format github "${files[@]}"
