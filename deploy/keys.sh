#!/bin/sh
# Makes keys for whoever may call, and a settings file that holds their hashes:
#
#   sh deploy/keys.sh [FOLDER]        (deploy/secrets when none is named)
#
# The folder is made and is the caller's alone (0700); the files in it are readable, because a container reads those that are mounted
# into it as a user of its own. A folder that holds settings already is left as it is.
set -eu

case "${1-}" in
-h | --help)
    echo "usage: sh deploy/keys.sh [FOLDER]        (deploy/secrets when none is named)"
    exit 0
    ;;
esac
[ "$#" -le 1 ] && [ "${1-}" = "${1#-}" ] || {
    echo "keys: one folder may be named, which does not begin with -; see --help" >&2
    exit 2
}

folder=${1:-$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/secrets}
settings="$folder/otherwise.toml"
[ ! -e "$settings" ] || {
    echo "keys: $settings is there already; remove it to make new keys" >&2
    exit 1
}
mkdir -p "$folder"
chmod 0700 "$folder"
umask 022

secret() {
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

principal() {
    key=$(secret)
    printf %s "$key" >"$folder/$1.key"
    sum=$(printf %s "$key" | sha256sum | cut -d ' ' -f 1)
    printf '\n[[principals]]\nname = "%s"\nroles = ["%s"]\nkey_sha256 = "%s"\n' "$1" "$2" "$sum" >>"$settings.new"
}

cat >"$settings.new" <<'END'
# Who may call. docs/settings.md lists what else may be set; everything but principals by environment too.
END
principal publisher publisher
principal client client
principal operator operator
# Prometheus reads /metrics; of the roles that may, this one can change nothing.
principal prometheus auditor
secret >"$folder/grafana.password"
# In place as a whole, so that what was broken off is made anew.
mv "$settings.new" "$settings"
echo "keys: $settings and a key for each principal beside it" >&2
