#!/bin/sh
# Installs NetBox in a Debian 13 of its own in target/e2e/site, for `make site-check`: NetBox from PyPI needs a newer Python than
# Debian 12 has. PostgreSQL, Redis and Python are Debian's. Takes some ten minutes and 2 GB; runs as root.
set -eu
cd "$(dirname "$0")/.."

site=${CARGO_TARGET_DIR:-target}/e2e/site
netbox=4.7.3
folder=e2e/tests/site

say() { echo "e2e: $*" >&2; }

[ "$(id -u)" = 0 ] || { say "$0 needs root"; exit 1; }
[ "$(cat "$site/installed" 2>/dev/null)" != "$netbox" ] || exit 0

command -v debootstrap >/dev/null || {
    say "installing debootstrap"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends debootstrap
}
say "installing Debian 13 in $site"
rm -rf "$site"
mkdir -p "$site"
packages=ca-certificates,gcc,iproute2,libc6-dev,libpq-dev,postgresql,python3-dev,python3-venv,redis-server
debootstrap --variant=minbase --include="$packages" trixie "$site" >"$site.log"

say "installing NetBox $netbox"
# The way to the package index, and an authority of its own, are those of this machine.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "$file" ] || cp -L "$file" "$site$file"
done
chroot "$site" python3 -m venv /opt/netbox
chroot "$site" /opt/netbox/bin/pip install --quiet --disable-pip-version-check "netbox==$netbox"
mkdir "$site/opt/netbox/conf"
touch "$site/opt/netbox/conf/__init__.py"
cp "$folder/netbox_config.py" "$site/opt/netbox/conf/configuration.py"
unshare --mount --net --pid --fork --kill-child sh "$folder/inside.sh" "$site" "$folder" sh -eu -c '
    su postgres -c "createuser --superuser root"
    createdb netbox
    DATABASE=netbox /opt/netbox/bin/netbox migrate --no-input --verbosity 0'
echo "$netbox" >"$site/installed"
