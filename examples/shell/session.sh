#!/bin/sh
# A whole session over HTTP with curl: discover, negotiate, fill, submit, learn of a new key.
#
#     examples/shell/session.sh http://127.0.0.1:8080
set -eu

url=${1:-http://127.0.0.1:8080}
url=${url%/}

# An open service takes any name for who calls; one with principals takes their keys (`Authorization: Bearer …`).
call() {
    who=$1
    shift
    curl -sS -H "Otherwise-Client: $who" -H 'Content-Type: application/json' "$@"
    echo
}

booking() {
    printf '{"schema_id": "flight_booking_v1", "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"%s}}' "$1"
}

# Until it is ready; half a minute at most.
turn=0
until curl -sf -o /dev/null "$url/readyz"; do
    turn=$((turn + 1))
    [ "$turn" -lt 150 ] || { echo "$url is not ready" >&2; exit 1; }
    sleep 0.2
done

echo '# Discover: which scenario answers a wish? Right after a start not all templates are read: ask again in a moment.'
turn=0
found=
until case $found in *'"outcome":"match"'*) true ;; *) false ;; esac; do
    turn=$((turn + 1))
    case $found in *'"code":'*) echo "the service refuses the search: $found" >&2; exit 1 ;; esac
    [ "$turn" -lt 100 ] || { echo "no scenario fits: $found" >&2; exit 1; }
    [ "$turn" -eq 1 ] || sleep 0.2
    found=$(call ana -G --data-urlencode 'q=I want to book a flight to Shanghai' "$url/v1/scenarios")
done
echo "$found"

echo '# Negotiate: the template, by the request of the draft.'
call ana -d '{"method": "get_schema_template", "params": {"scenario": "flight_booking", "preferred_language": "en"}}' "$url/rpc"

echo '# Fill it wrongly once: what is wrong comes back with what would mend it.'
call ana -d "$(booking ', "passenger_count": "2"')" "$url/v1/submissions"

echo '# Submit. What no key holds goes into `other`; several travellers want the same, ten times and more.'
number=0
while read -r wish; do
    call "ana-$((number % 5))" -d "$(booking ", \"passenger_count\": 2, \"other\": \"$wish\"")" "$url/v1/submissions"
    number=$((number + 1))
done <<WISHES
a window seat please
I would like a window seat
window seat if possible
please book me a window seat
a seat at the window please
I prefer a window seat
could I have a window seat
a window seat for me please
I'd like a window seat
we prefer a window seat
a window seat if you have one
a window seat please
WISHES

echo '# Learn of the key that this brought, or that was there before.'
turn=0
until call ana "$url/v1/scenarios/flight_booking/template" | grep -q '"patch_id"'; do
    turn=$((turn + 1))
    [ "$turn" -lt 50 ] || { echo 'nothing was learned' >&2; exit 1; }
    sleep 0.2
done
call ana "$url/v1/scenarios/flight_booking/updates?since=0"
