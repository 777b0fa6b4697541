// SPDX-License-Identifier: Apache-2.0

// Atomic accesses are relaxed if no comment says otherwise.
#include "harness/observe/recorder/process_life.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "harness/observe/recorder/changed_holds.h"
#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/pauses.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench::observe {
namespace {

std::atomic<bool> began{false};
std::atomic<bool> stopped{false};
// The path of this program's file. A copy of the process needs no system call for it.
char the_program[kMostPathBytes + 1] = {};

// The number of this process as the folder /proc counts: in another PID namespace, getpid()
// differs.
std::uint32_t number_of_this_process() {
  char text[16] = {};
  const ssize_t length = readlink("/proc/self", text, sizeof text - 1);
  std::uint32_t number = 0;
  for (ssize_t i = 0; i < length; ++i) {
    number = number * 10 + static_cast<std::uint32_t>(text[i] - '0');
  }
  return length > 0 ? number : static_cast<std::uint32_t>(getpid());
}

// The program that was to start in this process has started.
void forget_start(Header& header, std::uint32_t pid) {
  for (Started& one : header.started) {
    if (one.pid.load(kRelaxed) == pid) one.pid.store(0, kRelaxed);
  }
}

void note_processor_time(Process& process) {
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return;
  process.processor_ns.store(static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                                 static_cast<std::uint64_t>(used.tv_nsec),
                             kRelaxed);
}

void begin_process(bool forked) {
  Header& header = *MappedRecording::header();
  MappedArea& area = MappedRecording::area();
  const std::uint32_t pid = number_of_this_process();
  Process* const process = MappedRecording::claim(pid);
  forget_start(header, pid);
  if (process == nullptr) {
    area.refused.store(1, kRelaxed);
    return;
  }
  std::memcpy(process->modules[0].path.data(), the_program, sizeof the_program);
  process->parent.store(static_cast<std::uint32_t>(getppid()), kRelaxed);
  process->forked.store(forked ? 1 : 0, kRelaxed);
  const std::uint64_t now = ticks();
  process->start_ticks.store(now, kRelaxed);
  process->last_ticks.store(now, kRelaxed);
  process->start_ns.store(monotonic_ns(), kRelaxed);
  note_processor_time(*process);
  // release: a reader that sees the number sees the rest.
  process->pid.store(pid, std::memory_order_release);
  area.process.store(process, kRelaxed);
}

bool has_no_locks(const Process& process) {
  return process.places.load(kRelaxed) == 0 && process.placeless_acquisitions.load(kRelaxed) == 0;
}

// The record ends, as far as a system call is allowed to say when.
void end_record(Process& process, ProcessEnd end) {
  if (stopped.load(kRelaxed)) return;
  if (!MappedRecording::is_filtered()) note_processor_time(process);
  process.last_ticks.store(ticks(), kRelaxed);
  process.ended.store(static_cast<std::uint32_t>(end), kRelaxed);
}

}  // namespace

[[gnu::noinline, gnu::cold]] Process* internal::record_of_unknown_copy() {
  if (!began.load(kRelaxed) || stopped.load(kRelaxed)) return nullptr;
  if (MappedRecording::area().refused.load(kRelaxed) != 0) return nullptr;
  begin_in_child();
  return MappedRecording::area().process.load(kRelaxed);
}

void begin_recording(const char* path) {
  if (!MappedRecording::open(path)) return;
  if (readlink("/proc/self/exe", the_program, sizeof the_program - 1) < 0) the_program[0] = '\0';
  began.store(true, kRelaxed);
  begin_changing(*MappedRecording::header(), the_program);
  begin_process(false);
}

void begin_in_child() {
  if (!began.load(kRelaxed) || stopped.load(kRelaxed)) return;
  if (MappedRecording::is_filtered()) {
    MappedRecording::area().refused.store(1, kRelaxed);
    MappedRecording::header()->under_filter.fetch_add(1, kRelaxed);
    return;
  }
  if (some_pause()) begin_pauses_in_child();
  begin_process(true);
}

void process_ends() {
  Process* const process = MappedRecording::area().process.load(kRelaxed);
  if (process == nullptr) return;
  // A child of vfork() ends in its parent's memory.
  if (!MappedRecording::is_filtered() && process->pid.load(kRelaxed) != number_of_this_process()) {
    return;
  }
  if (some_pause()) {
    Thread& thread = this_thread();
    if (thread.process != process) begin_thread(thread, *process);
    account_for_pauses(thread, *MappedRecording::header());
  }
  end_record(*process, ProcessEnd::kExited);
  if (has_no_locks(*process)) MappedRecording::give_back();
}

void program_starts(unsigned pid, const char* program, bool has_variable) {
  if (!began.load(kRelaxed) || MappedRecording::is_filtered()) return;
  Header& header = *MappedRecording::header();
  const std::uint32_t number = pid != 0 ? pid : number_of_this_process();
  Process* const process = MappedRecording::area().process.load(kRelaxed);
  if (pid == 0 && process != nullptr && process->pid.load(kRelaxed) == number) {
    end_record(*process, ProcessEnd::kExecuted);
  }
  // A process that posix_spawn() started may have its record already.
  if (pid != 0 && std::any_of(header.slots.begin(), header.slots.end(),
                              [number](const Number& n) { return n.load(kRelaxed) == number; })) {
    return;
  }
  for (Started& one : header.started) {
    std::uint32_t free = 0;
    if (!one.pid.compare_exchange_strong(free, number, kRelaxed)) continue;
    one.environment.store(has_variable ? 0 : 1, kRelaxed);
    std::memset(one.program.data(), 0, one.program.size());
    std::strncpy(one.program.data(), program, one.program.size() - 1);
    return;
  }
  header.started_lost.fetch_add(1, kRelaxed);
}

void program_did_not_start() {
  if (!began.load(kRelaxed) || MappedRecording::is_filtered()) return;
  const std::uint32_t number = number_of_this_process();
  forget_start(*MappedRecording::header(), number);
  Process* const process = MappedRecording::area().process.load(kRelaxed);
  if (process != nullptr && process->pid.load(kRelaxed) == number) {
    process->ended.store(static_cast<std::uint32_t>(ProcessEnd::kUnknown), kRelaxed);
  }
}

void filter_begins() {
  if (began.load(kRelaxed) && !stopped.load(kRelaxed)) MappedRecording::prepare_for_filter();
}

void strict_mode_begins() {
  Process* const process = MappedRecording::area().process.load(kRelaxed);
  if (process == nullptr) return;
  end_record(*process, ProcessEnd::kUnknown);
  process->stopped.store(1, kRelaxed);
  stopped.store(true, kRelaxed);
  MappedRecording::area().process.store(nullptr, kRelaxed);
}

}  // namespace lockbench::observe
