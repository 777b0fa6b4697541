// SPDX-License-Identifier: Apache-2.0

// Journal: what the processes of one run were seen to do, in one order, in memory that outlives
// each of them.
//
// A record and its place in the order are written in one step: a compare-and-swap of the first word
// that is still empty. So a process leaves no gap, wherever it is killed, and what happens before
// something else stands before it. Takes are noted after lock() has returned, giving back before
// unlock() is called; a correct lock makes each unlock() happen before the lock() that it lets in
// returns. So what is noted of the holders of a correct lock is something that its model can do. No
// clock is asked.
//
// That a process is about to be killed is noted before it is: whoever finds it dead comes after
// that. What the process itself does until it is dead may come after it, too (possible.h).
//
// Invariants
//   I1  words before `hint_` are not empty; one that is not empty stays as it is.
//   I2  a page is written by the process of its number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/stress/threads/notebook.h"
#include "harness/stress/trace/shared_words.h"
#include "primitives/platform/layout.h"
#include "primitives/platform/shared_array.h"

namespace lockbench::stress::processes {

// Fits a Word, as which it is never 0.
struct Record {
  enum Kind : std::uint8_t { kTakes = 1, kLetsGo, kDoomed };
  Kind kind = kTakes;
  std::uint8_t process = 0;
  std::uint32_t act = 0;  // the take, by its place among the acts of the process

  bool operator==(const Record&) const = default;
};

class Journal final : public threads::Notebook {
 public:
  // Requires at most `room` calls of note() and doom().
  Journal(std::uint32_t processes, std::size_t room) : pages_(processes), records_(room) {}

  void wants(std::uint32_t process, std::uint32_t act) override {
    put(pages_[process].wants, act + 1);
  }
  void wants_nothing(std::uint32_t process) override { put(pages_[process].wants, 0); }
  void note(std::uint32_t process, threads::Entry entry) override;

  // By the one who is going to kill it.
  void doom(std::uint32_t process) {
    append({.kind = Record::kDoomed, .process = static_cast<std::uint8_t>(process)});
  }

  // A number that grows whenever anything is noted.
  std::uint64_t noted() const { return hint_->load(std::memory_order_relaxed); }
  bool is_inside(std::uint32_t process) const { return get(pages_[process].holds) != 0; }

  // The act in which it waits, or waited when it ended.
  std::optional<std::uint32_t> wanted_by(std::uint32_t process) const;

  std::vector<Record> records() const;

 private:
  struct alignas(platform::kCacheLine) Page {
    Word wants{0};  // an act's number and 1; 0: none
    Word holds{0};
  };

  void append(const Record& record);

  platform::SharedArray<Page> pages_;
  platform::SharedArray<Word> records_;
  platform::SharedObject<Word> hint_;
};

}  // namespace lockbench::stress::processes
