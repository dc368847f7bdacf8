#!/bin/sh
# Installs Bun, Deno and the runtime of Workers from npm, once and after each change of their versions. They have a
# folder of their own, so that the tools of the workspace ignore them. Another such folder may be named.
set -eu

folder=${1:-test/runtimes/installed}
cd "$(dirname "$0")/../$folder"
stamp=node_modules/.installed
cmp -s package-lock.json "$stamp" && exit

# `npm ci` refuses a lockfile if the registry lacks one of its platforms.
if ! log=$(npm install --prefix . --no-save --ignore-scripts --no-audit --no-fund 2>&1); then
  why=$(echo "$log" | grep -m 1 "Error: " || echo "$log" | head -n 1)
  echo "The deep tests need the packages of $folder ($why). Run tools/install-runtimes.sh $folder with a network." >&2
  exit 1
fi
cp package-lock.json "$stamp"
