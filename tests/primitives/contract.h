// What the contract tests share: the primitive under test, keys for it, and other threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/concepts.h"
#include "primitives/platform/clock.h"

namespace lockbench {

inline constexpr std::size_t kManyKeys = 10'000;

// The key of number `i`, up to kManyKeys; long enough that a string does not fit into its object.
template <Key K>
K key_of(std::size_t i) {
  if constexpr (std::same_as<K, std::string_view>) {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> made;
      for (std::size_t n = 0; n <= kManyKeys; ++n) {
        made.push_back("user" + std::to_string(n) + "@mail.example.org");
      }
      return made;
    }();
    return names[i];
  } else {
    return i;
  }
}

// Runs `work(number)` in `count` threads that start together, and waits for them.
template <class Work>
void run_threads(std::size_t count, const Work& work) {
  std::latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
}

// Runs `work()` in another thread and returns its answer.
template <class Work>
bool elsewhere(const Work& work) {
  bool answer = false;
  std::jthread([&] { answer = work(); }).join();
  return answer;
}

// Lets time pass that the tested behaviour is defined by, and others run.
inline void let_pass(platform::Duration duration) {
  const platform::Time until = platform::now() + duration;
  while (platform::now() < until) std::this_thread::yield();
}

// The number of the holder's lease; 0 where holders have none.
template <class Handle>
std::uint32_t lease_of(const Handle& handle) {
  if constexpr (requires { handle.lease(); }) {
    return handle.lease();
  } else {
    return 0;
  }
}

// Threads that are inside with one key, as many as it takes, until they are let go.
template <class P, class K>
class Holders {
 public:
  Holders(P& primitive, K key, std::uint32_t count) : inside_(static_cast<std::ptrdiff_t>(count)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, &primitive, key] {
        auto handle = primitive.handle(key);
        std::scoped_lock guard(handle);
        inside_.count_down();
        let_go_.wait();
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
  std::latch inside_;
  std::latch let_go_{1};
  std::vector<std::jthread> threads_;
};

template <class S>
class ContractTest : public ::testing::Test {
 protected:
  using P = typename S::Primitive;
  using K = typename S::KeyType;

  static K key(std::size_t i) { return key_of<K>(i); }
  auto handle(std::size_t i) { return primitive_->handle(key(i)); }

  // Takes all that key `i` has, in other threads.
  Holders<P, K> take_all(std::size_t i) {
    return Holders<P, K>(*primitive_, key(i), primitive_->capacity());
  }

  // Whether another thread could lock key `i` right now.
  bool is_free(std::size_t i) {
    return elsewhere([&] {
      auto tried = handle(i);
      if (!tried.try_lock()) return false;
      tried.unlock();
      return true;
    });
  }

  const std::unique_ptr<P> primitive_ = S::make();
};

}  // namespace lockbench
