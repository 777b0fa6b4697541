// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"

namespace lockbench {
namespace {

// The model says which numbers it can be built for, and which mean nothing to it.
constexpr CountRange kAny = {.least = 0, .most = 1'000'000};

void add_numbers(CLI::App& model, ModelSpec& spec) {
  const auto add = [&model](const std::string& flag, const std::string& help, auto& number) {
    add_count(model, flag, kAny, help,
              [&number](std::uint64_t n) { number = static_cast<std::uint32_t>(n); });
  };
  add("--threads", "Threads [3]", spec.threads);
  add("--keys", "Keys; of leases, shards [2; 1 shard]", spec.keys);
  add("--leases", "Leases of a shard, or random mutexes [2]", spec.leases);
  add("--stripes", "Stripes [2]", spec.stripes);
  add("--depth", "How often the owner of a reentrant lock may be inside [2]", spec.depth);
}

void add_spec(CLI::App& model, ModelSpec& spec) {
  add_text(model, {.names = "primitive", .type = "", .help = "A model from the list below"},
           spec.primitive);
  add_numbers(model, spec);
  add_switch(model, "--nested", "Each thread holds one while it takes the next", spec.nested);
  add_choice<KeyOrder>(
      model,
      {.names = "--order",
       .type = "ORDER",
       .help = "same, opposite (every second thread the other way round) or twice (a stripe that "
               "comes up twice is taken twice) [same]"},
      "same, opposite, twice", parse_order, [&spec](const KeyOrder& order) { spec.order = order; });
}

std::optional<std::string> parse_engine(std::string_view text) {
  if (text != "sim" && text != "real" && text != "proc") return std::nullopt;
  return std::string(text);
}

void add_conformance(CLI::App& model, ModelOptions& options) {
  add_path(model,
           {.names = "--trace,--replay",
            .type = "FILE",
            .help = "Holds these events, one a line, against the net"},
           options.replay);
  add_switch(model, "--conform", "Holds the lock itself, while threads use it, against the net",
             options.conform);
  add_choice<std::string>(
      model,
      {.names = "--engine",
       .type = "ENGINE",
       .help = "With --conform: sim (simulated threads, every interleaving of small clients), "
               "real (native threads at full speed) or proc (processes, killed and stopped) [the "
               "first that knows the lock]"},
      "sim, real, proc", parse_engine,
      [&options](const std::string& engine) { options.engine = engine; });
  add_text(model,
           {.names = "--lock",
            .type = "LOCK",
            .help = "With --conform: this lock of `lockbench stress --list` [the model's name]"},
           options.lock);
  add_count(model, "--seed", {.least = 0, .most = 4'000'000'000},
            "With --conform: draws what its threads do [1]",
            [&options](std::uint64_t n) { options.seed = n; });
}

void add_outputs(CLI::App& model, ModelOptions& options) {
  add_path(model, {.names = "--draw", .type = "FILE.svg", .help = "Draws the net"}, options.draw);
  add_path(model,
           {.names = "--film",
            .type = "FILE",
            .help = "Shows what goes wrong, or a tour, step by step: .html or .svg"},
           options.film);
  add_path(model,
           {.names = "--pnml", .type = "FILE.pnml", .help = "Writes the net for other tools"},
           options.pnml);
  add_path(model,
           {.names = "--promela",
            .type = "FILE.pml",
            .help = "Writes the net for the SPIN model checker"},
           options.promela);
}

void add_limits(CLI::App& model, ModelOptions& options) {
  add_switch(model, "--unfolded", "Tells threads in like states apart", options.unfolded);
  add_count(model, "--markings", {.least = 1, .most = 4'000'000'000},
            "How many markings may be kept, 20 to 80 bytes each [50 million]",
            [&options](std::uint64_t n) { options.most_markings = n; });
  add_parsed<Nanoseconds>(
      model,
      {.names = "--budget",
       .type = "TIME",
       .help = "How long the search may take [60s], or the lock is made to work [5s]"},
      parse_duration, [&options](const Nanoseconds& budget) { options.budget = budget; });
}

std::string validate_conformance(const CLI::App& model, const ModelOptions& options) {
  if (!options.conform) {
    const std::string idle = first_given(model, {"--engine", "--lock", "--seed"});
    if (idle.empty()) return {};
    return idle + ": is about a lock that is held against the net; add --conform";
  }
  if (options.replay) return "--trace: is held against the net by itself; leave out --conform";
  if (options.file && options.lock.empty()) {
    return "--conform: say which lock the net of --file is of, as --lock keyed";
  }
  if (options.budget == Nanoseconds::zero()) return kNoTime;
  return {};
}

}  // namespace

void add_model(CLI::App& app, ModelOptions& options) {
  CLI::App& model = add_command(
      app, "model", "Searches the Petri net of a lock, or of a file, for what can go wrong",
      model_help());
  add_spec(model, options.spec);
  add_path(model,
           {.names = "--file", .type = "FILE.pnml", .help = "Reads the net from here instead"},
           options.file);
  add_conformance(model, options);
  add_outputs(model, options);
  add_limits(model, options);
}

std::string validate_model(const CLI::App& model, const ModelOptions& options) {
  std::string trouble = validate_conformance(model, options);
  if (!trouble.empty()) return trouble;
  if (!options.file) {
    if (!options.spec.primitive.empty()) return {};
    return "no model was named; name one, as `lockbench model keyed`, or a net by --file";
  }
  const std::string idle = first_given(model, {"primitive", "--threads", "--keys", "--leases",
                                               "--stripes", "--depth", "--nested", "--order"});
  if (idle.empty()) return {};
  return "--file: the net is what the file says; leave out " +
         (idle == "primitive" ? "'" + options.spec.primitive + "'" : idle);
}

}  // namespace lockbench
