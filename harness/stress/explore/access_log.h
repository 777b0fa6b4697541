// SPDX-License-Identifier: Apache-2.0

// AccessLog: what the threads of an execution did to shared words, with the places in the code that
// did it. Kept for an execution that is shown to people; costs nothing in all others.
//
// Guarantees   equal executions give equal logs, but for addresses of code.
// Requires     calls from outside of the program's memory (World::UntrackedScope).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockbench::stress::explore {

// Return addresses, the innermost first; null after the last one.
using CallStack = std::array<const void*, 24>;

CallStack call_stack();

struct Access {
  enum Kind : std::uint8_t {
    kLoad,
    kStore,
    kBufferedStore,  // which others see when it leaves the buffer
    kFlush,          // a store leaves its buffer
    kUpdate,         // a read-modify-write that wrote
    kCompared,       // one that compared in vain
    kFence,
    kFenceAll,
    kSleep,  // on a word that has the value `now`
    kAwake,  // did not sleep: the word has another value than `now`
    kWake,   // woke `now` threads
    kWoken,  // goes on after a sleep
    kTimedOut,
    kFree,   // of memory
    kGone,   // the end of a word's life
    kPlain,  // a plain access
  };
  std::uint64_t step = 0;
  std::uint32_t thread = 0;  // of the world
  Kind kind = kLoad;
  const void* word = nullptr;
  unsigned bytes = 0;
  std::uint64_t was = 0;
  std::uint64_t now = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::size_t events = 0;   // that were recorded before it
  std::uint32_t times = 1;  // in a row, by one thread, with the same result
  CallStack stack{};

  bool reads() const { return kind == kLoad || kind == kUpdate || kind == kCompared; }
  bool writes() const { return kind == kStore || kind == kBufferedStore || kind == kUpdate; }
};

// Memory that the program allocated.
struct Block {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint32_t thread = 0;
  bool is_handle = false;
  CallStack stack{};

  bool contains(const void* place) const { return place >= begin && place < begin + bytes; }
};

class AccessLog {
 public:
  // Forgets everything; keeps what follows if `on`.
  void reset(bool on);
  bool on() const { return on_; }

  // What is at [begin, begin + bytes) is not the lock's. Blocks are kept from the beginning,
  // accesses from start() on.
  void leave_out(const void* begin, std::size_t bytes);
  void start() { started_ = on_; }
  void stop() { started_ = false; }
  bool keeps(const void* word) const;

  // Sets the stack. What repeats the access before it is counted there.
  void add(Access access);
  void add_block(Block block);
  // The next block is a handle of the lock.
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
