#!/bin/sh
# Installs what the tests run besides Node: as root or with sudo by apt, else says what is missing.
set -eu

need() {
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ]; then
    apt-get update -qq && apt-get install -y -qq "$2"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo apt-get update -qq && sudo apt-get install -y -qq "$2"
  else
    echo "The tests need $1. Install it first: apt-get install $2" >&2
    exit 1
  fi
}

need curl curl
sh "$(dirname "$0")/install-runtimes.sh"
