#!/usr/bin/env bash
# Runs what the documents promise of a bare machine, as root, in chroots of Debian 12 that hold this tree and nothing else:
# whether the packages that are named, and those that the scripts install, are enough.
#   test/package/fresh.sh [--list] [--packages TARBALL] [--show FOLDER] [--environment NAME=VALUE] [--tree PATH] [part...]
# parts: readme  the shell blocks of README.md, then those of docs/getting_started.md, in order; those right after a line
#                `<!-- not run by script/test fresh: why -->` are left out, and said to be
#        test    script/test, the quick tests, and then script/test all, here host, host-debug and host-threads, each with
#                what it installs itself
#        ci      .ci/run amd amd-clang22: the parts for AMD GPUs, with what continuous integration installs
# default: all, each in a chroot of its own that debootstrap alone has made. An hour and a half on two cores.
# --list shows what would be run. --packages: what `debootstrap --make-tarball` has loaded; the chroots are the same.
# --show: the chroots see this folder, at the same path; --environment: the commands have this variable. Both as often as
# wanted, for what makes a repeat faster, such as a compiler cache: no bare machine has them, and the end says so. --tree:
# where the chroots have this tree (/root/tree), for caches that know objects by paths.
# After each command block it prints how long the block took, its CPU time, and how much the chroot grew.
# Needs root, debootstrap, git, and a mirror of Debian in apt's sources. Exit status 2 without them.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@" # sh fresh.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
suite=bookworm

# blocks FOLDER: writes each block as FOLDER/<number>.sh, or .left_out.
blocks() {
    awk -v folder="$1" '
        /^```sh$/ {
            file = sprintf("%s/%02d.%s", folder, ++number, before ~ /^<!-- not run by script\/test fresh/ ? "left_out" : "sh")
            printf "" >file
            inside = 1
            next
        }
        /^```/ { inside = 0 }
        inside { print >file }
        { before = $0 }' "$root/README.md" "$root/docs/getting_started.md"
}
refuse() {
    echo "fresh: $*" >&2
    exit 2
}

