#!/usr/bin/env bash
# Measures a suite on many machines with Slurm. For each CPU type, the jobs build one program, measure the
# shards of the suite in an array job on exclusive nodes, measure wisdom, and merge the records of the shards.
# The script needs a folder that all nodes share.
#
#   Bench/Fleet/submit.sh [--types A,B] [--shards N] [--folder DIR] [--sbatch OPTION]...
#                         [-- OPTION of blurbench run...]
#
# --types    the features of nodes (`sinfo -o "%f %D"`), one for each CPU type; `any` by default, which is
#            right if all nodes are alike
# --shards   the number of tasks in each array, 4 by default
# --folder   the folder for all files, Results/local/fleet by default: DIR/TYPE contains the merged records
#            (all.csv), wisdom.json, the program, the shards' records, and logs
# --sbatch   an option for every job, such as --sbatch=--partition=long; may be repeated
#
# If a job fails, run the same command again: each shard continues after its last record, and complete shards
# end at once.
#
# The environment variable BLURBENCH names a built program that all nodes can run; nothing is built in that
# case. Paths of suites are relative to the repository. If the options of run include --virtual-node, no
# wisdom is measured.
set -euo pipefail
fleet=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$fleet/../.." && pwd)

fail() {
  printf 'submit.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

types=(any) shards=4 out="$root/Results/local/fleet" sbatch_options=() run_options=()
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; run_options=("$@"); break ;;
    --sbatch=*) sbatch_options+=("${1#--sbatch=}"); shift; continue ;;
    --types | --shards | --folder | --sbatch) [ $# -ge 2 ] || fail "$1 needs a value" 64 ;;
    *) fail "unknown option '$1'; the head of this script says what there is" 64 ;;
  esac
  case $1 in
    --types) IFS=, read -ra types <<<"$2" ;;
    --shards) shards=$2 ;;
    --folder) out=$2 ;;
    --sbatch) sbatch_options+=("$2") ;;
  esac
  shift 2
done
[[ $shards =~ ^[1-9][0-9]{0,3}$ ]] || fail "--shards '$shards': must be a number from 1 to 9999" 64
for type in "${types[@]}"; do
  [[ $type =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]*$ ]] || fail "--types '$type': must be the name of a feature" 64
done
command -v sbatch >/dev/null || fail "sbatch is not found: run this where jobs of Slurm are submitted"

mkdir -p "$out"
out=$(cd "$out" && pwd)
# The records of another number of shards could not be continued or merged.
for type in "${types[@]}"; do
  other=$(cat "$out/$type"/records/*.txt 2>/dev/null | sed -n 's|^shard: [0-9]*/||p' |
    grep -vxm 1 "$shards" || true)
  [ -z "$other" ] ||
    fail "$out/$type has records of $other shards: use --shards $other or another --folder" 64
done
# The new files are ignored by git. Otherwise, shards that begin later would report a checkout with changes.
echo '*' >"$out/.gitignore"
built=${BLURBENCH:-}
[ -z "$built" ] || built=$(cd "$(dirname "$built")" && pwd)/$(basename "$built")

# All jobs of this folder have this name.
name=blurbench-$(cksum <<<"$out" | cut -d ' ' -f 1)
[ -z "$(squeue --noheader --me --name="$name" --states=PENDING,RUNNING)" ] ||
  fail "jobs of $out still run (squeue --me --name=$name): wait for them, or scancel them"

# submit OPTION... -- ARGUMENT...: submits a job that runs the script `job` with these arguments, and prints
# the job's number. Slurm does not run a failed job again.
submit() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  sbatch --parsable --no-requeue --kill-on-invalid-dep=yes --job-name="$name" --chdir="$root" \
    ${sbatch_options[@]+"${sbatch_options[@]}"} "${options[@]}" "$fleet/job" "${@:2}" | cut -d ';' -f 1
}

for type in "${types[@]}"; do
  dir=$out/$type
  mkdir -p "$dir/records" "$dir/log"
  program=${built:-$dir/build/release/blurbench} nodes=(--exclusive) after=()
  [ "$type" = any ] || nodes+=(--constraint="$type")
  if [ ! -x "$program" ]; then
    build=$(submit "${nodes[@]}" --output="$dir/log/build.txt" -- build "$dir")
    after=(--dependency="afterok:$build")
  fi
  array=$(submit "${nodes[@]}" ${after[@]+"${after[@]}"} --array="1-$shards" \
    --output="$dir/log/shard-%a.txt" --open-mode=append \
    -- shard "$dir" "$program" "$shards" ${run_options[@]+"${run_options[@]}"})
  if [ ! -e "$dir/wisdom.json" ] && [[ " ${run_options[*]-} " != *" --virtual-node "* ]]; then
    submit "${nodes[@]}" --dependency="afterany:$array" --output="$dir/log/tune.txt" \
      -- tune "$dir" "$program" >/dev/null
  fi
  merge=$(submit --dependency="afterany:$array" --output="$dir/merge.txt" -- merge "$dir" "$program")
  echo "$type: jobs $array and $merge; then the records are in $dir/all.csv, or $dir/merge.txt says why not"
done
