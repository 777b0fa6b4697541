// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <unistd.h>

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/command/run/baseline_link.h"
#include "harness/plan/spelling.h"
#include "harness/plan/sweep_fields.h"

namespace lockbench {
namespace {

std::string flag_of(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

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

void add_service(CLI::App& command, std::vector<std::string>& services) {
  add_texts(command,
            {.names = "--service",
             .type = "NAME=HOST:PORT",
             .help = "The server for the locks of this service, as redis=localhost:6379; separate "
                     "several servers by commas [a private server, for this run]"},
            services);
}

void add_patience(CLI::App& command, Nanoseconds& patience) {
  add_parsed(command,
             {.names = "--patience",
              .type = "TIME",
              .help = "How long to wait for a quiet machine; 0: do not wait [60s]",
              .environment = "LOCKBENCH_PATIENCE"},
             parse_duration, patience);
}

constexpr char kHowOften[] = "How often the threads lock (one of these; if none, several loads)";

absl::StatusOr<Nanoseconds> parse_every(std::string_view text) {
  const absl::StatusOr<Nanoseconds> time = parse_duration(text);
  if (!time.ok() || *time != Nanoseconds{0}) return time;
  return absl::InvalidArgumentError("0: threads that lock again at once are --load saturated");
}

// How often the threads lock.
void add_pace(CLI::App& advise, AdviceCase& wanted) {
  add_parsed(
      advise,
      {.names = "--rate",
       .type = "N",
       .help = "Operations per second of all threads together, as 64000",
       .group = kHowOften},
      [](std::string_view text) { return parse_count(text, kRateRange); }, wanted.rate_per_s);
  add_parsed(advise,
             {.names = "--every",
              .type = "TIME",
              .help = "Time from one operation of a thread to its next, as 500us",
              .group = kHowOften},
             parse_every, wanted.every);
  add_values(advise,
             {.names = "--load",
              .type = "LOAD...",
              .help = "Share of the time in which the busiest key would be held if waiting and "
                      "locking took no time, as 10%,50%,saturated",
              .group = kHowOften},
             [&wanted](const std::string& text) {
               for (const std::string_view part : split(text, ',')) {
                 const auto load = parse_load(part);
                 if (!load.ok()) return load.status();
                 wanted.loads.push_back(*load);
               }
               return absl::OkStatus();
             });
  add_parsed(advise,
             {.names = "--think",
              .type = "WORK",
              .help = "Work of a thread between two operations, as exp:1us; 0: none",
              .group = kHowOften},
             parse_work, wanted.think);
}

void add_case(CLI::App& advise, AdviceCase& wanted) {
  Cell& cell = wanted.cell;
  add_count(advise, "--threads", kThreadRange, "Number of threads", cell.threads);
  add_count(advise, "--keys", kKeyRange, "Number of keys", cell.keys);
  add_parsed(
      advise,
      {.names = "--distribution,--key-distribution",
       .type = "WORD",
       .help = "How the threads choose keys: uniform, zipf:0.99, hot:0.1,0.9 or own [uniform]"},
      parse_key_distribution, cell.key_distribution);
  add_parsed(advise, {.names = "--key-type", .type = "TYPE", .help = "u64 or string [u64]"},
             parse_key_type, cell.key_type);
  add_parsed(
      advise,
      {.names = "--hold",
       .type = "WORK",
       .help =
           "Work in the critical section: 0, 200ns, sleep:1ms or touch:8 (cache lines) [200ns]"},
      parse_work, cell.hold);
  add_pace(advise, wanted);
  add_parsed(
      advise,
      {.names = "--memory", .type = "SIZE", .help = "Maximum memory of the locks, as 64KiB or 1MB"},
      parse_bytes, wanted.memory_bytes);
  add_switch(advise, "--fair", "Excludes primitives that starve threads, as measured", wanted.fair);
}

// What is wrong with the flags that say how often the threads lock.
std::string validate_pace(const CLI::App& advise, const AdviseOptions& options) {
  std::string first;
  for (const char* const way : {"--rate", "--every", "--load", "--think"}) {
    if (!was_given(advise, way)) continue;
    if (!first.empty()) {
      return first + " and " + way + ": both say how often the threads lock; leave out one";
    }
    first = way;
  }
  if (options.wanted.when && options.wanted.loads.size() > 1) {
    return "--load: --when compares at one load; name one, as --load 50%";
  }
  return {};
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

// Every field of a sweep is a flag, and also a key in a preset file.
void add_sweep_flags(CLI::App& command, Overrides& overrides) {
  for (const SweepField& field : sweep_fields()) {
    const Flag flag{
        .names = flag_of(field.name),
        .type = field.axis ? "VALUE..." : "VALUE",
        .help = std::string(field.wants),
        .group = "Cells (each replaces a value of the preset; VALUE... may be repeated)"};
    const Take take = [&overrides, field](const std::string& text) {
      return field.add(overrides.sweep, text);
    };
    if (field.axis) {
      add_values(command, flag, take);
    } else {
      add_value(command, flag, take);
    }
  }
}

void add_preset_flags(CLI::App& command, std::optional<std::string>& preset, Overrides& overrides) {
  add_text(command,
           {.names = "preset",
            .type = "",
            .help = "Name of a preset (lockbench list presets) or a file ending in .toml"},
           preset);
  add_count(command, "--blocks", kBlockRange,
            "Measures each cell this often, without early decisions", overrides.blocks);
  add_count(command, "--seed", kSeedRange,
            "Random seed of keys and trial order; the same seed gives the same plan",
            overrides.seed);
}

void add_preset(CLI::App& app, PresetOptions& options) {
  CLI::App& preset =
      add_command(app, "preset", "Writes a commented preset to start from", kPresetExamples);
  add_words(preset, "words", "init FILE.toml; without FILE.toml, prints it", options.words);
}

std::string validate_preset(const PresetOptions& options) {
  const std::vector<std::string>& words = options.words;
  if (words.empty() || words[0] != "init") {
    return "wants init first, as `lockbench preset init mine.toml`";
  }
  if (words.size() > 2) return "'" + words[2] + "': init writes one file; leave this out";
  if (words.size() == 2 && words[1].empty()) return "'': no name given; name a file, as mine.toml";
  if (words.size() == 2 && !words[1].ends_with(".toml")) {
    return "'" + words[1] + "': run takes files that end in .toml; name it " + words[1] + ".toml";
  }
  return {};
}

std::vector<std::string> plan_flags() {
  std::vector<std::string> flags{"preset", "--blocks", "--seed"};
  for (const SweepField& field : sweep_fields()) flags.push_back(flag_of(field.name));
  return flags;
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App& run =
      add_command(app, "run", "Measures a preset, or the cells that flags name", kRunExamples);
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
}

std::string validate_run(const CLI::App& run, const RunOptions& options) {
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

void add_advise(CLI::App& app, AdviseOptions& options) {
  CLI::App& advise = add_command(
      app, "advise", "Recommends a primitive for one case, with the evidence", kAdviseExamples);
  add_case(advise, options.wanted);
  add_folder(advise, "--observed",
             "The case is the load of a place in a program: the folder that `lockbench observe` "
             "wrote",
             options.observed);
  add_count(advise, "--place", {1, 1'000'000},
            "Which place of --observed, in the order of its table [1]", options.place);
  add_text(advise,
           {.names = "--machine",
            .type = "NAME",
            .help = "Predicts for this machine (lockbench list machines, or a file ending in "
                    ".toml) and measures nothing; the answer states the accuracy"},
           options.machine);
  add_parsed(
      advise,
      {.names = "--when",
       .type = "P",
       .help =
           "Finds the number of threads, up to --threads, from which on this primitive is faster "
           "than --beats"},
      parse_primitive, options.wanted.when);
  add_parsed(advise, {.names = "--beats", .type = "P", .help = "The other primitive of --when"},
             parse_primitive, options.wanted.beats);
  add_switch(advise, "--across-machines",
             "The lock must exclude threads of several machines: compares the locks of services in "
             "the plug-ins (--plugin redis.so, docs/services.md)",
             options.across_machines);
  add_service(advise, options.services);
  add_folder(advise, "--run", "Answers from the nearest cells of this run; measures nothing",
             options.run);
  add_parsed(advise,
             {.names = "--budget", .type = "TIME", .help = "Time limit of the measurement [30s]"},
             parse_duration, options.budget);
  add_patience(advise, options.patience);
  add_folder(advise, "--out", "Folder of the measured run [results/runs/<time>-advise-<id>]",
             options.out);
  add_progress(advise, options.progress);
  add_format(advise, "text, json, csv or markdown [text]", options.format);
}

std::string validate_advise(const CLI::App& advise, const AdviseOptions& options) {
  // If no case is given, the program asks a user at a terminal for it.
  const bool people = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  const std::string of_case =
      first_given(advise, {"--threads", "--keys", "--distribution", "--key-type", "--hold",
                           "--rate", "--every", "--load", "--think", "--memory", "--fair", "--run",
                           "--machine", "--when", "--beats", "--across-machines", "--observed"});
  if (options.observed) {
    const std::string other =
        first_given(advise, {"--threads", "--keys", "--distribution", "--key-type", "--hold",
                             "--rate", "--every", "--load", "--think", "--across-machines"});
    if (!other.empty()) return "--observed: says the whole case; leave out " + other;
  } else if (was_given(advise, "--place")) {
    return "--place: names a place of an observation; say --observed DIR";
  }
  if (people && of_case.empty()) return {};
  if (!options.observed && options.wanted.cell.threads == 0) {
    return "--threads: not given; say how many threads lock, as --threads 32";
  }
  if (!options.observed && options.wanted.cell.keys == 0) {
    return "--keys: not given; say how many keys there are, as --keys 10000";
  }
  if (options.wanted.when.has_value() != options.wanted.beats.has_value()) {
    return "--when and --beats: name two primitives, as --when keyed --beats striped:stripes=64";
  }
  if (std::string pace = validate_pace(advise, options); !pace.empty()) return pace;
  if (!options.services.empty() && !options.across_machines) {
    return "--service: is for locks of services; add --across-machines, or leave it out";
  }
  if (options.across_machines) {
    const std::string other = first_given(advise, {"--run", "--machine", "--memory", "--when"});
    if (other == "--machine") {
      return "--across-machines: asks servers, whose answers take the time of a network and of a "
             "disk; the model of a machine has neither; leave out --machine";
    }
    if (!other.empty()) {
      return "--across-machines: measures the locks of services, whose memory is the server's; "
             "leave out " +
             other;
    }
  }
  if (was_given(advise, "--machine")) {
    const std::string other = first_given(advise, {"--run", "--budget", "--memory"});
    if (other.empty()) return {};
    return "--machine: predicts rates, and measures neither time nor memory; leave out " + other;
  }
  if (!options.run) return {};
  const std::string idle = first_given(advise, {"--budget", "--out", "--progress"});
  if (idle.empty()) return {};
  return "--run: answers from that run and measures nothing; leave out " + idle;
}

}  // namespace lockbench
