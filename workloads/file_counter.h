// SPDX-License-Identifier: Apache-2.0

// FileCounter: processes that add to a number in a file. This is the work of the second seed.
//
// An operation opens the file, reads and closes it, holds, opens it again, writes the number plus
// one and closes it, like the script in the article. Unlike there, the file is not emptied before
// it is written: the number has a fixed width and is overwritten in one call. If a process is
// killed at any moment, the file therefore has the old number or the new one, never a part of one.
//
// Proof. Each process counts its additions; the sum must be the number in the file. No other
// process may be inside, so a shared word must be empty when a process enters, and must be the
// process's own until it leaves.
#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "primitives/platform/file.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/scratch_folder.h"
#include "workloads/operation.h"

namespace lockbench {

// A number in a file, as text of a fixed width.
class NumberFile {
 public:
  // Requires a folder that this process can write.
  explicit NumberFile(const std::string& folder) : folder_(platform::open_folder(folder.c_str())) {
    write(0);
  }

  // Absent if the file does not contain a whole number: only a part of one, or nothing.
  std::optional<std::uint64_t> read() const {
    std::string text;
    platform::read_file(folder_, kName, text);
    if (text.size() != kDigits + 1) return std::nullopt;
    std::uint64_t number = 0;
    const char* const last = text.data() + kDigits;
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc() || end != last) return std::nullopt;
    return number;
  }

  // Returns false if the file system reports an error.
  bool write(std::uint64_t number) const {
    std::array<char, kDigits + 1> text;
    text.fill('0');
    text.back() = '\n';
    for (std::size_t digit = kDigits; number != 0; number /= 10) {
      text[--digit] = static_cast<char>('0' + number % 10);
    }
    return platform::overwrite_file(folder_, kName, {text.data(), text.size()}) == 0;
  }

 private:
  static constexpr char kName[] = "counter";
  static constexpr std::size_t kDigits = 20;

  const platform::FileDescriptor folder_;
};

// The shared memory of the processes of a trial: which one is inside, and what each has done.
class ProcessTallies {
 public:
  static constexpr std::uint32_t kNobody = 0;

  // Throws std::bad_alloc.
  explicit ProcessTallies(std::uint32_t processes)
      : bytes_((processes + 1) * sizeof(Line)),
        lines_(static_cast<Line*>(platform::map_shared({}, bytes_))) {
    if (lines_ == nullptr) throw std::bad_alloc();
    for (std::uint32_t i = 0; i <= processes; ++i) new (lines_ + i) Line;
  }
  ~ProcessTallies() { platform::unmap_shared(lines_, bytes_); }
  ProcessTallies(const ProcessTallies&) = delete;
  ProcessTallies& operator=(const ProcessTallies&) = delete;

  // Returns whether no process was inside. relaxed, here and below: the lock under test must order
  // these.
  bool enter(std::uint32_t process) {
    const bool alone = inside().load(std::memory_order_relaxed) == kNobody;
    inside().store(process + 1, std::memory_order_relaxed);
    return alone;
  }
  bool is_inside(std::uint32_t process) const {
    return inside().load(std::memory_order_relaxed) == process + 1;
  }
  void leave() { inside().store(kNobody, std::memory_order_relaxed); }

  void note_increment(std::uint32_t process) { add_one(of(process).increments); }
  void note_violation(std::uint32_t process) { add_one(of(process).violations); }
  std::uint64_t increments(std::uint32_t process) const { return of(process).increments.load(); }
  std::uint64_t violations(std::uint32_t process) const { return of(process).violations.load(); }

 private:
  struct alignas(platform::kCacheLine) Line {
    std::atomic<std::uint64_t> increments{0};  // in the first line: the process that is inside
    std::atomic<std::uint64_t> violations{0};
  };

  // Only the process itself writes its line.
  static void add_one(std::atomic<std::uint64_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t>& inside() const { return lines_[0].increments; }
  Line& of(std::uint32_t process) const { return lines_[process + 1]; }

  const std::size_t bytes_;
  Line* const lines_;
};

template <class P, Key K>
class FileCounter {
 public:
  using KeyKind = K;

