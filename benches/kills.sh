#!/usr/bin/env bash
# Ends a long search with `kill -9` at random moments, resumes it each time, and compares what it counts in the end with what
# an uninterrupted search counts. A search that ends before all kills is compared, and another one is begun. Exit code 0 if
# all agree; 1 if not, or if fewer than half of the kills left a checkpoint to go on from, so that hardly anything was shown.
#
#   benches/kills.sh                                     10 kills of a ring of 12 nodes, some 100 million states
#   NODES=9 KILLS=5 EVERY=0.05 benches/kills.sh          a small one, in seconds
#
# FABIUS is the binary, JOBS the number of threads, STORE the store, EVERY the seconds between checkpoints, LIMIT the most
# seconds for any one search, SEED that of the moments. Needs some gigabytes in the folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."

fabius=${FABIUS:-target/release/fabius}
nodes=${NODES:-12} kills=${KILLS:-10} every=${EVERY:-0.5} limit=${LIMIT:-3600}
jobs=${JOBS:-$(nproc)} store=${STORE:-exact}
RANDOM=${SEED:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check=("$fabius" check benches/peers/p/Lcr.p --test "tcLcr___nodes_$nodes" --search dfs --store "$store"
  --jobs "$jobs" --timeout "$limit" --json -)

# What a result says of its test, by name.
field() { sed -n "s/^      \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1"; }
# What must not depend on kills.
essence() { echo "$(field "$1" verdict) $(field "$1" states) $(field "$1" transitions)"; }

"${check[@]}" > "$folder/plain.json"
seconds=$(field "$folder/plain.json" seconds)
echo "uninterrupted: $(essence "$folder/plain.json") in $seconds s, at most $(field "$folder/plain.json" peak_bytes) bytes"

# Compares what a search has counted with that.
compare() {
  echo "$1: $(essence "$2") in $(field "$2" seconds) s"
  if [[ $(essence "$folder/plain.json") != "$(essence "$2")" ]]; then
    echo "NOT equal"
    exit 1
  fi
}

mkdir "$folder/points"
left=0
for ((kill = 1; kill <= kills; kill++)); do
  "${check[@]}" --resume "$folder/points" --checkpoint-every "$every" > "$folder/killed.json" &
  process=$!
  # Each goes on for a third of the time that an uninterrupted one takes, on average, and has to read a checkpoint first.
  moment=$(awk "BEGIN { printf \"%.2f\", 0.67 * $seconds * $RANDOM / 32768 }")
  sleep "$moment"
  if ! kill -9 "$process" 2> "$folder/nobody"; then
    wait "$process"
    compare "ended before kill $kill" "$folder/killed.json"
    rm -r "$folder/points"
    mkdir "$folder/points"
    kill=$((kill - 1))
    continue
  fi
  wait "$process" 2> "$folder/nobody" || true
  newest=$(ls -t "$folder/points" | grep 'checkpoint$' | head -n 1 || true)
  left=$((left + (${#newest} > 0)))
  echo "kill $kill: after $moment s; newest checkpoint: ${newest:-none}"
done

"${check[@]}" --resume "$folder/points" --checkpoint-every "$every" > "$folder/resumed.json"
compare "resumed" "$folder/resumed.json"
sed -n '/"checkpoints": {/,/^ *}/p' "$folder/resumed.json"
echo "equal; $left of $kills kills left a checkpoint"
((2 * left >= kills))
