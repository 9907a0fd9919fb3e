#!/bin/sh
# Replays a corpus, then fuzzes from a copy of it: 400 calls from the seed 1, so that the same code meets the same calls
# on any machine; or for some seconds, from the seed CK_FUZZ_SEED, by default a random one that the log names.
#   run.sh program corpus [seconds]
# A finding is in the log: the input as base64 and, last, the call that it stands for.
set -u
program=$1 corpus=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$corpus" "$scratch/corpus"
if [ $# -gt 2 ]; then
    until="-max_total_time=$3" seed=${CK_FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
else
    until=-runs=400 seed=${CK_FUZZ_SEED:-1}
fi
echo "seed $seed"
"$program" -runs=0 -timeout=30 -verbosity=0 -artifact_prefix="$scratch/found-" "$scratch/corpus" &&
    "$program" "$until" -seed="$seed" -timeout=30 -max_len=64 -len_control=0 -rss_limit_mb=4096 \
        -verbosity=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="$scratch/found-" "$scratch/corpus"
status=$?
for input in "$scratch"/found-*; do
    [ -e "$input" ] && CK_FUZZ_SHOW=1 "$program" -timeout=30 "$input" 2>&1 | grep -A 7 -E '^(asked|run|FOUND)' | tail -n 8
done
exit $status
