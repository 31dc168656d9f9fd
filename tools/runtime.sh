#!/bin/sh
# Makes ready what the service needs besides its sources: checks the tools, and gets the shared library of ONNX Runtime
# through pip, in one version, checked against its sums. What is already there with the right sum is kept.
#
# A library named by ORT_DYLIB_PATH is used as it is. `runtime.sh aarch64` gets the library of another processor, for a package, and
# prints where it lies. Every fault is one sentence on standard error and exit code 1.
set -eu

version=1.24.4
member="onnxruntime/capi/libonnxruntime.so.$version"
glibc_minor_min=27

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
of_another=${1:-}
processor=${of_another:-$(uname -m)}
folder="$root/.runtime/onnxruntime${of_another:+-$of_another}"
library="$folder/libonnxruntime.so.$version"
case "$processor" in
x86_64)
    wheel_sha256=e54ad52e61d2d4618dcff8fa1480ac66b24ee2eab73331322db1049f11ccf330
    library_sha256=2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24
    ;;
aarch64)
    wheel_sha256=046ff290045a387676941a02a8ae5c3ebec6b4f551ae228711968c4a69d8f6b7
    library_sha256=f373ae5fd4d878ed17ebea26e5480bd3d0a15e3bd6bc94b878e6c1b73998d22a
    ;;
*)
    library_sha256=
    ;;
esac

stop() {
    echo "set-up: $1" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

sum_of() {
    if has sha256sum; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"
    fi
}

check_tools() {
    has cargo || stop "cargo is missing: install Rust (rustup installs the version that rust-toolchain.toml names)"
    has cc || stop "cc is missing: install a C compiler (the package build-essential or gcc)"
}

check_platform() {
    advice="build ONNX Runtime $version for it and set ORT_DYLIB_PATH to its libonnxruntime.so"
    system=$(uname -s)
    [ "$system" = Linux ] && [ -n "$library_sha256" ] ||
        stop "the library of ONNX Runtime is pinned for x86_64 and aarch64 Linux and this is $processor $system: $advice"
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
    case "$libc" in
    "glibc 2."*)
        minor=${libc#glibc 2.}
        minor=${minor%%.*}
        [ "$minor" -ge "$glibc_minor_min" ] ||
            stop "the library of ONNX Runtime needs glibc 2.$glibc_minor_min or later and this is $libc: use a newer distribution, or $advice"
        ;;
    *)
        stop "the library of ONNX Runtime needs glibc 2.$glibc_minor_min or later, which this Linux has not: use a distribution with glibc, or $advice"
        ;;
    esac
}

get_library() {
    has python3 || stop "python3 is missing: install it with pip (the packages python3 and python3-pip), or set ORT_DYLIB_PATH to a libonnxruntime.so.$version"
    python3 -m pip --version >/dev/null 2>&1 ||
        stop "python3 has no pip: install it (the package python3-pip), or set ORT_DYLIB_PATH to a libonnxruntime.so.$version"
    mkdir -p "$folder"
    scratch=$(mktemp -d "$folder/get.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    echo "set-up: getting ONNX Runtime $version through pip (16 MB)" >&2
    # The version of Python is that of the wheel, whose library does not depend on it; any pip can get it.
    python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
        --python-version 3.11 --platform "manylinux_2_27_$processor" --platform "manylinux_2_28_$processor" \
        --dest "$scratch" "onnxruntime==$version" >"$scratch/log" 2>&1 || {
        sed 's/^/    /' "$scratch/log" >&2
        stop "pip could not get onnxruntime $version: see above, check the network and pip's settings, then try again"
    }
    set -- "$scratch"/*.whl
    [ -f "$1" ] || stop "pip got no wheel of onnxruntime $version: update pip and try again"
    [ "$(sum_of "$1")" = "$wheel_sha256" ] ||
        stop "the wheel of onnxruntime $version that pip got is not the one that is pinned (its SHA-256 differs): check where pip gets its packages"
    python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, open(sys.argv[3], "wb") as out:
    out.write(wheel.read(sys.argv[2]))' "$1" "$member" "$scratch/library"
    [ "$(sum_of "$scratch/library")" = "$library_sha256" ] ||
        stop "the library in the wheel is not the one that is pinned (its SHA-256 differs): check where pip gets its packages"
    # Renamed into place, so that a set-up that was broken off leaves no half of a library.
    mv "$scratch/library" "$library"
}

if [ -z "$of_another" ]; then
    check_tools
    if [ -n "${ORT_DYLIB_PATH:-}" ]; then
        [ -f "$ORT_DYLIB_PATH" ] ||
            stop "ORT_DYLIB_PATH names $ORT_DYLIB_PATH, which is not a file: unset it, or set it to a libonnxruntime.so.$version"
        exit 0
    fi
    check_platform
elif [ -z "$library_sha256" ]; then
    stop "no library of ONNX Runtime is pinned for $processor: x86_64 and aarch64 have one"
fi
if [ -f "$library" ]; then
    [ "$(sum_of "$library")" = "$library_sha256" ] ||
        stop "${folder#"$root/"}/libonnxruntime.so.$version is not the library that is pinned (its SHA-256 differs): remove the folder .runtime and try again"
else
    get_library
fi
[ -z "$of_another" ] || echo "$library"
