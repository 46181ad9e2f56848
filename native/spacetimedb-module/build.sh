#!/bin/sh
# ./build.sh FOLDER [OUT]  builds the module in FOLDER (workloads/NAME/spacetimedb) and writes it to OUT (default:
#                          FOLDER/module.wasm), with its SHA-256 and the toolchain that made it in files beside it
# ./build.sh --toolchain   prints the toolchain that would build it here
# No path of the machine gets into the module: the same toolchain gives the same bytes anywhere.
set -eu

target=wasm32-unknown-unknown
linker=${CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER:-}
shared=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$shared/../.." && pwd)
# A toolchain that is chosen by folder is that of the module's manifest.
if [ "${1:-}" = --toolchain ]; then cd "$shared"; else cd "$1"; fi
here=$(pwd)
sysroot=$(rustc --print sysroot)
if [ -d "$sysroot/lib/rustlib/$target/lib" ]; then std=prebuilt; else std='built from source'; fi

print_toolchain() {
  rustc --version
  if [ -n "$linker" ]; then "$linker" --version; else echo "the compiler's own linker"; fi
  echo "standard library $std"
}

if [ "${1:-}" = --toolchain ]; then
  print_toolchain
  exit
fi

out=${2:-$here/module.wasm}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
separator=$(printf '\037')

# Before the paths are listed: it is what makes the directories of the dependencies' sources.
cargo fetch --locked --target "$target"

flags=--remap-path-prefix=$root=/fair-bench
flags=$flags$separator--remap-path-prefix=$here=/module
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
cp "${CARGO_TARGET_DIR:-target}/$target/release/module.wasm" "$out"
chmod 644 "$out"
cd "$(dirname "$out")"
print_toolchain >"$(basename "$out").toolchain"
sha256sum "$(basename "$out")" | tee "$(basename "$out").sha256"
