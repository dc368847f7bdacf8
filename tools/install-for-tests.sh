#!/bin/sh
# Installs the programs of the deep tests: with apt if this runs as root or with sudo. Otherwise names what is missing.
set -eu

# need PACKAGE TEST...: installs the package unless the test succeeds. Programs can be there without it.
need() {
  package=$1
  shift
  "$@" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ]; then
    install_package "$package" || true
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    install_package "$package" sudo || true
  fi
  # It can still be missing, such as for lack of a network or because of the PATH.
  "$@" >/dev/null 2>&1 || say_missing "$package"
}

# Takes the package and the command that runs apt as root.
install_package() {
  echo "Installing $1 for the tests" >&2
  ${2:-} apt-get update -qq >/dev/null 2>&1
  ${2:-} env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1
}

say_missing() {
  echo "The deep tests need $1. Install it first: apt-get install $1" >&2
  exit 1
}

# Debian's package of Prometheus starts a server on port 9090 and brings 40 others. The tests need its two programs,
# so it is only unpacked. That needs no root, unless the list of packages is missing.
need_prometheus() {
  command -v prometheus >/dev/null 2>&1 && command -v promtool >/dev/null 2>&1 && return
  folder=$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/prometheus
  [ -x "$folder/usr/bin/promtool" ] && return
  echo "Unpacking prometheus for the tests" >&2
  unpack prometheus "$folder" && return
  root=
  [ "$(id -u)" = 0 ] || root="sudo -n"
  $root apt-get update -qq >/dev/null 2>&1 || true
  unpack prometheus "$folder" || say_missing prometheus
}

unpack() {
  rm -rf "$2"
  mkdir -p "$2"
  (cd "$2" && apt-get download -qq "$1" && dpkg-deb -x "$1"_*.deb . && rm "$1"_*.deb) >/dev/null 2>&1
}

need curl command -v curl
need openssl command -v openssl
# The package may start a server on port 6379. The tests start servers of their own, on other ports.
need redis-server command -v redis-server
# The package starts a server on port 5432 where init runs. The tests need its programs only.
need postgresql sh -c "ls /usr/lib/postgresql/*/bin/initdb"
need lua-check command -v luacheck
need_prometheus
# The browser draws text with the font.
need chromium command -v chromium
need fonts-dejavu-core ls /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
# The modules are those of the system's own Python.
need python3-grpcio /usr/bin/python3 -c "import grpc"
need python3-protobuf /usr/bin/python3 -c "import google.protobuf"
sh "$(dirname "$0")/unpack-for-tests.sh"
sh "$(dirname "$0")/install-apart.sh"
