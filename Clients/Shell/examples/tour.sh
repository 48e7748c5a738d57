#!/usr/bin/env bash
# A tour of Lists: starts the service by socket activation, imports the world's countries, queries them,
# and shows a change arriving in a process that subscribed. Everything stays in a folder of its own, which
# goes away at the end.
#   tour.sh [FOLDER]     FOLDER holds listsd and listsrpc (else they are looked for on PATH)
set -euo pipefail

[ $# -gt 0 ] && PATH="$(cd "$1" && pwd):$PATH"
codes=/usr/share/iso-codes/json
folder=$(mktemp -d)
export LISTS_SOCKET=$folder/lists.sock
bold=$(tput bold 2>/dev/null || :) plain=$(tput sgr0 2>/dev/null || :)
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || bold='' plain=''

cleanup() {
  for process in "${watcher:-}" "${service:-}"; do
    # The status of what was ended is no failure of the tour.
    [ -n "$process" ] && kill "$process" 2>/dev/null && wait "$process" 2>/dev/null || :
  done
  rm -rf "$folder"
}
trap cleanup EXIT

show() { # runs a command as a person would type it
  printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
  eval "$*"
}

say() { printf '\n%s\n' "$*"; }

say "A socket is all there is at first; listsd starts when somebody connects to it."
systemd-socket-activate --listen="$LISTS_SOCKET" --fdname=lists \
  listsd --state-directory "$folder/state" 2>"$folder/log" &
service=$!
until [ -S "$LISTS_SOCKET" ]; do read -rt 0.01 <> <(:) || :; done
show listsrpc status

say "The countries of ISO 3166-1 and their subdivisions, from Debian's package iso-codes."
show listsrpc import "$codes/iso_3166-1.json" --at 3166-1 --type Country --name-from alpha_2
show "listsrpc import $codes/iso_3166-2.json --at 3166-2 --type Subdivision --name-from code \\
    --reference 'country={code:2}' --reference 'parent={parent}|{code:2}-{parent}'"

say "Lists by section, sorted as a person expects."
show "listsrpc query Country --sort name:localized --section-by name --index-title firstLetter --limit 8"
show "listsrpc query Country --where 'name CONTAINS[cd] \"cote\" OR name BEGINSWITH \"T\"' --sort name:localized --fields name,flag"

say "A key path goes through references into other records, and an index makes a query look at fewer of them."
show "listsrpc query Subdivision --where 'country.name == \"Belgium\" AND parent == NULL' --sort name --fields name,type"
show "listsrpc query Subdivision --where 'type == \"Canton\"' --explain"
show "listsrpc declare Subdivision type:string:queryable"
while listsrpc schema Subdivision --json | grep -q '"state":"building"'; do read -rt 0.01 <> <(:) || :; done
show "listsrpc query Subdivision --where 'type == \"Canton\"' --explain"
show "listsrpc aggregate Subdivision --where 'country.name == \"Belgium\"' --group-by type count"

say "A second process subscribes, and hears of a change the moment it is saved."
listsrpc watch Country --where 'alpha_2 == "BE"' --initial >"$folder/changes" &
watcher=$!
# With --initial its first line is the record as it is: from there on it hears of every change.
until [ -s "$folder/changes" ]; do read -rt 0.01 <> <(:) || :; done
show "listsrpc save Country --name BE motto='Unity makes strength' --policy changedKeys"
until [ "$(wc -l <"$folder/changes")" -ge 2 ]; do read -rt 0.01 <> <(:) || :; done
say "What the subscriber received:"
tail -n 1 "$folder/changes"

cat <<END

${bold}How to go on${plain}
  make install-user        listsd for your own account, started by systemd when it is needed
  listsrpc save Note title='Hello' tags:='["first"]'
  listsrpc query Note --where 'tags CONTAINS "first"'
  listsrpc watch Note      in another terminal, while you save
  listsrpc --help          every verb;   Protocol/README.md   every method
END
