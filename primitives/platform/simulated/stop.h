// SPDX-License-Identifier: Apache-2.0

// Simulated requests to stop. Correct by being plain: a mutex guards all that is shared.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "primitives/platform/simulated/mutex.h"
#include "primitives/platform/simulated/thread.h"

namespace lockbench::platform {

namespace internal {

struct StopCall {
  virtual void call() = 0;

 protected:
  ~StopCall() = default;
};

class StopState {
 public:
  bool is_requested() {
    const std::lock_guard guard(mutex_);
    return requested_;
  }

  void request() {
    std::unique_lock lock(mutex_);
    if (std::exchange(requested_, true)) return;
    calling_thread_ = this_thread();
    while (!calls_.empty()) {
      under_way_ = calls_.back();
      calls_.pop_back();
      lock.unlock();
      under_way_->call();
      lock.lock();
      under_way_ = nullptr;
      ended_.notify_all();
    }
  }

  // False: a stop was requested before.
  bool add(StopCall& call) {
    const std::lock_guard guard(mutex_);
    if (!requested_) calls_.push_back(&call);
    return !requested_;
  }

  // Waits until a call that another thread makes has ended.
  void remove(StopCall& call) {
    std::unique_lock lock(mutex_);
    std::erase(calls_, &call);
    if (calling_thread_ == this_thread()) return;
    ended_.wait(lock, [&] { return under_way_ != &call; });
  }

 private:
  Mutex mutex_;
  ConditionVariable ended_;
  bool requested_ = false;
  std::vector<StopCall*> calls_;
  StopCall* under_way_ = nullptr;
  ThreadToken calling_thread_ = kNoThread;
};

}  // namespace internal

class StopToken {
 public:
  bool stop_requested() const { return state_->is_requested(); }

 private:
  friend class StopSource;
  template <class Callback>
  friend class StopCallback;
  explicit StopToken(std::shared_ptr<internal::StopState> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::StopState> state_;
};

class StopSource {
 public:
  StopToken get_token() const { return StopToken(state_); }
  void request_stop() { state_->request(); }

 private:
  std::shared_ptr<internal::StopState> state_ = std::make_shared<internal::StopState>();
};

template <class Callback>
class StopCallback final : internal::StopCall {
 public:
  StopCallback(const StopToken& stop, Callback callback)
      : state_(stop.state_), callback_(std::move(callback)) {
    if (!state_->add(*this)) callback_();
  }
  ~StopCallback() { state_->remove(*this); }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

 private:
  void call() override { callback_(); }

  const std::shared_ptr<internal::StopState> state_;
  Callback callback_;
};

template <class Callback>
[[nodiscard]] StopCallback<Callback> on_stop(const StopToken& stop, Callback callback) {
  return StopCallback<Callback>(stop, std::move(callback));
}

}  // namespace lockbench::platform
