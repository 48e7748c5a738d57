#!/usr/bin/env bash
# Debian's index of packages as JSON lines, to import as records:
#   packages.sh | listsrpc import - --type Package --name-from package
set -euo pipefail
shopt -s nullglob
lists=(/var/lib/apt/lists/*_Packages /var/lib/apt/lists/*_Packages.lz4 /var/lib/apt/lists/*_Packages.xz)
[ ${#lists[@]} -gt 0 ] || { echo "there is no index of packages: run apt-get update" >&2; exit 1; }
/usr/lib/apt/apt-helper cat-file "${lists[@]}" | LC_ALL=C awk '
  BEGIN { RS = ""; FS = "\n" }
  function quoted(text) { gsub(/[\\"]/, "\\\\&", text); gsub(/[\001-\037]/, " ", text); return "\"" text "\"" }
  {
    delete value
    for (i = 1; i <= NF; i++) if (match($i, /^[A-Za-z-]+: /)) value[substr($i, 1, RLENGTH - 2)] = substr($i, RLENGTH + 1)
    # The newest of several versions stands first, in the updates and security lists.
    if (seen[value["Package"]]++) next
    tags = ""
    count = split(value["Tag"], all, /, */)
    for (i = 1; i <= count; i++) tags = tags (i > 1 ? "," : "") quoted(all[i])
    printf "{\"package\":%s,\"version\":%s,\"section\":%s,\"size\":%d,\"description\":%s,\"tags\":[%s]}\n", \
      quoted(value["Package"]), quoted(value["Version"]), quoted(value["Section"]), value["Size"], \
      quoted(value["Description"]), tags
  }'
