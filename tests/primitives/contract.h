// SPDX-License-Identifier: Apache-2.0

// Parts that the contract tests share: the primitive under test, keys for it, and other threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/platform/clock.h"
#include "tests/primitives/any_primitive.h"
#include "tests/primitives/threads.h"

namespace lockbench {

// Runs `work(number)` in `count` threads that start together, and waits for them.
template <class Work>
void run_threads(std::size_t count, const Work& work) {
  Latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<JoiningThread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
}

// Runs `work()` in another thread and returns its answer.
template <class Work>
auto elsewhere(const Work& work) {
  decltype(work()) answer{};
  JoiningThread([&] { answer = work(); }).join();
  return answer;
}

// True if another thread could lock this key of `locks` right now.
template <class Locks, class... K>
bool is_free(Locks&& locks, const K&... key) {
  return elsewhere([&] {
    auto handle = locks.handle(key...);
    if (!handle.try_lock()) return false;
    handle.unlock();
    return true;
  });
}

// Lets time pass that the tested behaviour is defined by, and others run.
inline void let_pass(platform::Duration duration) {
  const platform::Time until = platform::now() + duration;
  while (platform::now() < until) std::this_thread::yield();
}

// Threads that are inside with one key, until they are let go.
class Holders {
 public:
  Holders(AnyPrimitive& primitive, std::size_t key, std::uint32_t count)
      : inside_(static_cast<std::ptrdiff_t>(count)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, &primitive, key] {
        primitive.inside(key, [this] {
          inside_.count_down();
          let_go_.wait();
        });
      });
    }
    inside_.wait();
  }

  ~Holders() { let_go(); }

  void let_go() {
    if (threads_.empty()) return;
    let_go_.count_down();
    threads_.clear();
  }

 private:
  Latch inside_;
  Latch let_go_{1};
  std::vector<JoiningThread> threads_;
};

// A test over candidates, each with a primitive of its own.
class ContractTest : public ::testing::TestWithParam<Candidate> {
 protected:
  AnyHandle handle_of(std::size_t key) { return primitive_->handle(key); }

  // Takes all that `key` has, in other threads.
  Holders take_all(std::size_t key) { return Holders(*primitive_, key, primitive_->capacity()); }

  // Takes all but one unit of it.
  Holders take_all_but_one(std::size_t key) {
    return Holders(*primitive_, key, primitive_->capacity() - 1);
  }

  // True if another thread could lock `key` right now.
  bool is_free(std::size_t key) { return lockbench::is_free(*primitive_, key); }

  const std::unique_ptr<AnyPrimitive> primitive_ = GetParam().make(kLeases);
};

// The candidates for which `wanted(candidate)` is true.
template <class Wanted>
auto candidates_where(const Wanted& wanted) {
  std::vector<Candidate> chosen;
  std::ranges::copy_if(candidates(), std::back_inserter(chosen), wanted);
  return ::testing::ValuesIn(chosen);
}

inline std::string name_of(const ::testing::TestParamInfo<Candidate>& info) {
  return info.param.name;
}

}  // namespace lockbench
