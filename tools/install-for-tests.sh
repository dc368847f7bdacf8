#!/bin/sh
# Installs what the tests run besides Node: as root or with sudo by apt, else says what is missing.
set -eu

need() {
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ]; then
    install_package "$2"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    install_package "$2" sudo
  else
    say_missing "$@"
  fi
  # Such as a PATH without the folder that it is in.
  command -v "$1" >/dev/null 2>&1 || say_missing "$@"
}

# The package, and what makes apt run as root.
install_package() {
  echo "Installing $1 for the tests" >&2
  ${2:-} apt-get update -qq >/dev/null
  ${2:-} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null
}

say_missing() {
  echo "The tests need $1. Install it first: apt-get install $2" >&2
  exit 1
}

need curl curl
# Its package may start a service on port 6379; the tests start servers of their own, on other ports.
need redis-server redis-server
sh "$(dirname "$0")/install-runtimes.sh"
