#!/usr/bin/env bash
# Builds docker/Dockerfile, as it is, on a machine without a Docker engine and without access to a
# registry of images: with buildah, as root, on Debian.
#
#     docker/build-without-docker.sh [IMAGE]          localhost/twincell if left out
#
# The base image cannot be fetched there. A stand-in is made with debootstrap and gets the name of
# the Dockerfile's base: the same Debian release and the same Python, 3.13, but Debian's own build of
# it. What is proved this way is the Dockerfile and all that it copies, installs and compiles; what
# is not proved is the official base image.
#
# Packages come over HTTPS, perhaps through a proxy with a certificate of its own: this machine's
# certificates are mounted during the build. They are in no layer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

image=${1:-localhost/twincell}
base=docker.io/library/$(sed -n 's/^FROM \(python:[^ ]*\) AS base$/\1/p' docker/Dockerfile)
release=trixie
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

for tool in debootstrap buildah podman; do
    command -v "$tool" >/dev/null \
        || { echo "$tool is missing: apt-get install debootstrap buildah podman runc" >&2; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "debootstrap needs root" >&2; exit 1; }

if ! buildah images --quiet "$base" >/dev/null 2>&1; then
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates \
        "$release" "$root" "$mirror"
    ln -s python3 "$root/usr/bin/python"
    rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
    tar --numeric-owner -C "$root" -c . | podman import - "$base"
fi

export BUILDAH_ISOLATION=chroot
buildah build --pull=never --format docker --layers \
    --volume /etc/ssl/certs:/etc/ssl/certs:ro \
    --volume /usr/local/share/ca-certificates:/usr/local/share/ca-certificates:ro \
    --file docker/Dockerfile --tag "$image" .
