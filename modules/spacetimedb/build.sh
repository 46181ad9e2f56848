#!/bin/sh
# ./build.sh [OUT]        builds the module and writes it to OUT (default: fair-bench.wasm beside this script),
#                         with its SHA-256 and the toolchain that made it in files beside it
# ./build.sh --toolchain  tells the toolchain that would build it here
# No path of the machine gets into the module: the same toolchain gives the same bytes anywhere.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
target=wasm32-unknown-unknown
linker=${CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER:-}
# Where a toolchain is asked for by its folder: that of this script's manifest decides.
cd "$here"
sysroot=$(rustc --print sysroot)
if [ -d "$sysroot/lib/rustlib/$target/lib" ]; then std=prebuilt; else std='built from source'; fi

tell_toolchain() {
  rustc --version
  if [ -n "$linker" ]; then "$linker" --version; else echo "the compiler's own linker"; fi
  echo "standard library $std"
}

if [ "${1:-}" = --toolchain ]; then
  tell_toolchain
  exit
fi

out=${1:-$here/fair-bench.wasm}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
separator=$(printf '\037')

# Before the paths are listed: it is what makes the directories of the dependencies' sources.
cargo fetch --locked --target "$target"

flags=--remap-path-prefix=$here=/module
flags=$flags$separator--remap-path-prefix=$sysroot/lib/rustlib/src/rust=/rust
for sources in "$cargo_home"/registry/src/*; do
  flags=$flags$separator--remap-path-prefix=$sources=/crates
done
export CARGO_ENCODED_RUSTFLAGS="$flags"

if [ "$std" = prebuilt ]; then
  cargo build --release --locked --target "$target"
else
  # The target's standard library is not installed: it is built from its source.
  RUSTC_BOOTSTRAP=1 cargo build --release --locked --target "$target" -Z build-std=std,panic_abort
fi

mkdir -p "$(dirname "$out")"
cp "${CARGO_TARGET_DIR:-target}/$target/release/fair_bench_module.wasm" "$out"
chmod 644 "$out"
cd "$(dirname "$out")"
tell_toolchain >"$(basename "$out").toolchain"
sha256sum "$(basename "$out")" | tee "$(basename "$out").sha256"
