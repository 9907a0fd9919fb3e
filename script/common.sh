# Functions that script/demo, script/test and script/wheel share. Sourced by bash, after `set -eu`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
stop() { # a sentence that says what is wrong and what to do
    printf '%s: %s\n' "$0" "$*" >&2
    exit 2
}
jobs=${CK_JOBS:-$(nproc)}
[[ $jobs =~ ^[1-9][0-9]{0,3}$ ]] ||
    stop "CK_JOBS is '$jobs'; it is how many compilers and tests run at once, a number from 1 to 9999"
if [ -e build ]; then writable=build; else writable=.; fi
[ -w "$writable" ] || stop "$root/build cannot be written, and everything is built there; copy the tree to a folder of yours"
started=$SECONDS

say() { printf '\n== %s  [%d s]\n' "$*" $((SECONDS - started)); }

# require PACKAGE CHECK...: adds a Debian package to `missing` unless the command CHECK succeeds.
missing=()
require() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
has() { command -v "$1"; }
at_least() { [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; } # version minimum
has_cmake() { at_least "$(cmake --version | sed -n '1s/[^0-9]*//p')" 3.22; }

# Installs the packages in `missing`. Without the permission, it prints the command that does, and stops.
install_missing() {
    [ ${#missing[@]} -eq 0 ] && return
    local line="apt-get install -y --no-install-recommends ${missing[*]}" run=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            run=(sudo)
        else
            printf 'Missing: %s. Run this as root, then start again:\n%s\n' "${missing[*]}" "apt-get update && $line" >&2
            exit 1
        fi
    fi
    if ! command -v apt-get >/dev/null; then
        printf 'Missing, under the names of Debian packages: %s. There is no apt-get here to install them.\n' "${missing[*]}" >&2
        exit 1
    fi
    say "installing ${missing[*]}"
    "${run[@]}" apt-get -q update
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
    missing=()
}

require_build_tools() {
    require cmake has_cmake
    require ninja-build has ninja
    require g++ has g++
}
require_host_runtime() { require libboost-context-dev test -e /usr/include/boost/context/fiber.hpp; }

# Toolchains. For AMD, there are two: Debian's compilers with Debian's HIP, and AMD's own ROCm.
rocm=${ROCM_PATH:-/opt/rocm}
have_debian_hip() {
    [ -e /usr/include/hip/hip_runtime.h ] && {
        compgen -G '/usr/lib/*/amdgcn/bitcode/ocml.bc' || compgen -G '/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ocml.bc'
    }
} >/dev/null
# Prints the clang of Debian's hipcc: 15 in Debian 12, 17 in Debian 13. Prints nothing without one.
hipcc_clang() {
    local version
    have_debian_hip || return 0
    for version in 15 17; do
        if has clang++-$version >/dev/null; then
            echo clang++-$version
            return
        fi
    done
}
have_clang_hip() { # version: 19 or 22
    has "clang++-$1" && [ -e "/usr/lib/llvm-$1/bin/llvm-as" ] && [ -e "/usr/lib/llvm-$1/bin/ld.lld" ] &&
        [ -e "/usr/lib/llvm-$1/bin/clang-offload-bundler" ] && have_debian_hip
} >/dev/null
have_rocm() {
    [ -x "$rocm/llvm/bin/clang++" ] && [ -e "$rocm/include/hip/hip_runtime.h" ] && [ -e "$rocm/lib/libamdhip64.so" ] && {
        [ -e "$rocm/amdgcn/bitcode/ocml.bc" ] || compgen -G "$rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode/ocml.bc"
    }
} >/dev/null
# Prints the preset that builds for AMD with the newest compiler that is installed, and that compiler. Prints nothing
# without one.
amd_preset() {
    if have_rocm; then
        echo "amd-rocm $rocm/llvm/bin/clang++"
    elif have_clang_hip 22; then
        echo "amd-clang22 clang++-22"
    elif have_clang_hip 19; then
        echo "amd-clang19 clang++-19"
    elif [ -n "$(hipcc_clang)" ]; then
        echo "amd $(hipcc_clang)"
    fi
}
# The clang for sanitizers and for the second host build: 14 if it is installed or this is Debian 12, else 19 (Debian 13).
host_clang_version() {
    if has clang++-14 >/dev/null || grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then echo 14; else echo 19; fi
}
# toolchain_of PART: prints nothing if the compiler for this part of script/test is installed, else what is missing and
# which packages have it.
toolchain_of() {
    local hip="hipcc libamdhip64-dev rocm-device-libs" version
    case $1 in
    amd)
        [ -n "$(hipcc_clang)" ] ||
            echo "no clang++-15 or 17 with HIP (Debian: apt-get install -y --no-install-recommends $hip)"
        ;;
    amd-clang*)
        version=${1#amd-clang}
        have_clang_hip "$version" || {
            printf 'no clang++-%s with HIP (Debian: apt-get install -y --no-install-recommends %s' "$version" "$hip"
            printf ' %s' "clang-$version" "lld-$version" "clang-tools-$version" "libllvm$version" "llvm-$version"
            echo "; in Debian 12 from the security suite, bookworm-security, which apt's sources must have)"
        }
        ;;
    amd-rocm) have_rocm || echo "no ROCm of AMD's in $rocm (ROCM_PATH names another folder)" ;;
    nvidia)
        [ -n "$(nvcc_path)" ] ||
            echo "no nvcc in PATH or /usr/local/cuda/bin (NVIDIA's package cuda-toolkit-13-0, https://developer.nvidia.com/cuda-downloads)"
        ;;
    esac
}
nvcc_path() { command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; }; }

# Prints the target of the first AMD GPU, for example gfx90a. Prints nothing without one.
amd_device() {
    [ -r /dev/kfd ] || return 0
    local version
    version=$(cat /sys/class/kfd/kfd/topology/nodes/*/properties 2>/dev/null |
        awk '$1 == "gfx_target_version" && $2 > 0 { print $2; exit }')
    [ -n "$version" ] && printf 'gfx%d%x%x\n' $((version / 10000)) $((version / 100 % 100)) $((version % 100))
    return 0
}
# Prints the architecture of the first NVIDIA GPU as CMake names it. Prints nothing without one.
nvidia_device() {
    command -v nvidia-smi >/dev/null || return 0
    local capability
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ')
    case $capability in
    '' | *[!0-9]*) ;;
    90) echo 90a-real ;;
    *) echo "$capability-real" ;;
    esac
}
