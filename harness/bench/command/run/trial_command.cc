// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/trial_command.h"

#include <csignal>
#include <exception>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/printable.h"
#include "harness/bench/catalog/catalog.h"
#include "harness/bench/command/run/flamegraph.h"
#include "harness/bench/command/run/plugins.h"
#include "harness/bench/measure/run_trial.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/record/sample_json.h"
#include "primitives/service.h"

namespace lockbench {
namespace {

// True if `parent` is still the parent of this process. The check comes after prctl(): if the
// parent dies in between, either the kernel or the check notices it.
bool bound_to(pid_t parent) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

// Loads the named plug-ins. If the primitive is still missing, loads those on the path.
absl::Status load_for(const Cell& cell, const std::vector<std::string>& plugins) {
  absl::Status loaded = load_plugins(plugins);
  if (!loaded.ok() || !absl::IsInvalidArgument(Catalog::standard().check(cell).status()))
    return loaded;
  return load_plugins(plugins_on_path());
}

// Everything else that can go wrong becomes a row when the trial is measured.
int try_out(const Trial& trial, std::ostream& err) {
  try {
    static_cast<void>(Catalog::standard().subject_for(trial));
  } catch (const ServiceError& error) {
    say(err, "lockbench trial", error.what());
    return kBadInput;
  } catch (const std::exception&) {
  }
  return kSuccess;
}

}  // namespace

int trial_command(const TrialOptions& options, const std::vector<std::string>& plugins,
                  std::istream& in, std::ostream& out, std::ostream& err) {
  if (options.parent != 0 && !bound_to(options.parent)) {
    err << "lockbench trial: --parent: process " << options.parent
        << " is not the one that started this; give the starter's own id, or leave it out\n";
    return kBadInput;
  }
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  absl::StatusOr<Trial> trial = trial_from_json(text);
  if (!trial.ok()) {
    return complain(err, "lockbench trial: standard input", trial.status(), kBadInput);
  }
  if (const absl::Status loaded = load_for(trial->cell, plugins); !loaded.ok()) {
    return complain(err, "lockbench trial: --plugin", loaded, kBadInput);
  }
  const absl::Status fits = Catalog::standard().check(trial->cell).status();
  if (!fits.ok()) {
    return complain(err, "lockbench trial", fits, kBadInput);
  }
  if (options.only_try) return try_out(*trial, err);
  if (options.flamegraph) {
    return trial_with_flamegraph(*trial, plugins, *options.flamegraph, out, err);
  }
  const Placement placed = options.placed.processors.empty()
                               ? placement_for(trial->cell.pinning, trial->cell.threads)
                               : options.placed;
  trial->fast_processor = placed.fast_processor;
  const Sample sample = run_trial(
      *trial, [&] { return *Catalog::standard().subject_for(*trial); }, placed);
  out << sample_text(sample) << std::endl;
  // Threads may still be inside the primitive, so no destructor may run.
  if (sample.outcome != Outcome::kOk) _exit(0);
  return 0;
}

}  // namespace lockbench
