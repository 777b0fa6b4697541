// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/attach.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <vector>

#include <absl/strings/str_cat.h>

#include "harness/base/complain.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/shell_command.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/stamp.h"
#include "harness/kernel/processors.h"
#include "harness/observe/attach/attached_observation.h"
#include "harness/observe/attach/call_frames.h"
#include "harness/observe/attach/foreign_process.h"
#include "harness/observe/attach/futex_trace.h"
#include "harness/observe/command/command_names.h"
#include "harness/observe/command/program_flags.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/language_runtime.h"
#include "harness/observe/observation/observation_folder.h"
#include "harness/observe/observation/observed_json.h"
#include "harness/observe/observation/observed_text.h"
#include "harness/observe/observation/program_file.h"
#include "harness/observe/observation/verdict.h"
#include "harness/observe/recorder/ticks.h"
#include "harness/process/child_process.h"
#include "harness/process/signals.h"
#include "harness/symbols/debug_information.h"
#include "harness/symbols/function_names.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostTraceBytes = std::size_t{4} << 30;
// To compile the program for the kernel takes seconds.
constexpr std::chrono::seconds kToBegin{60};

std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "CapEff:";
    if (line.starts_with(kName)) return std::stoull(line.substr(kName.size()), nullptr, 16);
  }
  return 0;
}

bool may_use_bpf() {
  constexpr int kAdmin = 21;
  constexpr int kPerfmon = 38;
  constexpr int kBpf = 39;
  const std::uint64_t have = effective_capabilities();
  const auto has = [have](int which) { return ((have >> which) & 1) != 0; };
  return has(kAdmin) || (has(kPerfmon) && has(kBpf));
}

// bpftrace's numbers of processes are those of the system, and not of a container.
bool is_in_first_namespace() {
  constexpr ino_t kFirst = 0xeffffffc;
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) != 0 || found.st_ino == kFirst;
}

bool has_tracepoints() {
  std::error_code none;
  for (const char* folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    if (fs::exists(fs::path(folder) / "events/syscalls/sys_enter_futex", none)) return true;
  }
  return false;
}

// std::mutex::lock() is part of its caller, which is what users look for.
bool is_of_a_library(const std::string& file) {
  return file.starts_with("/usr/include/") || file.find("/library/std/src/") != std::string::npos;
}

// Names of the code of one process.
class Callers {
 public:
  explicit Callers(const ForeignProcess& process)
      : root_(process.root()),
        program_(process.program()),
        files_(process.files()),
        frames_(files_),
        information_(files_) {}

  std::vector<CodeLocation> of(const stress::StackCopy& stack) const {
    std::vector<CodeLocation> callers;
    for (const std::uint64_t address : frames_.of(stack)) {
      callers.push_back(location_of(address - (callers.empty() ? 0 : 1)));
    }
    return callers;
  }

 private:
  // `address`: within the call.
  CodeLocation location_of(std::uint64_t address) const {
    CodeLocation location;
    location.offset = address;
    for (const stress::LoadedFile& file : files_) {
      if (file.bias > address) continue;
      const std::uint64_t offset = address - file.bias;
      if (!location.module.empty() && offset > location.offset) continue;
      location.module = name_of(file);
      location.offset = offset;
    }
    const std::string symbol = information_.function_at(address);
    if (!symbol.empty()) location.function = stress::readable_name(symbol.c_str());
    for (const stress::SourceLine& line : information_.lines_at(address)) {
      location.file = line.file;
      location.line = line.number;
      if (!is_of_a_library(line.file)) break;
    }
    return location;
  }

  std::string name_of(const stress::LoadedFile& file) const {
    return file.path.starts_with(root_) ? file.path.substr(root_.size()) : program_;
  }

  std::string root_;
  std::string program_;
  std::vector<stress::LoadedFile> files_;
  stress::CallFrames frames_;
  stress::DebugInformation information_;
};

class Attachment {
 public:
  Attachment(const ObserveOptions& options, std::ostream& err)
      : options_(options), err_(err), process_(*options.pid) {}

  int run() {
    note_signals();
    if (!process_.exists()) {
      return complain(err_, kObserve, absl::StrCat("--pid: there is no process ", *options_.pid),
                      kBadInput);
    }
    if (const std::string obstacle = internal::obstacle_to_attaching(); !obstacle.empty()) {
      return complain(err_, kObserve, "--pid: " + obstacle, kCouldNotFinish);
    }
    const absl::StatusOr<fs::path> folder =
        new_program_folder("observed", options_.out, process_.program());
    if (!folder.ok()) {
      return complain(err_, kObserve, folder.status(),
                      absl::IsAlreadyExists(folder.status()) ? kBadInput : kCouldNotFinish);
    }
    folder_ = *folder;
    // On a busy machine, a short window may be over before this process has run once.
    constexpr int kMostWindows = 3;
    for (int window = 0; window < kMostWindows && !callers_ && process_.exists(); ++window) {
      if (const absl::Status traced = trace(); !traced.ok()) {
        return complain(err_, kObserve, traced,
                        noted_signal() != 0 ? kSignalExitBase + noted_signal() : kCouldNotFinish);
      }
    }
    return report();
  }

