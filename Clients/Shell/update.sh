#!/usr/bin/env bash
# Makes the completions and the manual page anew from the command table.
#   update.sh [PROGRAM]     PROGRAM is a built listsrpc (default: the debug build)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../.build/debug/listsrpc}
"$program" completion bash >"$here/completions/listsrpc.bash"
"$program" completion zsh >"$here/completions/_listsrpc"
"$program" completion fish >"$here/completions/listsrpc.fish"
"$program" manual >"$here/listsrpc.1"
