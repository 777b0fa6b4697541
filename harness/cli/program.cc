// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/program.h"

#include <iostream>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/command/advise/advise_command.h"
#include "harness/command/calibrate/calibrate_command.h"
#include "harness/command/doctor/doctor_command.h"
#include "harness/command/list/list_command.h"
#include "harness/command/merge/merge_command.h"
#include "harness/command/model/model_command.h"
#include "harness/command/observe/observe_command.h"
#include "harness/command/predict/predict_command.h"
#include "harness/command/preset/preset_command.h"
#include "harness/command/run/plugins.h"
#include "harness/command/run/run_command.h"
#include "harness/command/run/trial_command.h"
#include "harness/command/stress/stress_command.h"
#include "harness/command/submit/submit_command.h"
#include "harness/command/substitute/compare_program_command.h"
#include "harness/command/substitute/substitute_command.h"
#include "harness/plan/printable.h"
#include "harness/process/analysis_command.h"
#include "harness/process/out_of_memory.h"
#include "harness/process/resources.h"
#include "harness/process/signals.h"
#include "harness/record/schema.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

// Adds the locks of plug-ins, for commands that accept names of locks. Returns false after it has
// printed an error.
bool add_plugins_of(const CommandLine& line) {
  const bool predicts =
      line.command == "predict" || (line.command == "advise" && !line.advise.machine.empty());
  const bool measures = line.command == "run" || line.command == "advise";
  if (!predicts && !measures && line.command != "list") return true;
  const absl::Status added = predicts ? add_predicted_plugins(line.plugins, std::cerr)
                                      : add_plugins(line.plugins, measures, std::cerr);
  if (added.ok()) return true;
  std::cerr << "lockbench " << line.command
            << ": --plugin: " << printable(std::string(added.message())) << '\n';
  return false;
}

int dispatch(const CommandLine& line) {
  explain_out_of_memory("lockbench " + line.command);
  if (!add_plugins_of(line)) return kBadInput;
  if (line.command == "run") return run_command(line.run);
  if (line.command == "predict") return predict_command(line.predict);
  if (line.command == "calibrate-machine") {
    return calibrate_command(line.calibrate, std::cout, std::cerr);
  }
  if (line.command == "observe") return observe_command(line.observe, std::cerr);
  if (line.command == "substitute") return substitute_command(line.substitute, std::cerr);
  if (line.command == "compare-program") {
    return compare_program_command(line.compare_program, std::cerr);
  }
  if (line.command == "advise") return advise_command(line.advise);
  if (line.command == "stress") return stress_command(line.stress, line.plugins);
  if (line.command == "trial") {
    return trial_command(line.trial, line.plugins, std::cin, std::cout, std::cerr);
  }
  if (line.command == "plugin") return plugin_command(line.plugin, std::cout, std::cerr);
  if (line.command == "merge") return merge_command(line.merge);
  if (line.command == "submit") return submit_command(line.submit);
  if (line.command == "list") return list_command(line.list, std::cout, std::cerr);
  if (line.command == "preset") return preset_command(line.preset, std::cout, std::cerr);
  if (line.command == "doctor") return doctor_command(line.doctor, std::cout, std::cerr);
  if (line.command == "schema") {
    std::cout << (line.schema_markdown ? trials_markdown() + "\n" + latency_markdown()
                                       : schema_json());
    return kSuccess;
  }
  if (line.command == "model") return model_command(line.model, std::cout, std::cerr);
  std::vector<std::string> words = line.rest;
  // These start it again.
  if (line.command == "ab" || line.command == "flamegraph")
    words.insert(words.begin(), {"--program", this_program().string()});
  return analysis_command(line.command, words);
}

// Whether the reader has closed the pipe, as in `lockbench list | head -1`. This is not an error.
bool reader_closed(int descriptor) {
  pollfd pipe{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

int answer(const Reply& reply) {
  std::cout << reply.out;
  std::cerr << reply.err;
  return reply.exit_code;
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
  restore_inherited_settings();
  const std::variant<CommandLine, Reply> read = read_command_line(words);
  const CommandLine* const line = std::get_if<CommandLine>(&read);
  int code = line != nullptr ? dispatch(*line) : answer(std::get<Reply>(read));
  // If a signal has requested an end, a failure after it is due to the signal.
  if (code != 0 && noted_signal() != 0) code = kSignalExitBase + noted_signal();
  if (std::cout.flush() || reader_closed(STDOUT_FILENO)) return code;
  std::cerr
      << "lockbench: standard output could not be written; free some space, or redirect it to a "
         "file that can be\n";
  return code == kSuccess ? kCouldNotFinish : code;
}

}  // namespace lockbench
