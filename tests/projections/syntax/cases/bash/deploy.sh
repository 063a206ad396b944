#!/usr/bin/env bash
set -euo pipefail

readonly LIMIT=100
name="two  words"
declare -a items=(a b)

# Prints and leaves.
fail() {
  echo "error: $1" >&2
  exit 1
}

function deploy {
  local target=$1
  cat <<EOF
  deploy  $target
EOF
  if [ -z "$target" ]; then
    fail "no target"
  fi
}

cleanup() (
  rm -rf "$TMPDIR"
)

case $1 in
  deploy) deploy "$2" ;;
  *) fail "unknown: $1" ;;
esac
