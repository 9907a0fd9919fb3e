#!/usr/bin/env bash
# Runs the shell blocks of README.md in order, as root, in a bare chroot of Debian 12 that holds this tree and nothing
# else: whether the packages that it names are enough for every command that it shows. Those right after a line
# `<!-- not run by script/test fresh: why -->` are left out, and said to be. About half an hour on two cores.
#   test/package/fresh.sh [--list]      --list: shows what would be run
# Needs root, debootstrap, git, and a mirror of Debian in apt's sources. Exit status 2 without them.
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
        { before = $0 }' "$root/README.md"
}
refuse() {
    echo "fresh: $*" >&2
    exit 2
}

scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/ck-fresh.XXXXXX")
trap 'rm -rf --one-file-system "$scratch"' EXIT
mkdir "$scratch/blocks"
blocks "$scratch/blocks"
compgen -G "$scratch/blocks/*.sh" >/dev/null || refuse "README.md shows no commands"
if [ "${1:-}" = --list ]; then
    tail -n +1 "$scratch"/blocks/*
    exit
fi

[ "$(id -u)" -eq 0 ] || refuse "a chroot needs root, and this is user $(id -un); run it as root"
command -v debootstrap >/dev/null || refuse "no debootstrap here; apt-get install debootstrap"
command -v git >/dev/null || refuse "no git here, which tells what belongs to the tree; apt-get install git"
mirror=$(apt-get indextargets --format '$(LABEL)|$(CREATED_BY)|$(SITE)' 2>/dev/null | sed -n 's/^Debian|Packages|//p' | head -n 1)
[ -n "$mirror" ] || refuse "apt's sources have no mirror of Debian, or apt-get update never ran"

echo "== Debian $suite from $mirror"
debootstrap --variant=minbase "$suite" "$scratch/debian" "$mirror" >"$scratch/debootstrap.log" 2>&1 || {
    cat "$scratch/debootstrap.log"
    refuse "debootstrap failed"
}
mkdir "$scratch/debian/root/tree"
git -C "$root" ls-files -z --cached --others --exclude-standard |
    tar -C "$root" --null --files-from=- --ignore-failed-read -cf - | tar -C "$scratch/debian/root/tree" -xf -
cp -r "$scratch/blocks" "$scratch/debian/root/"

for block in "$scratch"/blocks/*; do
    name=$(basename "$block")
    printf '\n== README, shell block %s\n' "${name%%.*}"
    cat "$block"
    if [[ $name == *.left_out ]]; then
        echo "(left out)"
        continue
    fi
    # Processes and mounts that a block leaves behind end with it.
    unshare --mount --pid --fork --kill-child --root="$scratch/debian" --wd=/root/tree --mount-proc \
        env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        bash -eu -o pipefail "/root/blocks/$name" </dev/null || {
        echo "FAILED: README, shell block ${name%%.*}, exit status $?"
        exit 1
    }
done
printf '\n== every command of the README that was to be run ran\n'
