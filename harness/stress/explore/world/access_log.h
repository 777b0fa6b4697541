// SPDX-License-Identifier: Apache-2.0

// AccessLog: the accesses of an execution's threads to shared words, with their addresses in the
// code. Kept only for an execution that is shown to the user; costs nothing in all others.
//
// Guarantees   Equal executions give equal logs, except for the addresses of code.
// Requires     The calls come from outside of the program's memory (World::UntrackedScope).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockbench::stress::explore {

// Return addresses, innermost first, with a null after the last one.
using CallStack = std::array<const void*, 24>;

CallStack call_stack();

struct Access {
  enum Kind : std::uint8_t {
    kLoad,
    kStore,
    kBufferedStore,  // other threads see it when it leaves the buffer
    kFlush,          // a store leaves its buffer
    kUpdate,         // a read-modify-write that wrote
    kCompared,       // a compare-exchange that failed
    kFence,
    kFenceAll,
    kSleep,  // on a word that has the value `now`
    kAwake,  // did not sleep, because the word has another value than `now`
    kWake,   // woke `now` threads
    kWoken,  // continues after a sleep
    kTimedOut,
    kInterrupted,  // a signal ended the sleep
    kFree,         // of memory
    kGone,         // the word is destroyed
    kProcessor,    // the thread asks on which processor it runs: `now`
    kPlain,        // a plain access
  };
  std::uint64_t step = 0;
  std::uint32_t thread = 0;  // number in the world
  Kind kind = kLoad;
  const void* word = nullptr;
  unsigned bytes = 0;
  std::uint64_t was = 0;
  std::uint64_t now = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::size_t events = 0;   // number of events that were recorded before it
  std::uint32_t times = 1;  // repetitions in a row by one thread with the same result
  CallStack stack{};

  bool reads() const { return kind == kLoad || kind == kUpdate || kind == kCompared; }
  bool writes() const { return kind == kStore || kind == kBufferedStore || kind == kUpdate; }
};

// A block of memory that the program allocated.
struct Block {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint32_t thread = 0;
  bool is_handle = false;
  CallStack stack{};

  bool contains(const void* location) const {
    return location >= begin && location < begin + bytes;
  }
};

class AccessLog {
 public:
  // Clears the log. Starts to log if `on`.
  void reset(bool on);
  bool on() const { return on_; }

  // Leaves out [begin, begin + bytes), because it does not belong to the lock. Blocks are logged
  // from the beginning, accesses only after start().
  void leave_out(const void* begin, std::size_t bytes);
  void start() { started_ = on_; }
  void stop() { started_ = false; }
  bool keeps(const void* word) const;

  // Adds the access and sets its stack. If it repeats the access before it, only counts it there.
  void add(Access access);
  void add_block(Block block);
  // The next block will be a handle of the lock.
  void expect_handle() { expects_handle_ = on_; }

  const std::vector<Access>& accesses() const { return accesses_; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  bool on_ = false;
  bool started_ = false;
  bool expects_handle_ = false;
  std::vector<Access> accesses_;
  std::vector<Block> blocks_;
  std::vector<Block> left_out_;
};

}  // namespace lockbench::stress::explore
