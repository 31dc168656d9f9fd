#!/bin/sh
# Makes the packages of this version for one processor, below dist/: a tarball that runs where it is unpacked, its bill of materials
# (CycloneDX), and SHA256SUMS over both. The same sources and compiler give the same tarball.
#
#   tools/package.sh [x86_64|aarch64]
#
# For the other processor it needs that target of Rust (rustup target add aarch64-unknown-linux-gnu) and a C compiler for it.
set -eu

stop() {
    echo "package: $1" >&2
    exit 1
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
here=$(uname -m)
processor=${1:-$here}
case "$processor" in
x86_64 | aarch64) ;;
*) stop "there is no package for $processor: x86_64 and aarch64 have one" ;;
esac
target="$processor-unknown-linux-gnu"
if [ "$processor" = "$here" ]; then
    tools/runtime.sh
    library=".runtime/onnxruntime/libonnxruntime.so.1.24.4"
else
    library=$(tools/runtime.sh "$processor")
    compiler="$processor-linux-gnu-gcc"
    command -v "$compiler" >/dev/null 2>&1 || stop "$compiler is missing: install it (on Debian the package gcc-$(echo "$processor" | tr _ -)-linux-gnu)"
    [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || stop "Rust has no $target: rustup target add $target"
    name=$(echo "$target" | tr 'a-z-' 'A-Z_')
    export "CARGO_TARGET_${name}_LINKER=$compiler" "CC_$(echo "$target" | tr - _)=$compiler"
fi
cargo build --release --locked --target "$target" --bin otherwise
program="${CARGO_TARGET_DIR:-target}/$target/release/otherwise"
case "$processor:$(od -A n -t x1 -j 18 -N 1 "$program" | tr -d ' ')" in
x86_64:3e | aarch64:b7) ;;
*) stop "$program is no program for $processor" ;;
esac

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1)
name="otherwise-$version-$processor-linux"
# The moment of the commit: what is packed does not depend on when that happens.
moment=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
mkdir -p dist
scratch=$(mktemp -d dist/.make.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
tools/install.sh "$program" "$library" "$scratch/$name"
cp -R README.md CHANGELOG.md LICENSE docs "$scratch/$name/"
tar --sort=name --format=gnu --mtime="@$moment" --owner=0 --group=0 --numeric-owner -C "$scratch" -cf "$scratch/tar" "$name"
gzip -n -9 <"$scratch/tar" >"$scratch/$name.tar.gz"
python3 tools/bom.py "$target" "$moment" >"$scratch/$name.cdx.json"
mv "$scratch/$name.tar.gz" "$scratch/$name.cdx.json" dist/
(cd dist && LC_ALL=C sha256sum ./*.tar.gz ./*.cdx.json >SHA256SUMS)
echo "dist/$name.tar.gz"
