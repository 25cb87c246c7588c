#!/usr/bin/env bash
# Measures a suite on many machines with Slurm. For each CPU type, the jobs build one program, measure the
# shards of the suite in an array job on exclusive nodes, and measure wisdom. A last job, which depends on
# them, merges the records. The script needs a folder that all nodes share.
#
#   Bench/Fleet/submit.sh [--types A,B] [--shards N] [--folder DIR] [--sbatch OPTION]...
#                         [-- OPTION of blurbench run...]
#   Bench/Fleet/submit.sh --resubmit DIR        submits only the shards whose records are incomplete; each
#                                               continues after its last record
#
# --types    the features of nodes (`sinfo -o "%f %D"`), one for each CPU type; `any` by default, which is
#            right if all nodes are alike
# --shards   the number of tasks in each array, 4 by default
# --folder   the folder for all files, Results/local/fleet by default: DIR/merged contains the records, one
#            CSV file for each machine key; DIR/TYPE contains the program, the shards' records, wisdom.json
#            and logs
# --sbatch   an option for every job, such as --sbatch=--partition=long; may be repeated
#
# The environment variable BLURBENCH names a built program that all nodes can run; nothing is built in that
# case. Paths of suites are relative to the repository. If the options of run include --virtual-node, no
# wisdom is measured.
set -euo pipefail
fleet=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$fleet/../.." && pwd)

# shellcheck source=conf.sh
. "$fleet/conf.sh"

fail() {
  printf 'submit.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

types=(any) shards=4 out="$root/Results/local/fleet" resubmit='' sbatch_options=() run_options=()
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; run_options=("$@"); break ;;
    --sbatch=*) sbatch_options+=("${1#--sbatch=}"); shift; continue ;;
    --types | --shards | --folder | --sbatch | --resubmit) [ $# -ge 2 ] || fail "$1 needs a value" 64 ;;
    *) fail "unknown option '$1'; the head of this script says what there is" 64 ;;
  esac
  case $1 in
    --types) IFS=, read -ra types <<<"$2" ;;
    --shards) shards=$2 ;;
    --folder) out=$2 ;;
    --sbatch) sbatch_options+=("$2") ;;
    --resubmit) out=$2 resubmit=yes ;;
  esac
  shift 2
done
[[ $shards =~ ^[1-9][0-9]{0,3}$ ]] || fail "--shards '$shards': must be a number from 1 to 9999" 64
for type in "${types[@]}"; do
  [[ $type =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]*$ && $type != merged ]] ||
    fail "--types '$type': must be the name of a feature" 64
done
command -v sbatch >/dev/null || fail "sbatch is not found: run this where jobs of Slurm are submitted"

if [ -n "$resubmit" ]; then
  [ -f "$out/fleet.conf" ] || fail "$out/fleet.conf: no such file; nothing was submitted there"
  conf_read "$out/fleet.conf" || fail "$out/fleet.conf: was not written by this script"
  out=$(cd "$out" && pwd)
else
  [ ! -e "$out/fleet.conf" ] ||
    fail "$out was submitted already; --resubmit goes on with it, or name another --folder"
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  program=${BLURBENCH:-}
  [ -z "$program" ] || program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
  # The new files are ignored by git. Otherwise, shards that begin later would report a checkout with changes.
  echo '*' >"$out/.gitignore"
  conf_write "$out/fleet.conf" || fail "an option has a line break: it cannot be stored"
fi

# All jobs of this folder have this name.
name=blurbench-$(cksum <<<"$out" | cut -d ' ' -f 1)
[ -z "$(squeue --noheader --me --name="$name" --states=PENDING,RUNNING)" ] ||
  fail "jobs of $out still run (squeue --me --name=$name): wait for them, or scancel them"

# submit OPTION... VERB TYPE: submits a job, and prints its number. Slurm does not run a failed job again,
# because --resubmit does that.
submit() {
  sbatch --parsable --no-requeue --kill-on-invalid-dep=yes --job-name="$name" --chdir="$root" \
    ${sbatch_options[@]+"${sbatch_options[@]}"} "${@:1:$#-2}" "$fleet/job" "${@: -2}" "$out" | cut -d ';' -f 1
}

# missing TYPE PROGRAM: prints the shards of a CPU type whose records are incomplete, in the form that the
# option --array takes.
missing() {
  local program=$2 code=0
  if ! compgen -G "$out/$1/records/*.csv" >/dev/null || [ ! -x "$program" ]; then
    echo "1-$shards"
    return
  fi
  "$program" merge --missing-shards "$out/$1/records" || code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 4 ] || fail "the records in $out/$1/records cannot be judged"
}

submitted=()
for type in "${types[@]}"; do
  mkdir -p "$out/$type/records" "$out/$type/log"
  own=$program nodes=(--exclusive) after=()
  [ "$type" = any ] || nodes+=(--constraint="$type")
  if [ -z "$own" ]; then own="$out/$type/build/release/blurbench"; fi
  tasks=$(missing "$type" "$own")
  [ -n "$tasks" ] || { echo "$type: complete"; continue; }
  if [ ! -x "$own" ]; then
    build=$(submit "${nodes[@]}" --output="$out/$type/log/build.txt" build "$type")
    after=(--dependency="afterok:$build")
  fi
  array=$(submit "${nodes[@]}" ${after[@]+"${after[@]}"} --array="$tasks" \
    --output="$out/$type/log/shard-%a.txt" --open-mode=append shard "$type")
  submitted+=("$array")
  echo "$type: shards $tasks of $shards, job $array"
  if [ ! -e "$out/$type/wisdom.json" ] && [[ " ${run_options[*]-} " != *" --virtual-node "* ]]; then
    submitted+=("$(submit "${nodes[@]}" --dependency="afterany:$array" \
      --output="$out/$type/log/tune.txt" tune "$type")")
  fi
done
[ ${#submitted[@]} -gt 0 ] || { echo "nothing is missing; the records are in $out/merged"; exit 0; }
merge=$(submit --dependency="afterany:$(IFS=:; echo "${submitted[*]}")" --output="$out/merge.txt" merge all)
echo "merge: job $merge; then $out/merged has the records, and $out/merge.txt says what is missing"
