#!/usr/bin/env bash
# The review page in a real browser. Needs node 18 or newer with npm, Chromium, and the built program:
#   cargo build --release && bash tests/browser/run.sh
# SCORESHEET names another program, CHROMIUM another browser; PAGE_FROM_DISK=1 takes the page from the source tree.
set -eu
cd "$(dirname "$0")"
export CHROMIUM="${CHROMIUM:-/usr/bin/chromium}"
for needed in node npm "$CHROMIUM"; do
    if ! command -v "$needed" >/dev/null; then
        echo "SKIPPED: the browser test needs $needed, which is not installed." >&2
        exit 0
    fi
done
program="${SCORESHEET:-${CARGO_TARGET_DIR:-../../target}/release/scoresheet}"
if [ ! -x "$program" ]; then
    echo "The browser test needs $program. Run cargo build --release first, or set SCORESHEET." >&2
    exit 1
fi
export SCORESHEET="$(realpath "$program")"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    if ! npm ci --no-audit --no-fund --silent; then
        echo "SKIPPED: the browser test needs playwright-core, and npm could not fetch it." >&2
        exit 0
    fi
    touch node_modules/.package-lock.json
fi
exec node test.mjs