 private:
  absl::Status trace() {
    const platform::ScratchFolder scratch;
    const fs::path program = fs::path(scratch.path()) / "futex.bt";
    const fs::path printed = fs::path(scratch.path()) / "printed";
    const Nanoseconds time = options_.duration.count() == 0 ? kAttachedFor : options_.duration;
    const auto duration = std::chrono::ceil<std::chrono::milliseconds>(time);
    const absl::Status written =
        replace_file(program, futex_trace_program(*options_.pid, duration));
    if (!written.ok()) return written;
    facts_.started_at = utc_now();
    attached_.program = process_.program();
    attached_.parent = process_.parent();
    if (const std::string runtime = language_runtime(*options_.pid, attached_.program);
        !runtime.empty()) {
      attached_.runtimes = {runtime};
    }
    const absl::StatusOr<ChildResult> result = run_child(
        {.program = "bpftrace",
         // -k: failures of the program in the kernel are reported; -p: ends with the process.
         .words = {"bpftrace", "-k", "-p", absl::StrCat(*options_.pid), "-o", printed.string(),
                   program.string()},
         .input = {},
         .deadline = Clock::now() + kToBegin + duration,
         .while_it_runs = [&](std::string_view) { look(printed); },
         .environment = {"BPFTRACE_MAP_KEYS_MAX=65536", "BPFTRACE_PERF_RB_PAGES=1024"}});
    if (!result.ok()) return result.status();
    if (noted_signal() != 0) return absl::CancelledError("interrupted");
    const absl::StatusOr<std::string> text = read_file(printed, kMostTraceBytes);
    if (text.ok()) trace_ = read_futex_trace(*text);
    if (trace_.begin_ns == 0 || trace_.end_ns <= trace_.begin_ns) {
      return absl::InternalError(end_text("bpftrace", *result));
    }
    return absl::OkStatus();
  }

  // Soon after the window has begun: which threads wait already, and what the program is made of.
  // It is read while the process runs, which may end before the window does.
  void look(const fs::path& printed) {
    if (attached_.asleep_at_ns == 0) {
      std::ifstream file(printed);
      std::string text(std::istreambuf_iterator<char>(file), {});
      if (text.find("\nbegin ") == std::string::npos) return;
      attached_.asleep_at_ns = observe::monotonic_ns();
      attached_.asleep = process_.asleep();
      processor_begin_s_ = process_.processor_s();
      callers_.emplace(process_);
    }
    if (const std::uint32_t threads = process_.threads(); threads != 0) {
      attached_.threads = threads;
      attached_.processor_s = process_.processor_s() - processor_begin_s_;
    }
  }

  int report() {
    if (!callers_) {
      const std::string process = absl::StrCat("process ", *options_.pid);
      return complain(err_, kObserve,
                      process_.exists()
                          ? absl::StrCat("the machine was too busy to look at ", process,
                                         " within the window; give a longer --duration")
                          : process + " ended at once",
                      kCouldNotFinish);
    }
    attached_.pid = *options_.pid;
    Observation observation = attached_observation(
        trace_, attached_, [this](const stress::StackCopy& stack) { return callers_->of(stack); },
        options_.callers);
    facts_.command = {attached_.program};
    facts_.wall_s = observation.coverage.window_s;
    facts_.processor_s = attached_.processor_s;
    facts_.duration_s = facts_.wall_s;
    facts_.places = options_.place;
    facts_.processors = static_cast<double>(usable_processors());
    bound_by_processors(observation, facts_.processors, 0);
    const Verdict verdict = verdict_of(observation, attached_.program);
    if (!options_.place.empty() && !keep_places(observation, *Expression::parse(options_.place))) {
      complain(err_, kObserve, "--place: no place matches '" + options_.place + "'; all are shown",
               0);
    }
    const absl::Status written =
        replace_file(folder_ / "observed.json", observed_json(observation, verdict, facts_));
    if (!written.ok()) return complain(err_, kObserve, written, kCouldNotFinish);
    err_ << observed_text(observation, verdict, table_width()) << "Observation "
         << printable((folder_ / "observed.json").string()) << "\npage        "
         << printable(shell_command({"lockbench", "report", folder_.string()})) << '\n';
    return 0;
  }

  const ObserveOptions& options_;
  std::ostream& err_;
  ForeignProcess process_;
  fs::path folder_;
  ObservationFacts facts_;
  AttachedProcess attached_;
  double processor_begin_s_ = 0;
  std::optional<Callers> callers_;
  FutexTrace trace_;
};

}  // namespace

namespace internal {

std::string obstacle_to_attaching() {
#if !defined(__x86_64__)
  return "the stacks of other processes are read on x86-64 only";
#endif
  if (!may_use_bpf()) {
    return "watching another process needs root, or CAP_BPF and CAP_PERFMON; start lockbench with "
           "sudo";
  }
  if (!is_in_first_namespace()) {
    return "the number of a process means another one outside of this container; start lockbench "
           "outside of it, with the number that the process has there";
  }
  if (!program_on_path("bpftrace")) {
    return "there is no program bpftrace; install it (Debian's package bpftrace)";
  }
  std::error_code none;
  if (!fs::exists("/sys/kernel/btf/vmlinux", none)) {
    return "this kernel does not describe its types (/sys/kernel/btf/vmlinux is missing); it needs "
           "CONFIG_DEBUG_INFO_BTF";
  }
  if (!has_tracepoints()) {
    return "the kernel's tracepoints of futexes are not there: mount them (mount -t tracefs "
           "tracefs "
           "/sys/kernel/tracing), or use a kernel with CONFIG_FTRACE_SYSCALLS";
  }
  return {};
}

}  // namespace internal

int attach_command(const ObserveOptions& options, std::ostream& err) {
  return Attachment(options, err).run();
}

}  // namespace lockbench
