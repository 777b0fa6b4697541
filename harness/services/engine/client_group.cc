// SPDX-License-Identifier: Apache-2.0

#include "harness/services/engine/client_group.h"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <vector>

#include "harness/stress/supervision/children.h"
#include "harness/stress/supervision/watched_child.h"
#include "primitives/platform/clock.h"
#include "primitives/platform/thread.h"
#include "primitives/service.h"

namespace lockbench::stress::services {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeouts[] = {milliseconds(0), milliseconds(3), milliseconds(100)};
constexpr std::uint64_t kLocks = 7;  // of the draws below 8 that decide how a key is acquired

// A client that cannot reach its service asks again after a while.
constexpr milliseconds kAfterError{5};

void raise_to(std::atomic<std::uint64_t>& word, std::uint64_t value) {
  // relaxed: tokens are compared with those of calls that had returned; nothing else is read.
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (seen < value && !word.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

Client::Client(const EpochContext& context, std::uint32_t number, std::uint64_t life)
    : context_(context),
      state_(context.state),
      slot_(state_.slots[number]),
      number_(number),
      random_(derive_seed(context.plan.seed, std::uint64_t{number} * 1'000'003 + life)) {}

void Client::run() {
  while (!stopping()) {
    hold(static_cast<std::uint32_t>(random_.below(context_.plan.keys)), random_.below(8));
  }
  const auto last = static_cast<std::uint32_t>(random_.below(context_.plan.keys));
  while (!hold(last, kLocks)) {
  }
  record(Act::kEnds);
}

// `how`: below 8. Returns false if the key was not acquired.
bool Client::hold(std::uint32_t key, std::uint64_t how) {
  // relaxed: see raise_to().
  const std::uint64_t before = state_.granted[key].load(std::memory_order_relaxed);
  const std::unique_ptr<LockHandle> handle = context_.lock.handle(key);
  record(Act::kRequests, key);
  const std::uint64_t requested_ns = now_ns();
  put(slot_.requested_ns, requested_ns);
  const bool acquired = acquire(*handle, key, how);
  put(slot_.requested_ns, 0);
  if (!acquired) return false;
  const std::uint64_t token = context_.entry.abilities.tokens ? handle->token() : 0;
  put(slot_.holding, key + 1);
  slot_.holds.add(key, token, requested_ns, now_ns());
  record(Act::kAcquires, key, token);
  add(slot_.acquisitions);
  if (context_.entry.abilities.tokens) check_token(key, before, token);
  // With several holders, nobody can count without losing updates.
  if (context_.lock.capacity() == 1) {
    count(key, token);
  } else {
    sleep_while_holding();
  }
  record(Act::kReleases, key);
  put(slot_.holding, 0);
  slot_.holds.note_release(now_ns());
  handle->unlock();
  record(Act::kReleased, key);
  return true;
}

bool Client::acquire(LockHandle& handle, std::uint32_t key, std::uint64_t how) {
  try {
    if (how == 0) {
      if (handle.try_lock()) return true;
    } else if (how == 1 && context_.entry.abilities.timed) {
      if (handle.try_lock_for(kTimeouts[random_.below(std::size(kTimeouts))])) return true;
    } else {
      handle.lock();
      return true;
    }
    record(Act::kIsRefused, key);
    add(slot_.refusals);
  } catch (const ServiceError&) {
    record(Act::kIsToldLost, key);
    add(slot_.service_errors);
    platform::sleep_until(platform::now() + kAfterError);
  } catch (...) {
    check(state_, number_, EscapedException{.thread = number_, .key = key});
  }
  return false;
}

// `before`: the greatest token that a client had returned with when this one asked.
void Client::check_token(std::uint32_t key, std::uint64_t before, std::uint64_t token) {
  raise_to(state_.granted[key], token);
  check(state_, number_,
        TokenAfter{.thread = number_, .key = key, .before = before, .token = token});
}

void Client::count(std::uint32_t key, std::uint64_t token) {
  const Resource::Read seen = context_.resource.read(key, number_, token);
  record(seen.accepted ? Act::kReads : Act::kReadRefused, key, seen.number);
  if (!seen.accepted) return add(slot_.refused_by_resource);
  sleep_while_holding();
  add(slot_.begun[key]);
  const Resource::Write write = context_.resource.write(key, number_, token, seen.number + 1);
  if (!write.accepted) {
    record(Act::kWriteRefused, key, seen.number + 1);
    put(slot_.begun[key], get(slot_.begun[key]) - 1);
    return add(slot_.refused_by_resource);
  }
  add(slot_.done[key]);
  const bool follows = write.found == seen.number;
  record(follows ? Act::kWrites : Act::kOverwrites, key, seen.number + 1);
  if (!follows) add(slot_.lost_updates);
  check(state_, number_,
        ResourceWrite{.thread = number_,
                      .key = key,
                      .last_writer = write.last_writer,
                      .read = seen.number,
                      .found = write.found});
}

void Client::sleep_while_holding() {
  const auto longest = static_cast<std::uint64_t>(context_.plan.longest_hold.count()) * 1000;
  if (longest == 0) return;
  platform::sleep_until(platform::now() + std::chrono::microseconds(random_.below(longest + 1)));
}

void Client::record(Act::Kind kind, std::uint32_t key, std::uint64_t number) {
  const std::uint64_t now = now_ns();
  const std::uint64_t failed = get(state_.failed_ns);
  if (failed != 0 && now > failed) return;
  slot_.trace.record({.kind = kind, .client = number_, .key = key, .number = number, .at_ns = now});
}

ClientGroup::~ClientGroup() {
  for (const pid_t process : processes_) {
    if (process == 0) continue;
    kill_child(process);
    collect_child(process);
  }
}

void ClientGroup::start(std::uint32_t slot) {
  ClientSlot& state = context_.state.slots[slot];
  add(state.life);
  put(state.holding, 0);
  put(state.requested_ns, 0);
  const std::uint64_t life = get(state.life);
  processes_[slot] = start_child([&] {
    std::signal(SIGPIPE, SIG_DFL);  // a lock must not need its user to ignore it
    Client(context_, slot, life).run();
  });
}

std::uint32_t ClientGroup::collect() {
  std::uint32_t left = 0;
  for (std::uint32_t slot = 0; slot < kMostClients; ++slot) {
    int status = 0;
    if (!alive(slot)) continue;
    if (waitpid(processes_[slot], &status, WNOHANG) != processes_[slot]) {
      ++left;
      continue;
    }
    processes_[slot] = 0;
    if (const auto end = abnormal_end(status, slot)) check(context_.state, kOwnSlot, *end);
  }
  return left;
}

void ClientGroup::stop(std::uint32_t slot) {
  stop_child(processes_[slot]);
  stopped_[slot] = true;
}

void ClientGroup::go_on(std::uint32_t slot) {
  stopped_[slot] = false;
  if (alive(slot)) kill(processes_[slot], SIGCONT);
}

void ClientGroup::replace(std::uint32_t slot) {
  kill_child(processes_[slot]);
  collect_child(processes_[slot]);
  stopped_[slot] = false;
  start(slot);
}

std::optional<std::uint32_t> ClientGroup::holder(std::uint64_t draw) const {
  std::vector<std::uint32_t> holders;
  for (std::uint32_t slot = 0; slot < kMostClients; ++slot) {
    const bool holds = get(context_.state.slots[slot].holding) != 0;
    if (alive(slot) && !stopped(slot) && holds) holders.push_back(slot);
  }
  if (holders.empty()) return std::nullopt;
  return holders[draw % holders.size()];
}

}  // namespace lockbench::stress::services
