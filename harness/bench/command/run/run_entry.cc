// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/run_entry.h"

#include "harness/bench/command/run/baseline_link.h"
#include "harness/bench/command/run/plan_flags.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "Name a preset, or describe cells with flags, or both: a flag replaces a value of the preset.\n"
    "Without a preset, the defaults are: the primitives that fit the workload counter and the\n"
    "standard library's locks for the same job (std::mutex is the baseline), 1 to 8 threads,\n"
    "64 keys, 200 ns of hold, and blocks until the comparisons are decided. A run takes time, so\n"
    "a command without a preset and without flags is an error.\n"
    "\n"
    "The workloads file_counter and service_counter use processes instead of threads. With\n"
    "--processes, counter and accounts also use processes, for locks between processes or of a\n"
    "service.\n"
    "\n"
    "Examples\n"
    "  lockbench run quick\n"
    "  lockbench run threads --primitive keyed --primitive keyed_table64 --threads 1,2,4..16\n"
    "  lockbench run --primitive striped:stripes=64 --workload accounts --key-type string \\\n"
    "                --keys 10000 --key-distribution zipf:0.99 --hold 2us\n"
    "  lockbench run --primitive lease:leases=4 --workload checkout --mode fixed \\\n"
    "                --operations 1000 --threads 16\n"
    "  lockbench run my-plan.toml --dry-run -v\n"
    "  lockbench run threads --blocks 8 --shard 3/8 --out shards/3\n"
    "  lockbench run --resume results/runs/20250131-120000-quick-1a2b\n"
    "\n"
    "A shard (--shard) is one of n parts of a plan, each for a machine of its own. It measures\n"
    "all blocks of the preset or of --blocks, because no shard knows the decisions of the others.\n"
    "If a shard was interrupted, the same command continues it.\n"
    "\n"
    "A run ends with a comparison of the primitives with a baseline. --format json, csv or\n"
    "markdown prints only this comparison on standard output.\n"
    "\n"
    "Ctrl-C keeps every finished trial and prints the command that resumes the run. If nothing is\n"
    "left to measure, that command prints the end of the run again.\n"
    "Exit codes: 0 every trial has its row, 1 rows could not be written, 2 bad input, 4 no row is\n"
    "valid, 129, 130 or 143 interrupted.\n";

// "2%" or "0.02".
absl::StatusOr<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const absl::StatusOr<double> number = parse_fraction(text, 0, percent ? 100 : 1);
  if (!number.ok() || *number == 0) {
    return absl::InvalidArgumentError("wants a share above 0, as 2% or 0.02");
  }
  return percent ? *number / 100 : *number;
}

void add_precision(CLI::App& run, RunOptions& options) {
  add_parsed(run,
             {.names = "--precision",
              .type = "SHARE",
              .help = "Adds blocks until each median is known to this share, as 2%"},
             parse_share, options.precision);
  add_parsed(run,
             {.names = "--budget",
              .type = "TIME",
              .help = "Time limit of the run [twice the time of the fixed plan, "
                      "at least 1min; with --precision 5min]"},
             parse_duration, options.budget);
  add_parsed(run,
             {.names = "--same-within",
              .type = "SHARE",
              .help = "The largest difference at which two primitives count as the same [5%]"},
             parse_share, options.same_within);
}

// The plan of a resumed run exists already, so the user can only choose how it is shown.
std::string validate_resume(const CLI::App& run) {
  std::vector<std::string> flags = plan_flags();
  flags.insert(flags.end(),
               {"--precision", "--budget", "--same-within", "--out", "--dry-run", "--shard",
                "--verbose", "--perf", "--up-to-processors", "--processes"});
  for (const std::string& flag : flags) {
    if (!was_given(run, flag)) continue;
    return "--resume: goes on with the plan of that run; leave out " +
           (flag == "preset" ? "the preset" : flag) + ", or start a new run without --resume";
  }
  return {};
}

}  // namespace

