# Writes and reads fleet.conf, the file in a folder of records that describes what was submitted. Its lines
# are `key=value`. The file is read as data and never run by a shell.

# conf_write FILE: writes the variables types, shards, program, sbatch_options and run_options to a file.
# Fails if a value contains a line break.
conf_write() {
  local value
  for value in "${types[@]}" "$shards" "$program" ${sbatch_options[@]+"${sbatch_options[@]}"} \
    ${run_options[@]+"${run_options[@]}"}; do
    case $value in *$'\n'*) return 1 ;; esac
  done
  {
    printf 'type=%s\n' "${types[@]}"
    printf 'shards=%s\nprogram=%s\n' "$shards" "$program"
    [ ${#sbatch_options[@]} -eq 0 ] || printf 'sbatch=%s\n' "${sbatch_options[@]}"
    [ ${#run_options[@]} -eq 0 ] || printf 'run=%s\n' "${run_options[@]}"
  } >"$1"
}

# conf_read FILE: sets these variables from a file. Fails if a line is not one that conf_write writes.
conf_read() {
  local line
  types=() shards='' program='' sbatch_options=() run_options=()
  while IFS= read -r line; do
    case $line in
      type=*) types+=("${line#*=}") ;;
      shards=*) shards=${line#*=} ;;
      program=*) program=${line#*=} ;;
      sbatch=*) sbatch_options+=("${line#*=}") ;;
      run=*) run_options+=("${line#*=}") ;;
      *) return 1 ;;
    esac
    [[ $line != type=* || ${types[-1]} =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]*$ ]] || return 1
  done <"$1"
  [[ $shards =~ ^[1-9][0-9]{0,3}$ && ${#types[@]} -gt 0 ]]
}
