#!/usr/bin/env bash
# All checks: format, lints, tests. Needs only a Rust toolchain (https://rustup.rs).
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo >/dev/null; then
    echo "cargo was not found. Install Rust 1.93 or newer from https://rustup.rs and run this again." >&2
    exit 2
fi
for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done
cargo fmt --check
cargo clippy --release --all-targets --quiet -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --release --quiet
cargo test --release
bash tests/browser/run.sh