RunEntry::RunEntry()
    : CommandWithOptions({.name = "run",
                          .group = CommandGroup::kMeasure,
                          .summary = "Measures a preset, or the cells that flags name",
                          .footer = kFooter}) {}

void RunEntry::add_flags(CLI::App& run) {
  RunOptions& options = options_;
  add_preset_flags(run, options.preset, options.overrides);
  add_precision(run, options);
  add_folder(run, "--out", "The run's folder [results/runs/<time>-<preset>-<id>]", options.out);
  add_parsed(run,
             {.names = "--shard",
              .type = "I/N",
              .help = "Measures part I of N equal parts of the plan into --out, or continues "
                      "there; the blocks are those of the preset or of --blocks"},
             parse_shard, options.shard);
  add_folder(run, "--resume", "Continues the run in this folder, with its own plan",
             options.resume);
  add_value(run,
            {.names = "--save-baseline",
             .type = "NAME",
             .help = "Saves the finished run as a baseline, for gate and compare --baseline-run"},
            [&options](const std::string& name) {
              options.save_baseline = name;
              return check_baseline_name(name);
            });
  add_service(run, options.services);
  add_switch(run, "--processes",
             "Uses processes instead of threads, for locks between processes or of a service; "
             "equivalent to --workload counter:processes, or accounts:processes",
             options.processes);
  add_switch(run, "--perf",
             "Counts cycles, instructions, cache and branch misses, context switches, migrations, "
             "page faults and energy per operation, as far as the machine allows",
             options.count_events);
  add_switch(run, "--up-to-processors",
             "Omits the cells with more threads than this machine has processors, for lockbench "
             "predict",
             options.up_to_processors);
  add_patience(run, options.patience);
  add_switch(run, "--dry-run",
             "Prints how many trials the plan has and how long it takes; measures nothing",
             options.dry_run);
  add_switch(run, "-v,--verbose",
             "With --dry-run: also prints the trials of the plan, one per line", options.verbose);
  add_progress(run, options.progress);
  add_format(run, "Format of the summary: text, json, csv or markdown [text]", options.format);
  add_sweep_flags(run, options.overrides);
  add_plugins(run, plugins_);
}

std::string RunEntry::complete(const CLI::App& run, const Invocation& invocation) {
  options_.program = invocation.program;
  options_.words = invocation.words;
  const RunOptions& options = options_;
  if (options.resume) return validate_resume(run);
  if (options.shard) {
    const std::string idle = first_given(run, {"--precision", "--budget", "--same-within"});
    if (!idle.empty()) {
      return idle +
             ": has no meaning with --shard, which measures a fixed number of blocks; leave "
             "it out, or set --blocks";
    }
    if (options.up_to_processors) {
      return "--up-to-processors: cannot be combined with --shard, because machines differ; leave "
             "it out, or give --threads";
    }
    if (options.save_baseline) {
      return "--save-baseline: names a whole run, and a shard is a part of one; leave it out, or "
             "measure the plan without --shard";
    }
    if (!options.out && !options.dry_run) {
      return "--shard: wants --out and a folder for this shard alone, as --out shards/" +
             std::to_string(options.shard->index);
    }
  }
  if (was_given(run, "--blocks") && !options.precision) {
    const std::string idle = first_given(run, {"--budget", "--same-within"});
    if (!idle.empty()) {
      return idle +
             ": has no meaning with --blocks, which fixes the number of blocks; leave out one";
    }
  }
  if (options.verbose && !options.dry_run) {
    return "--verbose: lists the trials of --dry-run; add --dry-run, or leave it out";
  }
  if (options.preset || options.overrides.sweep != Sweep{}) return {};
  return "nothing to measure; name a preset, as `lockbench run quick`, or cells, as "
         "`lockbench run --primitive keyed`";
}

int RunEntry::run(const Invocation&) {
  const std::optional<int> wrong = add_plugins_of_command("run", plugins_, true);
  return wrong ? *wrong : run_command(options_);
}

}  // namespace lockbench
