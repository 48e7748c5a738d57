#!/bin/sh
# Runs the public parsing suite through the JSON code under the address sanitizer, as a plain program.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$(dirname -- "$here")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where messages go to knows of files, and has nothing to be fuzzed.
sources=$(find "$root/Sources/JSONRPC" -name '*.swift' ! -name Outbound.swift)

# The sanitizer prints its own stack; Swift's would keep the output open while it waits for the dead program.
export SWIFT_BACKTRACE=enable=no

swiftc -use-ld=lld -swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
  -sanitize=address -parse-as-library -module-name JSONRPCSuite -o "$work/suite" \
  $sources "$here/Invariants.swift" "$here/SuiteCheck.swift"

"$work/suite" "$root"/Tests/JSONTestSuite/test_parsing/*.json