  static constexpr std::string_view kName = "file_counter";
  static constexpr std::string_view kSummary =
      "processes, as many as there are threads elsewhere, add to a number in a file";
  static constexpr bool kProcesses = true;
  static constexpr bool kAccepts =
      kOneHolder<P, K> && (P::kPromises.scope != Scope::kThread || !P::kPromises.excludes);
  static constexpr std::string_view kNeeds = "a lock between processes (file and its peers)";
  static constexpr std::array<std::string_view, 0> kScenarios{};

  static constexpr std::array<std::string_view, 4> kUsualPrimitives{
      "file", "file_flock", "file_ofd", "file_robust_mutex"};
  static constexpr std::uint64_t kUsualKeys = 1;

  static std::string refusal(const WorkloadSettings& settings, std::uint64_t) {
    return settings.keys == 1 ? "" : "counts in one file; take 1 key, or leave keys out";
  }

  FileCounter(P& primitive, const WorkloadSettings& settings, const SpinPace& pace)
      : primitive_(primitive),
        settings_(settings),
        hold_(settings.hold, pace),
        names_(1, "counter", ""),
        file_(folder_.path()),
        tallies_(settings.threads) {}

  // It runs in a process of its own and uses one handle again and again.
  class Actor {
   public:
    Actor(FileCounter& workload, std::uint32_t process)
        : workload_(workload),
          process_(process),
          handle_(new Owned(workload)),
          lines_(workload.hold_.lines()) {}

    template <class Probe>
    bool operate(Probe& probe) {
      if (!probe.acquire(handle_->handle, workload_.settings_.timeout)) [[unlikely]] {
        ++given_up_;
        return false;
      }
      ProcessTallies& tallies = workload_.tallies_;
      const bool found_empty = tallies.enter(process_);
      const std::optional<std::uint64_t> number = workload_.file_.read();
      workload_.hold_.perform(lines_.data());
      if (!found_empty || !number || !tallies.is_inside(process_)) [[unlikely]]
        tallies.note_violation(process_);
      if (workload_.file_.write(number.value_or(0) + 1)) tallies.note_increment(process_);
      tallies.leave();
      probe.release(handle_->handle);
      return true;
    }

    std::uint64_t given_up() const { return given_up_; }
    const Actor& tally() const { return *this; }

   private:
    // A handle cannot be moved, and an actor can.
    struct Owned {
      explicit Owned(FileCounter& workload)
          : handle(workload.primitive_.handle(workload.names_[0])) {}
      HandleOf<P, K> handle;
    };

    FileCounter& workload_;
    const std::uint32_t process_;
    std::unique_ptr<Owned> handle_;
    std::vector<CacheLine> lines_;
    std::uint64_t given_up_ = 0;
  };

  using Tally = Actor;

  Actor actor(std::uint32_t process) { return Actor(*this, process); }

  Proof prove(const Tallies<Tally>&) const {
    Proof proof;
    std::uint64_t increments = 0;
    for (std::uint32_t process = 0; process < settings_.threads; ++process) {
      increments += tallies_.increments(process);
      proof.violations += tallies_.violations(process);
    }
    const std::optional<std::uint64_t> number = file_.read();
    if (!number) ++proof.violations;
    const std::uint64_t found = number.value_or(0);
    proof.lost_updates = increments > found ? increments - found : found - increments;
    proof.counts = std::to_string(found);
    return proof;
  }

  std::optional<HoldBound> hold_bound() const {
    return HoldBound{.busiest_key_holds = settings_.operations * settings_.threads,
                     .busiest_thread_holds = settings_.operations,
                     .holds = settings_.operations * settings_.threads};
  }

 private:
  P& primitive_;
  const WorkloadSettings settings_;
  const Worker hold_;
  const KeySpace<K> names_;
  const platform::ScratchFolder folder_;
  const NumberFile file_;
  ProcessTallies tallies_;
};

}  // namespace lockbench
