// SPDX-License-Identifier: Apache-2.0

// The command `calibrate-machine`.

#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/predict/command/calibrate_command.h"

namespace lockbench {
namespace {

constexpr char kCalibrateFooter[] =
    "Measures the costs of accesses, of transfers of cache lines between each two cores, and of\n"
    "kernel calls on this machine, and writes a file for predict --machine. Each figure is the\n"
    "median of several repetitions. If this machine does not allow a measurement, the figure is\n"
    "assumed, and a comment says so. The measurement takes some seconds with few cores, and about\n"
    "a minute with 128. Other load changes the figures: lockbench doctor shows it. taskset\n"
    "selects the processors. An existing file is not replaced: if it has the model of this\n"
    "machine, nothing is measured. docs/prediction.md describes the keys.\n"
    "\n"
    "Examples\n"
    "  lockbench calibrate-machine\n"
    "  lockbench calibrate-machine --out my-server.toml\n"
    "  taskset -c 0-7 lockbench calibrate-machine --name socket0\n"
    "  lockbench predict quick --machine ./here.toml\n"
    "  lockbench predict quick --machine here\n"
    "\n"
    "Exit codes: 0 written, or there already; 1 the machine could not be measured or the file not\n"
    "written; 2 bad input, or there is another file of this name.\n";

class CalibrateEntry final : public CommandWithOptions<CalibrateOptions> {
 public:
  CalibrateEntry()
      : CommandWithOptions({.name = "calibrate-machine",
                            .group = CommandGroup::kMachines,
                            .summary = "Measures this machine and writes a model of it",
                            .footer = kCalibrateFooter}) {}

  void add_flags(CLI::App& calibrate) override {
    CalibrateOptions& options = options_;
    add_text(calibrate,
             {.names = "--out", .type = "FILE.toml", .help = "The file [the name and .toml]"},
             options.out);
    add_text(calibrate,
             {.names = "--name",
              .type = "NAME",
              .help = "Name of the machine in the rows of predictions [from --out, or here]"},
             options.name);
  }

  std::string complete(const CLI::App& calibrate, const Invocation&) override {
    const CalibrateOptions& options = options_;
    if (was_given(calibrate, "--name")) {
      if (was_given(calibrate, "--out")) {
        return "--name: a machine has the name of its file; leave out --name or --out";
      }
      if (options.name.empty() || options.name.find('/') != std::string::npos) {
        return "--name: '" + options.name + "' is no name; write a word without /, as my-server";
      }
    }
    if (!was_given(calibrate, "--out") || options.out.ends_with(".toml")) return {};
    return "--out: '" + options.out + "': predict takes files that end in .toml; name it " +
           (options.out.empty() ? "here" : options.out) + ".toml";
  }

  int run(const Invocation&) override { return calibrate_command(options_, std::cout, std::cerr); }
};

}  // namespace

void add_calibrate_commands(Commands& all) {
  all.push_back(std::make_unique<CalibrateEntry>());
}

}  // namespace lockbench
