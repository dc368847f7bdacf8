#!/bin/sh
# Installs from npm what deep tests start, once and after each change of the versions: Bun, Deno and the runtime of
# Workers, tools of users such as Jest, webpack and old compilers, and the packages of the examples. They have folders
# of their own, so that the tools of the workspace ignore them.
set -eu

install_apart() {
  cd "$1"
  stamp=node_modules/.installed
  cmp -s package-lock.json "$stamp" && return

  # `npm ci` refuses a lockfile if the registry lacks one of its platforms.
  if ! log=$(npm install --prefix . --no-save --ignore-scripts --no-audit --no-fund 2>&1); then
    why=$(echo "$log" | grep -m 1 "Error: " || echo "$log" | head -n 1)
    echo "The deep tests need $2 from npm ($why). Run tools/install-apart.sh with a network." >&2
    exit 1
  fi
  cp package-lock.json "$stamp"
}

tests=$(cd "$(dirname "$0")/../test" && pwd)
install_apart "$tests/runtimes/installed" "Bun, Deno and workerd"
install_apart "$tests/packaging/installed" "Jest, webpack and old compilers"
install_apart "$tests/examples/installed" "the packages of examples"
install_apart "$tests/grpc-clients/installed" "a gRPC client and Envoy's protos"
