// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/advise_entry.h"

#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/bench/catalog/known_plugins.h"
#include "harness/bench/command/advise/advise_command.h"
#include "harness/bench/command/advise/case_source.h"
#include "harness/bench/command/run/plan_flags.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/plan/sweep_fields.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"

namespace lockbench {
namespace {

constexpr char kFooter[] =
    "On a terminal and without flags, advise asks for your case. You can also describe it with\n"
    "flags: threads, keys, how keys are chosen, how long the lock is held, how often it is taken.\n"
    "lockbench measures the primitives that suit the question in the same blocks, within the\n"
    "budget. In an operation, a thread acquires one key and adds to a counter, which is checked\n"
    "afterwards. Other questions have other operations and candidates:\n"
    "  --reads 95%       a record is read, or written; mutexes, locks that readers share, and, if\n"
    "                    the budget permits, a map: from which reads and hold on readers gain\n"
    "  --nested 3        locks five times, some of them by the holder; recursive locks\n"
    "  --several 2       moves one unit between two keys; locks that take both without a deadlock\n"
    "  --capacity 4      a lease of a shard is taken and given back; pools of leases\n"
    "  --processes       adds to a number in a file; lock files, flock, a mutex in shared memory\n"
    "  --timeout 5ms     any of these but --nested and --several; locks that can give up\n"
    "  --wait-limit T    operations arrive at a rate, whether or not earlier ones have ended. A\n"
    "                    primitive is good if its p99 wait is at most T in three quarters of the\n"
    "                    trials; the answer has the highest measured rate at which it is\n"
    "\n"
    "The answer comes first, with C++ lines to paste; then the evidence. The answer is the "
    "simplest\n"
    "choice unless another one is significantly faster and saves 5 % of an operation, which lasts\n"
    "from one request of a thread to its next. With its price: speed, bytes, threads that starve.\n"
    "\n"
    "--rate and --every give the load, and with it the time that threads sleep between operations\n"
    "(or compute, if it is too short to sleep). Without them, --load and --think, advise measures\n"
    "10 %, 50 % and 90 % of the highest load that the threads reach and the saturated loop, or as\n"
    "many of these as the budget allows, and says whether the answer depends on the load; with\n"
    "--when and --across-machines only the saturated loop. docs/method.md explains loads.\n"
    "\n"
    "With --run, lockbench measures nothing. The answer comes from the cells of that run that are\n"
    "nearest to the case, with their distance from it, or says that they are too far from it.\n"
    "--memory and --fair exclude primitives by measured figures: the bytes of the idle locks, and\n"
    "threads that starve. An interrupted advise prints how to continue; --run can answer from the\n"
    "rows that are already measured.\n"
    "\n"
    "Examples\n"
    "  lockbench advise --threads 32 --keys 10000 --distribution zipf:0.99 --hold 2us\n"
    "  lockbench advise --threads 32 --rate 64000 --hold 3us --keys 5000 \\\n"
    "    --distribution hot:0.01,0.9                       a server\n"
    "  lockbench advise --threads 16 --every 1ms --hold 20us --keys 100\n"
    "  lockbench advise --threads 8 --keys 100 --hold 200ns --memory 64KiB --fair\n"
    "  lockbench advise --threads 4 --keys 1000000 --key-type string --budget 2min\n"
    "  lockbench advise --threads 8 --keys 64 --run results/runs/20250131-120000-quick-1a2b\n"
    "  lockbench advise --reads 95% --threads 8 --keys 1 --hold 20us     mutex or shared_mutex?\n"
    "  lockbench advise --nested 3 --threads 1 --hold 50ns               a recursive mutex?\n"
    "  lockbench advise --several 2 --threads 8 --keys 1000 --hold 1us   transfers\n"
    "  lockbench advise --capacity 4 --threads 32 --keys 3 --hold sleep:2ms --load 90%\n"
    "  lockbench advise --wait-limit 100us --threads 8 --keys 100 --hold 5us --rate 20000\n"
    "  lockbench advise --processes --threads 2 --hold 10us\n"
    "  lockbench advise --across-machines --threads 8 --keys 100 --plugin redis.so \\\n"
    "    --plugin postgresql.so                            a lock of which service?\n"
    "\n"
    "Exit codes: 0 there is an answer, 1 the measurement failed, 2 bad input, 4 the measured rows\n"
    "do not answer the question, 129, 130 or 143 interrupted.\n";

constexpr char kQuestion[] = "The question (if none: a mutex, one thread at a time)";
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

void add_question(CLI::App& advise, Question& question) {
  const auto add = [&advise](const char* name, const char* type, const char* help, auto parse,
                             auto& part) {
    add_parsed(advise, {.names = name, .type = type, .help = help, .group = kQuestion}, parse,
               part);
  };
  const auto count = [](CountRange range) {
    return [range](std::string_view text) { return parse_count(text, range); };
  };
  add("--reads", "SHARE",
      "Mutex or reader-writer lock? The share of the operations that only read, as 95%",
      parse_share, question.reads);
  add("--nested", "DEPTH", "Recursive mutex? A thread that holds the lock locks it again, so deep",
      count(kNestedRange), question.nested);
  add("--several", "N", "Each operation locks so many keys at once: 2", count(kKeyRange),
      question.several);
  add("--capacity", "N", "So many threads may hold a key at once, as connections of a shard",
      count(kCapacityRange), question.capacity);
  add("--timeout", "TIME", "Locking gives up after this time, as 5ms", parse_limit,
      question.timeout);
  add("--wait-limit", "TIME",
      "Chooses by the p99 wait, which must stay below this time, as 100us; says up to which rate",
      parse_limit, question.wait_limit);
  add_switch(advise, "--processes", "Processes of one machine lock; --threads is their number",
             question.processes);
  add_switch(advise, "--across-machines",
             absl::StrCat("The lock must exclude threads of several machines: compares the locks "
                          "of services in the plug-ins",
                          known_plugins().help),
             question.across_machines);
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
  add_value(advise,
            {.names = "--cores",
             .type = "WORD",
             .help = "Where the threads run, if the machine has several kinds of cores: all (the "
                     "fast ones first, then slower ones), fast or slow [all]"},
            [&wanted](const std::string& text) {
              const absl::StatusOr<std::string> cores = parse_cores(text);
              if (cores.ok()) run_on(*cores, wanted);
              return cores.status();
            });
  add_parsed(
      advise,
      {.names = "--memory", .type = "SIZE", .help = "Maximum memory of the locks, as 64KiB or 1MB"},
      parse_bytes, wanted.memory_bytes);
  add_switch(advise, "--fair", "Excludes primitives that starve threads, as measured", wanted.fair);
}

// Each flag of these says a part of the case. A source of cases says all of it but memory, fairness
// and what is compared.
constexpr auto kOfLoad = {
    "--threads",  "--keys",    "--distribution", "--key-type",  "--hold",           "--rate",
    "--every",    "--load",    "--think",        "--reads",     "--nested",         "--several",
    "--capacity", "--timeout", "--wait-limit",   "--processes", "--across-machines"};
constexpr auto kOfCase = {"--threads",
                          "--keys",
                          "--distribution",
                          "--key-type",
                          "--hold",
                          "--rate",
                          "--every",
                          "--load",
                          "--think",
                          "--reads",
                          "--nested",
                          "--several",
                          "--capacity",
                          "--timeout",
                          "--wait-limit",
                          "--processes",
                          "--across-machines",
                          "--cores",
                          "--memory",
                          "--fair",
                          "--run",
                          "--machine",
                          "--when",
                          "--beats"};

// The error in the flags that name a source of cases.
std::string validate_source(const CLI::App& advise, const AdviseOptions& options) {
  if (!options.source.given()) return options.source.idle();
  const std::string other = first_given(advise, kOfLoad);
  return other.empty() ? "" : options.source.flag + ": says the whole case; leave out " + other;
}

// The error that says which flag the case lacks.
std::string validate_case(const CLI::App&, const AdviseOptions& options) {
  const AdviceCase& wanted = options.wanted;
  const bool complete = options.source.given();
  if (!complete && wanted.cell.threads == 0) {
    return "--threads: not given; say how many threads lock, as --threads 32";
  }
  if (!complete && wanted.cell.keys == 0) {
    return "--keys: not given; say how many keys there are, as --keys 10000";
  }
  if (wanted.when.has_value() != wanted.beats.has_value()) {
    return "--when and --beats: name two primitives, as --when keyed --beats striped:stripes=64";
  }
  return {};
}

// The error in the flags that say how often the threads lock.
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

std::string validate_wait_limit(const CLI::App& advise, const AdviseOptions& options) {
  if (!options.question.wait_limit) return {};
  std::string other = first_given(advise, {"--think", "--when", "--machine"});
  if (!other.empty()) {
    return "--wait-limit: measures waits by the rate at which operations arrive; leave out " +
           other;
  }
  other = first_given(advise, {"--memory", "--fair"});
  if (other.empty()) return {};
  return "--wait-limit: chooses by the p99 wait alone; leave out " + other;
}

std::string validate_services(const CLI::App& advise, const AdviseOptions& options) {
  if (!options.question.across_machines) {
    if (options.services.empty()) return {};
    return "--service: is for locks of services; add --across-machines, or leave it out";
  }
  const std::string other = first_given(advise, {"--run", "--machine", "--memory", "--when"});
  if (other.empty()) return {};
  if (other == "--machine") {
    return "--across-machines: asks servers, whose answers take the time of a network and of a "
           "disk; the model of a machine has neither; leave out --machine";
  }
  return "--across-machines: measures the locks of services, whose memory is the server's; "
         "leave out " +
         other;
}

// The error in the flags that say where the answer comes from.
std::string validate_ways(const CLI::App& advise, const AdviseOptions& options) {
  if (was_given(advise, "--machine")) {
    const std::string other = first_given(advise, {"--run", "--budget", "--memory"});
    if (other.empty()) return {};
    return "--machine: " + options.machine_models.why_alone + "; leave out " + other;
  }
  if (!options.run) return {};
  const std::string idle = first_given(advise, {"--budget", "--out", "--progress"});
  return idle.empty() ? "" : "--run: answers from that run and measures nothing; leave out " + idle;
}

}  // namespace

AdviseEntry::AdviseEntry()
    : CommandWithOptions({.name = "advise",
                          .group = CommandGroup::kDecide,
                          .summary = "Recommends a primitive for one case, with the evidence",
                          .footer = kFooter}) {}

void AdviseEntry::answer_for_machine_models(AnswersForMachineModels machine_models) {
  add_to_footer(machine_models.help);
  options_.machine_models = std::move(machine_models);
}

void AdviseEntry::add_flags(CLI::App& advise) {
  AdviseOptions& options = options_;
  if (!options.machine_models.answer) answer_for_machine_models(machine_models_of_programs());
  options.source = source_of_programs();
  add_question(advise, options.question);
  add_case(advise, options.wanted);
  options.source.add_flags(advise);
  if (!options.machine_models.flag_help.empty()) {
    add_text(advise,
             {.names = "--machine", .type = "NAME", .help = options.machine_models.flag_help},
             options.machine);
  }
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
  add_service(advise, options.services);
  add_folder(advise, "--run", "Answers from the nearest cells of this run; measures nothing",
             options.run);
  add_parsed(advise,
             {.names = "--budget",
              .type = "TIME",
              .help = "Time limit of the measurement [30s; with --reads 40s]"},
             parse_duration, options.budget);
  add_patience(advise, options.patience);
  add_folder(advise, "--out", "Folder of the measured run [results/runs/<time>-advise-<id>]",
             options.out);
  add_progress(advise, options.progress);
  add_format(advise, "text, json, csv or markdown [text]", options.format);
  add_plugins(advise, plugins_);
}

std::string AdviseEntry::complete(const CLI::App& advise, const Invocation& invocation) {
  options_.program = invocation.program;
  options_.words = invocation.words;
  // If no case is given, the program asks a user at a terminal for it.
  const bool people = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  const std::string source = validate_source(advise, options_);
  if (!source.empty()) return source;
  const bool posed = options_.source.given() || !first_given(advise, kOfCase).empty();
  if (people && !posed) return {};
  if (absl::Status understood = pose(options_.question, options_.wanted); !understood.ok()) {
    return std::string(understood.message());
  }
  for (const auto validate :
       {validate_case, validate_pace, validate_wait_limit, validate_services, validate_ways}) {
    std::string wrong = validate(advise, options_);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

int AdviseEntry::run(const Invocation&) {
  std::optional<int> wrong;
  if (options_.machine.empty()) {
    wrong = add_plugins_of_command("advise", plugins_, true);
  } else if (options_.machine_models.add_plugins) {
    wrong = options_.machine_models.add_plugins(plugins_);
  }
  return wrong ? *wrong : advise_command(options_);
}

void add_advise_commands(Commands& all) {
  all.push_back(std::make_unique<AdviseEntry>());
}

}  // namespace lockbench
