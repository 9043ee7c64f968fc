#!/bin/sh
# Machine code is run only where it belongs to whoever runs it: so he gets a copy of his own.
set -eu
umask 077
TWINCELL_CACHE_DIR=${TMPDIR:-/tmp}/twincell-of-$(id -u)
HOME=${TMPDIR:-/tmp}  # a number without a name has none
export TWINCELL_CACHE_DIR HOME
if ! mkdir -p "$TWINCELL_CACHE_DIR" || ! cp -r /opt/twincell/compiled/. "$TWINCELL_CACHE_DIR"; then
    echo "twincell: cannot write into ${TMPDIR:-/tmp}" >&2
    echo "  hint: give the container a temporary file system there: --tmpfs /tmp" >&2
    exit 2
fi
exec twincell "$@"
