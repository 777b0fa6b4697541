# bash completion for lockbench: commands, flags, primitives, workloads, presets, runs.

# The commands in the help.
_lockbench_commands() {
  lockbench --help 2>/dev/null | awk '/^First steps/ { exit } /^  [a-z]/ { print $1 }'
}

# The flags in a command's help.
_lockbench_flags() {
  lockbench "$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

# The entries of `lockbench list` that have a name of their own.
_lockbench_names() {
  lockbench list "$1" 2>/dev/null | awk 'NR > 1 && $1 !~ /^:/ { print $1 }'
}

# Folders that hold a run.
_lockbench_runs() {
  local file
  for file in results/runs/*/meta.json */meta.json; do
    [[ -e "$file" ]] && printf '%s\n' "${file%/meta.json}"
  done
}

# Runs that were saved under a name.
_lockbench_baselines() {
  local link
  for link in results/baselines/*; do
    [[ -e "$link" ]] && printf '%s\n' "${link##*/}"
  done
}

# The formats that a command can print.
_lockbench_formats() {
  case "$1" in
    compare) echo "text json csv markdown benchmark-json action bmf hlog" ;;
    report) echo "html markdown" ;;
    plot) echo "png svg" ;;
    schema) echo "json markdown" ;;
    doctor | list | stress) echo "text json" ;;
    gate | ab) echo "text markdown json" ;;
    *) echo "text json csv markdown" ;;
  esac
}

_lockbench() {
  # `striped:lock=std` is one word for us, and several for the shell.
  local typed=() line="${COMP_LINE:0:COMP_POINT}"
  read -ra typed <<<"$line"
  [[ $line == *[[:space:]] ]] && typed+=("")
  local last=$((${#typed[@]} - 1)) command=""
  local current="${typed[last]}" previous="${typed[last - 1]}"
  ((last > 1)) && command="${typed[1]}"
  local words=""
  case "$previous" in
    --primitive) words="$(_lockbench_names primitives)" ;;
    --workload) words="$(_lockbench_names workloads)" ;;
    --resume | --run) words="$(_lockbench_runs)" ;;
    --against | --baseline-run | --save-baseline) words="$(_lockbench_baselines)" ;;
    --machine) words="here $(_lockbench_names machines)" ;;
    --show) words="$(_lockbench_names presets)" ;;
    --pool) words="machine" ;;
    --nodes) words="slurm parallel" ;;
    --format) words="$(_lockbench_formats "$command")" ;;
    --progress) words="auto bar line off" ;;
    --mode) words="timed fixed open" ;;
    --key-type) words="u64 string" ;;
    --key-distribution | --distribution) words="uniform zipf:0.99 hot:0.1,0.9 own" ;;
    --pinning) words="none compact scatter one-core" ;;
    --arrivals) words="poisson fixed" ;;
    --watch) words="none conflicts" ;;
    --load) words="10% 50% 90% saturated" ;;
    --engine) words="sim real proc services" ;;
    --faults)
      words="stop_holder kill_holder pause_server restart_server empty_server end_session delay partition cut half_open failover"
      ;;
    --flamegraph)
      mapfile -t COMPREPLY < <(compgen -f -X '!*.svg' -- "$current")
      return
      ;;
    --plugin)
      mapfile -t COMPREPLY < <(compgen -f -X '!*.so' -- "$current")
      return
      ;;
    *)
      case "$command:$current" in
        :*) words="$(_lockbench_commands) --help --version" ;;
        *:-*) words="$(_lockbench_flags "$command")" ;;
        run:* | predict:*) words="$(_lockbench_names presets)" ;;
        stress:*) words="$(lockbench stress --list 2>/dev/null | awk '{ print $1 }')" ;;
        submit:*) words="slurm parallel progress $(_lockbench_names presets)" ;;
        preset:*) words="init" ;;
        list:*) words="primitives workloads presets targets machines" ;;
        model:*) words="$(lockbench model --help 2>/dev/null |
          awk '/^Models/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }')" ;;
        ab:* | merge:*) ;;
        *) words="$(_lockbench_runs)" ;;
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # The shell replaces only what follows the last of these, as it splits words.
  local whole="${current%"${current##*[:=]}"}"
  [[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"$whole"}")
}
complete -o default -F _lockbench lockbench
