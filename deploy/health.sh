#!/bin/bash
# Whether the service answers 200: health.sh [HOST PORT PATH], by default /readyz on 127.0.0.1:8080. Ends with 0 or 1. It needs
# nothing but bash, so that the image holds no program that fetches.
host=${1:-127.0.0.1} port=${2:-8080} path=${3:-/readyz}
exec 2>/dev/null
exec 3<>"/dev/tcp/$host/$port" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$path" "$host" "$port" >&3 || exit 1
IFS=' ' read -r -t 4 _ status _ <&3 || exit 1
[ "$status" = 200 ]
