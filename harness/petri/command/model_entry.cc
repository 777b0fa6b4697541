// SPDX-License-Identifier: Apache-2.0

// The command `model`.

#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/cli/messages.h"
#include "harness/petri/command/model_command.h"
#include "harness/petri/net/model.h"

namespace lockbench {
namespace {

// The names of the models, and examples.
std::string footer() {
  std::string text = "Models\n";
  for (const ModelEntry& entry : model_entries()) {
    text += "  " + entry.name +
            (entry.name.size() < 18 ? std::string(18 - entry.name.size(), ' ')
                                    : "\n" + std::string(20, ' ')) +
            entry.summary + "\n";
  }
  return text +
         "\n"
         "The search explores every state that the threads can reach. Invariants follow from the "
         "net\n"
         "alone, so they hold even if a limit ends the search.\n"
         "\n"
         "Examples\n"
         "  lockbench model keyed\n"
         "  lockbench model keyed --nested --order opposite --animation deadlock.html\n"
         "  lockbench model lease --threads 3 --leases 3 --nested\n"
         "  lockbench model striped --nested --order twice --stripes 1\n"
         "  lockbench model keyed --threads 8 --keys 4 --budget 5min\n"
         "  lockbench model keyed --conform\n"
         "  lockbench model file --conform\n"
         "  lockbench model keyed --trace log.txt\n"
         "  lockbench model --file mine.pnml --dot mine.dot\n"
         "\n"
         "Exit codes: 0 no fault, 1 a file could not be written or the engine failed, 2 bad "
         "input,\n"
         "3 a fault, or the net cannot do what the trace or the lock does, 4 a limit was "
         "reached.\n";
}

// build_model() checks the ranges, which depend on the model.
constexpr CountRange kAny = {.least = 0, .most = 1'000'000};

void add_numbers(CLI::App& model, ModelSpec& spec) {
  add_count(model, "--threads", kAny, "Threads [3]", spec.threads);
  add_count(model, "--keys", kAny, "Keys; with leases, shards [2; 1 shard]", spec.keys);
  add_count(model, "--leases", kAny, "Leases per shard, or random mutexes [2]", spec.leases);
  add_count(model, "--stripes", kAny, "Stripes [2]", spec.stripes);
  add_count(model, "--depth", kAny, "Maximum depth of a reentrant lock [2]", spec.depth);
}

void add_spec(CLI::App& model, ModelSpec& spec) {
  add_text(model, {.names = "primitive", .type = "", .help = "A model from the list below"},
           spec.primitive);
  add_numbers(model, spec);
  add_switch(model, "--nested", "Each thread holds one lock while it acquires the next",
             spec.nested);
  add_choice(
      model,
      {.names = "--order",
       .type = "ORDER",
       .help = "same, opposite (every second thread in the opposite order) or twice (a stripe of "
               "two keys is acquired twice) [same]"},
      {{"same", KeyOrder::kSame}, {"opposite", KeyOrder::kOpposite}, {"twice", KeyOrder::kTwice}},
      spec.order);
}

void add_conformance(CLI::App& model, ModelOptions& options) {
  add_path(model,
           {.names = "--trace",
            .type = "FILE",
            .help = "Checks an event trace, one event per line, against the net"},
           options.trace);
  add_switch(model, "--conform", "Runs the lock and checks its events against the net",
             options.conform);
  add_word(
      model,
      {.names = "--engine",
       .type = "ENGINE",
       .help = "With --conform: sim (simulated threads, all interleavings of small programs), "
               "real (native threads) or proc (processes, some of them killed or stopped) [the "
               "first that knows the lock]"},
      {"sim", "real", "proc"}, options.engine);
  add_text(model,
           {.names = "--lock",
            .type = "LOCK",
            .help = "With --conform: a lock of `lockbench stress --list` [the model's name]"},
           options.lock);
  add_count(model, "--seed", {.least = 0, .most = 4'000'000'000}, "With --conform: random seed [1]",
            options.seed);
}

void add_outputs(CLI::App& model, ModelOptions& options) {
  add_path(model,
           {.names = "--animation",
            .type = "FILE",
            .help = "Writes an animation of the fault, the trace, or a tour: a page (.html) or a "
                    "strip of pictures (.svg); needs graphviz and Python"},
           options.animation);
  add_path(model, {.names = "--dot", .type = "FILE.dot", .help = "Exports the net for graphviz"},
           options.dot);
  add_path(model,
           {.names = "--pnml", .type = "FILE.pnml", .help = "Exports the net for other tools"},
           options.pnml);
  add_path(model,
           {.names = "--promela",
            .type = "FILE.pml",
            .help = "Exports the net for the SPIN model checker"},
           options.promela);
}

void add_limits(CLI::App& model, ModelOptions& options) {
  add_switch(model, "--no-symmetry", "Explores all states, without symmetry reduction",
             options.no_symmetry);
  add_parsed(model,
             {.names = "--budget",
              .type = "TIME",
              .help = "Time limit of the search [60s], or duration of --conform [5s]"},
             parse_duration, options.budget);
  add_parsed(model,
             {.names = "--memory",
              .type = "BYTES",
              .help = "Memory limit of the search, as 4GiB [half of the available memory]"},
             parse_bytes, options.memory);
  add_count(model, "--markings", {.least = 1, .most = 4'000'000'000},
            "Maximum number of states of the search [as many as fit]", options.most_markings);
}

std::string validate_conformance(const CLI::App& model, const ModelOptions& options) {
  if (!options.conform) {
    const std::string idle = first_given(model, {"--engine", "--lock", "--seed"});
    if (idle.empty()) return {};
    return idle + ": needs --conform";
  }
  if (options.trace) return "--trace: cannot be combined with --conform";
  if (options.file && options.lock.empty()) {
    return "--conform: needs the lock that the net of --file describes, as --lock keyed";
  }
  if (options.budget == Nanoseconds::zero()) return kNoTime;
  return {};
}

class ModelCommandEntry final : public CommandWithOptions<ModelOptions> {
 public:
  ModelCommandEntry()
      : CommandWithOptions(
            {.name = "model",
             .group = CommandGroup::kCheck,
             .summary =
                 "Searches the Petri net of a lock, or of a file, for deadlocks and other faults",
             .footer = footer()}) {}

  void add_flags(CLI::App& model) override {
    ModelOptions& options = options_;
    add_spec(model, options.spec);
    add_path(model, {.names = "--file", .type = "FILE.pnml", .help = "Reads the net from a file"},
             options.file);
    add_conformance(model, options);
    add_outputs(model, options);
    add_limits(model, options);
  }

  std::string complete(const CLI::App& model, const Invocation&) override {
    const ModelOptions& options = options_;
    std::string trouble = validate_conformance(model, options);
    if (!trouble.empty()) return trouble;
    if (!options.file) {
      if (!options.spec.primitive.empty()) return {};
      return "no model given; name one, as `lockbench model keyed`, or a net with --file";
    }
    const std::string idle = first_given(model, {"primitive", "--threads", "--keys", "--leases",
                                                 "--stripes", "--depth", "--nested", "--order"});
    if (idle.empty()) return {};
    return "--file: the file describes the whole net; leave out " +
           (idle == "primitive" ? "'" + options.spec.primitive + "'" : idle);
  }

  int run(const Invocation&) override { return model_command(options_, std::cout, std::cerr); }
};

}  // namespace

void add_model_commands(Commands& all) {
  all.push_back(std::make_unique<ModelCommandEntry>());
}

}  // namespace lockbench
