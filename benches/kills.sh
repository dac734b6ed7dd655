#!/usr/bin/env bash
# Ends a long search with `kill -9` at random moments, resumes it each time, and compares what it counts in the end with what
# an uninterrupted search counts. Exit code 0 if they agree, 1 if not, or if the search ended before all kills: then another
# SEED, or fewer KILLS, may do.
#
#   benches/kills.sh                                     10 kills of a ring of 12 nodes, some 100 million states
#   NODES=9 KILLS=5 EVERY=0.2 benches/kills.sh           a small one, in seconds
#
# FABIUS is the binary, JOBS the number of threads, STORE the store, EVERY the seconds between checkpoints, LIMIT the most
# seconds for any one search, SEED that of the moments. Needs some gigabytes in the folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."

fabius=${FABIUS:-target/release/fabius}
nodes=${NODES:-12} kills=${KILLS:-10} every=${EVERY:-10} limit=${LIMIT:-3600}
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

mkdir "$folder/points"
for ((kill = 1; kill <= kills; kill++)); do
  "${check[@]}" --resume "$folder/points" --checkpoint-every "$every" > "$folder/killed.json" &
  process=$!
  # On average the kills together leave it three quarters of the time that it takes, and each of them costs it some work.
  moment=$(awk "BEGIN { printf \"%.2f\", 1.5 * $seconds / $kills * $RANDOM / 32768 }")
  sleep "$moment"
  if ! kill -9 "$process" 2> "$folder/nobody"; then
    wait "$process"
    echo "the search ended after $((kill - 1)) of $kills kills: $(essence "$folder/killed.json")"
    exit 1
  fi
  wait "$process" 2> "$folder/nobody" || true
  newest=$(ls -t "$folder/points" | grep 'checkpoint$' | head -n 1 || true)
  echo "kill $kill: after $moment s; newest checkpoint: ${newest:-none}"
done

"${check[@]}" --resume "$folder/points" --checkpoint-every "$every" > "$folder/resumed.json"
echo "resumed:       $(essence "$folder/resumed.json") in $(field "$folder/resumed.json" seconds) s"
sed -n '/"checkpoints": {/,/^ *}/p' "$folder/resumed.json"
if [[ $(essence "$folder/plain.json") == "$(essence "$folder/resumed.json")" ]]; then
  echo "equal"
else
  echo "NOT equal"
  exit 1
fi
