// SPDX-License-Identifier: Apache-2.0

// Watchdog: a thread that calls a function for each entry again and again, at a fixed distance.
//
// fork()       a child starts with no entries and without a thread; add() starts one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <sys/types.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockbench::services {

template <class Entry>
class Watchdog {
 public:
  using Look = std::function<void(Entry&)>;

  Watchdog(std::chrono::nanoseconds period, Look look) : period_(period), look_(std::move(look)) {}
  ~Watchdog() {
    // A child that was forked has no thread: what it inherited cannot be ended.
    if (own_ != nullptr && own_->process != getpid()) static_cast<void>(own_.release());
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void add(std::shared_ptr<Entry> entry) {
    Own& own = of_this_process();
    std::scoped_lock guard(own.mutex);
    own.entries.insert(std::move(entry));
  }

  void remove(const std::shared_ptr<Entry>& entry) {
    Own& own = of_this_process();
    std::scoped_lock guard(own.mutex);
    own.entries.erase(entry);
  }

 private:
  // The part that belongs to one process.
  struct Own {
    explicit Own(Watchdog& watchdog)
        : process(getpid()),
          thread([this, &watchdog](const std::stop_token& stop) { run(watchdog, stop); }) {}

    void run(Watchdog& watchdog, const std::stop_token& stop) {
      std::unique_lock guard(mutex);
      while (!stop.stop_requested()) {
        changed.wait_for(guard, stop, watchdog.period_, [] { return false; });
        const std::vector<std::shared_ptr<Entry>> now(entries.begin(), entries.end());
        guard.unlock();
        for (const std::shared_ptr<Entry>& entry : now) watchdog.look_(*entry);
        guard.lock();
      }
    }

    const pid_t process;
    std::mutex mutex;  // guards entries
    std::condition_variable_any changed;
    std::set<std::shared_ptr<Entry>> entries;
    std::jthread thread;  // last: it uses the members above
  };

  Own& of_this_process() {
    std::scoped_lock guard(mutex_);
    if (own_ != nullptr && own_->process != getpid()) static_cast<void>(own_.release());
    if (own_ == nullptr) own_ = std::make_unique<Own>(*this);
    return *own_;
  }

  const std::chrono::nanoseconds period_;
  const Look look_;
  std::mutex mutex_;  // guards own_
  std::unique_ptr<Own> own_;
};

}  // namespace lockbench::services
