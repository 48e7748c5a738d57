#!/bin/sh
# Fuzzes the JSON and framing code under the address sanitizer: run.sh [SECONDS]
#
# Starts from the files of the public parsing suite. An input that breaks an invariant is kept in the
# folder named at the end, and the exit status is not 0.
set -eu

seconds=${1:-30}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$(dirname -- "$here")")
work=$(mktemp -d)
mkdir "$work/corpus" "$work/found"
trap 'rm -rf "$work/corpus" "$work/fuzz" "$work/log"; rmdir "$work/found" "$work" 2>/dev/null || :' EXIT

# Where messages go to knows of files, and has nothing to be fuzzed.
sources=$(find "$root/Sources/JSONRPC" -name '*.swift' ! -name Outbound.swift)

# The sanitizer prints its own stack; Swift's would keep the output open while it waits for the dead program.
export SWIFT_BACKTRACE=enable=no

swiftc -use-ld=lld -swift-version 6 -O -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -sanitize=fuzzer,address -parse-as-library -module-name JSONRPCFuzz -o "$work/fuzz" \
  $sources "$here/Invariants.swift" "$here/FuzzTarget.swift"

if "$work/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
  -dict="$here/json.dict" -artifact_prefix="$work/found/" \
  "$work/corpus" "$root/Tests/JSONTestSuite/test_parsing" >"$work/log" 2>&1; then
  tail -n 1 "$work/log"
else
  tail -n 60 "$work/log"
  echo "The input is in $work/found" >&2
  exit 1
fi
