#!/bin/sh
# Installs Bun, Deno and the runtime of Workers from npm, for the tests that start them: once, and again when their versions
# change. They have a folder of their own, for in the workspace they would take part in everything.
set -eu

cd "$(dirname "$0")/../test/runtimes/installed"
stamp=node_modules/.installed
cmp -s package-lock.json "$stamp" && exit

# Not `npm ci`: it refuses a lockfile without the platforms that a registry may lack.
if ! log=$(npm install --prefix . --no-save --ignore-scripts --no-audit --no-fund 2>&1); then
  why=$(echo "$log" | grep -m 1 "Error: " || echo "$log" | head -n 1)
  echo "The tests need Bun, Deno and workerd from npm ($why). Run tools/install-runtimes.sh where there is a network." >&2
  exit 1
fi
cp package-lock.json "$stamp"
