// SPDX-License-Identifier: Apache-2.0

// ServedLock: a lock that a thread of its own grants, in the order of the requests that it gets.
// Every call waits for its answer, unlock() included.
#pragma once

#include <list>
#include <mutex>

#include "primitives/concepts.h"
#include "primitives/platform/mutex.h"
#include "primitives/platform/thread.h"

namespace lockbench::mutants {

// kLastFirst: grants the lock to the last thread that requested it.
template <bool kLastFirst>
class ServedLock {
 public:
  static constexpr Promises kPromises{.fair = true, .strong_try = true};

  ServedLock() : server_([this] { serve(); }) {}
  ~ServedLock() {
    {
      const std::scoped_lock guard(mutex_);
      stops_ = true;
      asked_.notify_one();
    }
    server_.join();
  }
  ServedLock(const ServedLock&) = delete;
  ServedLock& operator=(const ServedLock&) = delete;

  void lock() { ask(Request::kLock); }
  bool try_lock() { return ask(Request::kTry); }
  void unlock() { ask(Request::kUnlock); }

 private:
  struct Request {
    enum Kind { kLock, kTry, kUnlock };
    Kind kind;
    bool answered = false;
    bool granted = false;
    platform::ConditionVariable told;
  };

  bool ask(typename Request::Kind kind) {
    std::unique_lock guard(mutex_);
    Request request{.kind = kind};
    requests_.push_back(&request);
    asked_.notify_one();
    while (!request.answered) request.told.wait(guard);
    return request.granted;
  }

  void serve() {
    std::unique_lock guard(mutex_);
    for (;;) {
      while (requests_.empty() && !stops_) asked_.wait(guard);
      if (requests_.empty()) return;
      Request& request = *requests_.front();
      requests_.pop_front();
      decide(request);
    }
  }

  // Under the mutex, as are those below.
  void decide(Request& request) {
    if (request.kind == Request::kUnlock) {
      held_ = !waiters_.empty();
      if (held_) answer(take_next(), true);
      return answer(request, true);
    }
    if (held_ && request.kind == Request::kLock) return waiters_.push_back(&request);
    answer(request, !held_);
    held_ = true;
  }

  Request& take_next() {
    Request* const next = kLastFirst ? waiters_.back() : waiters_.front();
    waiters_.remove(next);
    return *next;
  }

  static void answer(Request& request, bool granted) {
    request.granted = granted;
    request.answered = true;
    request.told.notify_one();
  }

  platform::Mutex mutex_;
  platform::ConditionVariable asked_;
  std::list<Request*> requests_;
  std::list<Request*> waiters_;
  bool held_ = false;
  bool stops_ = false;
  platform::Thread server_;
};

}  // namespace lockbench::mutants
