#!/bin/sh
# Installs the programs of the deep tests: with apt if this runs as root or with sudo. Otherwise names what is missing.
set -eu

need() {
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ]; then
    install_package "$2" || true
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    install_package "$2" sudo || true
  fi
  # A program can still be missing, such as for lack of a network or because of the PATH.
  command -v "$1" >/dev/null 2>&1 || say_missing "$@"
}

# Takes the package and the command that runs apt as root.
install_package() {
  echo "Installing $1 for the tests" >&2
  ${2:-} apt-get update -qq >/dev/null 2>&1
  ${2:-} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null 2>&1
}

say_missing() {
  echo "The deep tests need $1. Install it first: apt-get install $2" >&2
  exit 1
}

need curl curl
# The package may start a server on port 6379. The tests start servers of their own, on other ports.
need redis-server redis-server
sh "$(dirname "$0")/install-apart.sh"
