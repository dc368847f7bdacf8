#!/bin/sh
# Downloads the proxies that deep tests start, and unpacks their packages below test/proxies/installed. An installation
# would start them as services, on port 80. Needs apt, but neither root nor a change of the system.
set -eu

root=$(cd "$(dirname "$0")/../test/proxies" && pwd)/installed
stamp=$root/.complete
packages="nginx caddy haproxy"

test -e "$stamp" && exit

say_missing() {
  echo "The deep tests need $packages, which apt-get could not download ($1)." >&2
  exit 1
}

# With the libraries that the system lacks. The archives go to a folder of their own, so no lock of apt is needed.
download() {
  apt-get install -y -qq --no-install-recommends --download-only -o Debug::NoLocking=true \
    -o Dir::Cache::archives="$root/archives" $packages
}

command -v apt-get >/dev/null 2>&1 || say_missing "it is not installed"
rm -rf "$root"
mkdir -p "$root/archives/partial"
echo "Downloading $packages for the tests" >&2
# The lists of packages may be old or absent. Only root can renew them.
if ! download >/dev/null 2>&1; then
  apt-get update -qq >/dev/null 2>&1 || true
  log=$(download 2>&1) || say_missing "$(echo "$log" | grep -m 1 "^E:" || echo "$log" | tail -n 1)"
fi
# Installed packages have no archive here: the tests find their programs by the PATH.
for archive in "$root"/archives/*.deb; do
  if [ -e "$archive" ]; then dpkg -x "$archive" "$root"; fi
done
rm -rf "$root/archives"
touch "$stamp"