list=
packages=()
tree=/root/tree
shown=()
environment=()
parts=()
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=yes ;;
    --packages)
        [ -r "${2:-}" ] || refuse "--packages: '${2:-}' is no file that can be read"
        packages=("--unpack-tarball=$(realpath "$2")")
        shift
        ;;
    --show)
        [ -d "${2:-}" ] || refuse "--show: '${2:-}' is not a folder"
        shown+=("$(realpath "$2")")
        shift
        ;;
    --tree)
        [[ ${2:-} == /?* ]] || refuse "--tree: '${2:-}' is no absolute path"
        tree=$2
        shift
        ;;
    --environment)
        [[ ${2:-} =~ ^[A-Za-z_][A-Za-z_0-9]*= ]] || refuse "--environment: '${2:-}' is not of the form NAME=VALUE"
        environment+=("$2")
        shift
        ;;
    readme | test | ci) parts+=("$1") ;;
    *) refuse "no part '$1'; parts are readme test ci" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(readme test ci)

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/ck-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
mkdir "$scratch/readme.blocks" "$scratch/test.blocks" "$scratch/ci.blocks"
blocks "$scratch/readme.blocks"
echo "script/test" >"$scratch/test.blocks/01.sh"
echo "script/test all" >"$scratch/test.blocks/02.sh"
echo ".ci/run amd amd-clang22" >"$scratch/ci.blocks/01.sh"
compgen -G "$scratch/readme.blocks/*.sh" >/dev/null || refuse "README.md and docs/getting_started.md show no commands"
if [ -n "$list" ]; then
    for part in "${parts[@]}"; do tail -n +1 "$scratch/$part.blocks"/*; done
    exit
fi

[ "$(id -u)" -eq 0 ] || refuse "a chroot needs root, and this is user $(id -un); run it as root"
command -v debootstrap >/dev/null || refuse "no debootstrap here; apt-get install debootstrap"
command -v git >/dev/null || refuse "no git here, which tells what belongs to the tree; apt-get install git"
sites=$(apt-get indextargets --format '$(LABEL)|$(CREATED_BY)|$(SITE)' 2>/dev/null)
mirror=$(sed -n 's/^Debian|Packages|//p' <<<"$sites" | head -n 1)
security=$(sed -n 's/^Debian-Security|Packages|//p' <<<"$sites" | head -n 1)
[ -n "$mirror" ] || refuse "apt's sources have no mirror of Debian, or apt-get update never ran"
[ -n "$security" ] || refuse "apt's sources have no mirror of Debian's security suite, which clang-22 comes from"

echo "== Debian $suite from $mirror"
debootstrap --variant=minbase "${packages[@]}" "$suite" "$scratch/base" "$mirror" >"$scratch/debootstrap.log" 2>&1 || {
    cat "$scratch/debootstrap.log"
    refuse "debootstrap failed"
}
# The suites that an installed Debian 12 has; and what apt here must overlook of its mirror.
printf 'deb %s\n' "$mirror $suite main" "$mirror $suite-updates main" "$security $suite-security main" >"$scratch/base/etc/apt/sources.list"
printf '127.0.0.1 %s\n' localhost "$(uname -n)" >"$scratch/base/etc/hosts" # without, mpirun waits for a name server
apt-config dump | grep -E '^Acquire::Check-(Valid-Until|Date) ' >"$scratch/base/etc/apt/apt.conf.d/mirror" || true
mkdir -p "$scratch/base$tree"
git -C "$root" ls-files -z --cached --others --exclude-standard |
    tar -C "$root" --null --files-from=- --ignore-failed-read -cf - | tar -C "$scratch/base$tree" -xf -

# show_folders COMMAND...: runs it in a mount namespace in which the chroot has the folders of --show.
show_folders() {
    unshare --mount bash -eu -c '
        debian=$1 count=$2
        shift 2
        for folder in "${@:1:count}"; do
            mkdir -p "$debian$folder"
            mount --bind "$folder" "$debian$folder"
        done
        exec "${@:count + 1}"' show_folders "$scratch/debian" "${#shown[@]}" "${shown[@]}" "$@"
}

# megabytes: what the chroot holds, without the folders of --show.
megabytes() { du -smx "$scratch/debian" | cut -f 1; }

TIMEFORMAT='(took %0R s, %U + %S s of CPU time)' # the second one in the system
for part in "${parts[@]}"; do
    cp -a "$scratch/base" "$scratch/debian"
    held=$(megabytes)
    cp -r "$scratch/$part.blocks" "$scratch/debian/root/blocks"
    for block in "$scratch/$part.blocks"/*; do
        name=$(basename "$block")
        printf '\n== %s, shell block %s\n' "$part" "${name%%.*}"
        cat "$block"
        if [[ $name == *.left_out ]]; then
            echo "(left out)"
            continue
        fi
        # Processes and mounts that a block leaves behind end with it.
        time show_folders unshare --mount --pid --fork --kill-child --root="$scratch/debian" --wd="$tree" --mount-proc \
            env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
            ${CK_JOBS:+CK_JOBS="$CK_JOBS"} ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            "${environment[@]}" bash -eu -o pipefail "/root/blocks/$name" </dev/null || {
            echo "FAILED: $part, shell block ${name%%.*}, exit status $?"
            exit 1
        }
        echo "($(($(megabytes) - held)) MB more)"
        held=$(megabytes)
    done
    rm -rf --one-file-system "$scratch/debian"
done
printf '\n== every command of %s that was to be run ran\n' "${parts[*]}"
[ ${#shown[@]} -eq 0 ] && [ ${#environment[@]} -eq 0 ] || echo "with what no bare machine has: ${shown[*]} ${environment[*]}"
