#!/bin/bash
# Boots a real systemd as PID 1 on a throw-away copy of this machine: an overlay over /, so that nothing
# of what happens inside stays. Needs root and Debian's package systemd-container.
#
#   container.sh start FOLDER          boots; what lies in FOLDER/upper is laid over this machine's files
#   container.sh run FOLDER COMMAND…   runs a command inside
#   container.sh leader FOLDER         prints the process that is PID 1 inside
#   container.sh stop FOLDER           ends it and removes FOLDER
set -euo pipefail
verb=$1
folder=$2
shift 2

nspawn() { cat "$folder/nspawn.pid"; }

leader() {
  local process
  process=$(nspawn)
  read -r process _ <"/proc/$process/task/$process/children" || [ -n "$process" ]
  echo "$process"
}

case $verb in
start)
  mkdir -p "$folder"/{upper,work,root}
  # --unit keeps this machine's other services from being started in the copy, the private network keeps
  # it to itself.
  setsid unshare --mount --propagation private bash -c '
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
    echo $$ >"$1/nspawn.pid"
    export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
    exec systemd-nspawn --quiet --register=no --keep-unit --private-network --link-journal=no \
      --directory="$1/root" --machine="$(basename "$1")" --console=pipe --boot -- --unit=basic.target
  ' _ "$folder" </dev/null >"$folder/console.log" 2>&1 &
  for _ in $(seq 300); do
    state=$(nsenter -t "$(leader 2>/dev/null)" -a systemctl is-system-running 2>/dev/null || :)
    case $state in running | degraded) exit 0 ;; esac
    read -rt 0.1 <> <(:) || :
  done
  echo "systemd did not boot within 30 s: ${state:-no state}" >&2
  tail -n 20 "$folder/console.log" >&2
  exit 1
  ;;
run) exec nsenter -t "$(leader)" -a -- "$@" ;;
leader) leader ;;
stop)
  process=$(nspawn 2>/dev/null || :)
  if [ -n "$process" ] && kill -0 "$process" 2>/dev/null; then
    kill -KILL "$(leader)" 2>/dev/null || :
    tail --sleep-interval=0.1 --pid="$process" -f /dev/null
  fi
  rm -rf "$folder"
  ;;
esac
