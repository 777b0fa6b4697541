// SPDX-License-Identifier: Apache-2.0

// Simulated threads: fibres of the scheduler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "primitives/platform/clock.h"
#include "primitives/platform/simulated/hooks.h"

namespace lockbench::platform {

using ThreadToken = std::uint64_t;

inline constexpr ThreadToken kNoThread = 0;

// Never 0, and never used again within an execution.
inline ThreadToken this_thread() noexcept {
  return simulated::thread_number() + ThreadToken{1};
}

class Thread {
 public:
  Thread() = default;
  template <class Body, class... Arguments>
  explicit Thread(Body body, Arguments... arguments)
      : number_(simulated::start(
            [body = std::move(body), ... arguments = std::move(arguments)]() mutable {
              std::invoke(body, arguments...);
            })) {}
  Thread(Thread&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Thread& operator=(Thread&& other) noexcept {
    number_ = std::exchange(other.number_, 0);
    return *this;
  }

  bool joinable() const noexcept { return number_ != 0; }
  void join() noexcept { simulated::join(std::exchange(number_, 0)); }
  void detach() noexcept { number_ = 0; }

 private:
  std::uint32_t number_ = 0;
};

inline void sleep_until(Time deadline) {
  simulated::sleep_until_ns(deadline.time_since_epoch().count());
}

template <class T>
T& of_this_thread() {
  return *static_cast<T*>(simulated::of_this_thread([]() -> void* { return new T(); }));
}

template <class T>
T& of_this_process() {
  return *static_cast<T*>(simulated::of_this_process([]() -> void* { return new T(); }));
}

#if defined(LOCKBENCH_MACHINE_MODEL)
constexpr std::size_t table_size(std::size_t usual) noexcept {
  return usual;
}
#else
constexpr std::size_t table_size(std::size_t) noexcept {
  return 2;
}
#endif

}  // namespace lockbench::platform
