// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/own_process.h"

#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "harness/stress/explore/memory/model_names.h"
#include "harness/stress/explore/search/schedule.h"
#include "harness/stress/oracles/registry.h"
#include "harness/stress/supervision/forked_child.h"
#include "harness/stress/supervision/watched_child.h"

namespace lockbench::stress::explore {
namespace {

// A file in memory through which a child process hands its answer to its parent.
class Answer {
 public:
  Answer() : file_(memfd_create("lockbench-answer", 0)) {
    if (file_ == -1) std::abort();
  }
  ~Answer() { close(file_); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  void give(const absl::StatusOr<Report>& report) const {
    const std::string text =
        report.ok() ? to_json(*report)
                    : absl::StrCat(report.status().raw_code(), " ", report.status().message());
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t part = write(file_, text.data() + at, text.size() - at);
      if (part <= 0) return;
      at += static_cast<std::size_t>(part);
    }
  }

  // Absent: none was given.
  std::optional<absl::StatusOr<Report>> taken() const {
    struct stat facts {};
    fstat(file_, &facts);
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    if (pread(file_, text.data(), text.size(), 0) != facts.st_size || text.empty()) {
      return std::nullopt;
    }
    if (text.front() == '{') return report_from_json(text);
    const std::size_t end = text.find(' ');
    return absl::Status(static_cast<absl::StatusCode>(std::stoi(text.substr(0, end))),
                        text.substr(end + 1));
  }

 private:
  const int file_;
};

class SharedAhead {
 public:
  SharedAhead() {
    void* const memory = mmap(nullptr, sizeof(ExecutionAhead), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    ahead_ = new (memory) ExecutionAhead;
  }
  ~SharedAhead() { munmap(ahead_, sizeof(ExecutionAhead)); }
  SharedAhead(const SharedAhead&) = delete;
  SharedAhead& operator=(const SharedAhead&) = delete;

  ExecutionAhead& operator*() const { return *ahead_; }

 private:
  ExecutionAhead* ahead_;
};

struct Run {
  std::optional<absl::StatusOr<Report>> answer;
  int status = 0;  // of the process that gave no answer
};

Run run_once(const Order& order, ExecutionAhead& ahead, const TestWithAhead& test) {
  const Answer answer;
  const ForkedChild child(
      [&] { answer.give(test(order, ahead, [&](const Report& last) { answer.give(last); })); });
  const int status = child.status();
  return {answer.taken(), status};
}

// "the process died of SIGSEGV"
std::string text_of_end(int status) {
  const ProcessEnd end = abnormal_end(status).value_or(ProcessEnd{});
  const auto failure = check_all(end, [](Oracle, std::uint64_t) {});
  return text_of(*failure, "thread");
}

// The order that executes again what was under way; absent if that is not known.
std::optional<Order> same_again(const Order& order, const ExecutionAhead& ahead) {
  if (!ahead.is_known()) return std::nullopt;
  Order again = order;
  again.program = ahead.program();
  again.schedule = to_text(ahead.schedule());
  again.memory = name_of(ahead.memory_model());
  again.weaken = again.exhaustive = false;
  return again;
}

}  // namespace

absl::StatusOr<Report> test_in_own_process(const RegisteredLock& entry, const Order& order,
                                           const TestWithAhead& test) {
  const auto began = std::chrono::steady_clock::now();
  const SharedAhead ahead;
  Run first = run_once(order, *ahead, test);
  if (first.answer) return *std::move(first.answer);
  Report report{.engine = "sim", .lock = entry.name, .verdict = Verdict::kInconclusive};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const std::string end = text_of_end(first.status);
  const std::optional<Order> again = same_again(order, *ahead);
  if (!again) {
    report.remarks.push_back(
        absl::StrCat("the engine died: ", end, ", and no program was running"));
    return report;
  }
  Run second = run_once(*again, *ahead, test);
  if (second.answer && second.answer->ok() && (*second.answer)->failure) {
    return *std::move(second.answer);
  }
  report.replay.options = {"--engine",   "sim",           "--program", again->program,
                           "--schedule", again->schedule, "--memory",  again->memory};
  if (second.answer || text_of_end(second.status) != end) {
    report.remarks.push_back(absl::StrCat("the engine died: ", end, "; it was in program `",
                                          again->program, "`, schedule ", again->schedule,
                                          ", under ", again->memory,
                                          "; the same program and schedule did not end it again"));
    return report;
  }
  report.verdict = Verdict::kFailed;
  report.failure = Failure{
      Oracle::kCrash,
      absl::StrCat(end,
                   ", and did so again with the same program and schedule; its last steps are "
                   "lost with it")};
  report.found_after_s = report.seconds;
  report.how = absl::StrCat("crash, ", again->memory);
  report.replay.exact = true;
  return report;
}

}  // namespace lockbench::stress::explore
