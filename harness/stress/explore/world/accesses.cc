// SPDX-License-Identifier: Apache-2.0

// The accesses and calls of the program in its world, each after the decision which thread runs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "harness/stress/explore/world/world.h"

namespace lockbench::stress::explore {
namespace {

bool same_bits(std::uint64_t one, std::uint64_t other, unsigned bytes) {
  return std::memcmp(&one, &other, bytes) == 0;
}

}  // namespace

bool World::settle() {
  if (!memory_.others_buffer(running_)) return true;
  const UntrackedScope untracked(*this);
  if (memory_.weak()) return choose_arrival();
  point(&kAnyWord);
  return !memory_.others_buffer(running_);
}

// A word whose end was not announced exists until its memory is freed.
void World::check_life(const void* word) {
  if (memory_.dead_word()) leave(End::kFailed);
  check_freed(word);
}

void World::check_beginning(const void* word) {
  if (!memory_.beginning_is_unordered(running_, word)) return;
  fail_memory("a shared word is used, and nothing orders that after the beginning of its life",
              word);
}

void World::constructed(const void* word, unsigned bytes) {
  const UntrackedScope untracked(*this);
  if (making_ == running_ + 1) return memory_.add_unannounced(word, bytes);
  memory_.constructed(running_, word, bytes);
}

void World::destroyed(const void* word) {
  const UntrackedScope untracked(*this);
  note_access(Access::kGone, word, 0, 0, 0);
  if (orders_ends() && memory_.end_is_unordered(running_, word)) {
    fail_memory("the life of a shared word ends, and nothing orders that after its last use",
                nullptr);
  }
  memory_.destroyed(running_, word);
}

std::size_t World::choose(std::span<const Option> options) {
  const std::size_t chosen = strategy_->choose({.step = execution_.steps,
                                                .state = memory_.state(),
                                                .running = running_,
                                                .may_go_on = true,
                                                .all_paused = false,
                                                .options = options});
  if (chosen == Strategy::kLeave) leave(End::kLeft);
  note_decision(options[chosen]);
  return chosen;
}

// A follower decides itself. What would be the decision of others is noted all the same, so that
// the schedule repeats the execution.
std::size_t World::choose_as_told(const NextAccess& next, std::span<const Option> options) {
  const std::size_t chosen = follower_->access(next);
  if (chosen == Strategy::kLeave) leave(End::kLeft);
  if (options.size() > 1) note_decision(options[chosen]);
  return chosen;
}

void World::cannot_follow(const char* what) {
  if (!following()) return;
  follower_->cannot_follow(what);
  leave(End::kLeft);
}

// A thread that comes back to the same code in the same state repeats itself until another store is
// there to read.
void World::tell_position() {
  if (!following()) return;
  const std::optional<std::uint64_t> state = state_of_running();
  if (state) follower_->about_to_read(running_, threads_[running_].code, *state);
}

// Chooses the store that an access reads, or the store after which its own store comes.
std::size_t World::choose_age(NextAccess next, Option::Kind kind,
                              const std::vector<std::uint8_t>& ages) {
  const void* const word = next.word;
  check_life(word);
  check_beginning(word);
  memory_.at(execution_.steps, threads_[running_].code);
  threads_[running_].read_old = false;
  const bool follows = following() && threads_.size() != 1;
  if (stuck_ || (ages.size() == 1 && !follows)) return ages.front();
  std::array<Option, kMostAges + 1> all;
  for (std::size_t i = 0; i < ages.size(); ++i) all[i] = {kind, ages[i]};
  const std::span<const Option> options = std::span(all).first(ages.size());
  const std::size_t age = ages[follows ? choose_as_told(next, options) : choose(options)];
  threads_[running_].read_old = age != 0;
  if (record_ && age != 0) {
    const bool reads = kind == Option::kRead;
    const StoreRecord& store = memory_.store_aged(word, age);
    execution_.old_stores.push_back({.step = execution_.steps,
                                     .thread = running_,
                                     .word = word,
                                     .name = {},
                                     .reads = reads,
                                     .value = store.bits,
                                     .of_step = store.step,
                                     .age = static_cast<std::uint32_t>(age),
                                     .code = threads_[running_].code,
                                     .of_code = store.code});
  }
  return age;
}

// The next access of the running thread to the word, and the stores that it may meet. `updates`
// says of a store whether an access that reads it also stores.
template <class Updates>
NextAccess World::next_access(const void* word, const std::vector<std::uint8_t>& ages,
                              const Updates& updates) {
  NextAccess next{.step = execution_.steps, .thread = running_, .word = word};
  if (!following()) return next;
  if (!memory_.offers_all())
    cannot_follow("it stores to one word too often, or accesses it in several sizes");
  choices_.clear();
  const auto add = [&](std::uint8_t age, bool taken) {
    const StoreRecord& store = memory_.store_aged(word, age);
    choices_.push_back({age, store.step, updates(store), taken});
  };
  for (const std::uint8_t age : ages) add(age, false);
  for (const std::uint8_t age : memory_.ages_taken()) add(age, true);
  next.choices = choices_;
  return next;
}

// Chooses whether all stores so far become visible to the running thread now.
bool World::choose_arrival() {
  if (stuck_) {
    memory_.see_all(running_);
    return true;
  }
  const Option options[] = {{Option::kArrive, static_cast<std::uint8_t>(running_)},
                            {Option::kRun, static_cast<std::uint8_t>(running_)}};
  const bool arrive = choose(options) == 0;
  memory_.note(running_, kChoice + (arrive ? 1 : 0), false);
  if (arrive) memory_.see_all(running_);
  return arrive;
}

std::uint64_t World::load_any(const void* word, unsigned bytes, std::memory_order order,
                              bool queues) {
  const std::vector<std::uint8_t>& ages = memory_.ages_to_load(running_, word, bytes, order);
  NextAccess next = next_access(word, ages, [](const StoreRecord&) { return false; });
  next.reads = true;
  next.queues = queues;
  const std::size_t age = choose_age(next, Option::kRead, ages);
  return memory_.load_aged(running_, word, age, order);
}

std::memory_order World::order_of(OrderSites::Part part, std::memory_order own) {
  return sites_ == nullptr ? own : sites_->order_of({threads_[running_].code, part}, own);
}

std::uint64_t World::load(const void* word, unsigned bytes, std::memory_order order) {
  const UntrackedScope untracked(*this);
  order = order_of(OrderSites::Part::kLoad, order);
  check_null(word);
  tell_position();
  point(word);
  check_race_of_atomic(word, bytes, false);
  const std::uint64_t bits =
      memory_.weak() ? load_any(word, bytes, order) : memory_.load(running_, word, bytes, order);
  note_access(Access::kLoad, word, bytes, bits, bits, order);
  check_life(word);
  note_poll(true);
  return bits;
}

void World::store(void* word, unsigned bytes, std::uint64_t bits, std::memory_order order) {
  const UntrackedScope untracked(*this);
  order = order_of(OrderSites::Part::kStore, order);
  check_null(word);
  ++accesses_;
  memory_.keeps_back(order) ? count_step() : point(word);
  check_race_of_atomic(word, bytes, true);
  if (memory_.weak()) {
    const std::vector<std::uint8_t>& ages = memory_.ages_to_store(running_, word, bytes, order);
    NextAccess next = next_access(word, ages, [](const StoreRecord&) { return false; });
    next.stores = true;
    const std::size_t age = choose_age(next, Option::kPosition, ages);
    note_access(Access::kStore, word, bytes, memory_.store_aged(word, age).bits, bits, order);
    return memory_.store_aged(running_, word, bytes, bits, age, order);
  }
  if (log_.on()) {
    const bool buffered = memory_.keeps_back(order) && threads_.size() != 1;
    if (!buffered) note_flushes(running_);
    note_access(buffered ? Access::kBufferedStore : Access::kStore, word, bytes,
                memory_.peek(word, bytes), bits, order);
  }
  memory_.store(running_, word, bytes, bits, order);
  if (threads_.size() == 1) memory_.flush(running_);  // no other thread can tell
  check_life(word);
}

std::uint64_t World::begin_update(const void* word, unsigned bytes, std::memory_order order) {
  untracked_ = true;  // until end_update()
  order = order_of(OrderSites::Part::kUpdate, order);
  check_null(word);
  tell_position();
  point(word);
  check_race_of_atomic(word, bytes, true);
  update_ = {.success = order, .failure = order, .is_to_store = true};
  if (memory_.weak()) {
    const std::vector<std::uint8_t>& ages = memory_.ages_to_update(running_, word, bytes, order);
    NextAccess next = next_access(word, ages, [](const StoreRecord&) { return true; });
    next.reads = true;
    update_.age = choose_age(next, Option::kRead, ages);
    return update_.was = memory_.store_aged(word, update_.age).bits;
  }
  return begin_update_at_last(word, bytes);
}

// For the memory models other than MemoryModel::kC11.
std::uint64_t World::begin_update_at_last(const void* word, unsigned bytes) {
  note_flushes(running_);
  return update_.was = memory_.begin_update(running_, word, bytes);
}

std::uint64_t World::begin_compare(const void* word, unsigned bytes, std::uint64_t expected,
                                   std::memory_order success, std::memory_order failure) {
  untracked_ = true;  // until end_update()
  success = order_of(OrderSites::Part::kUpdate, success);
  failure = order_of(OrderSites::Part::kFailure, failure);
  check_null(word);
  tell_position();
  point(word);
  check_race_of_atomic(word, bytes, true);
  update_ = {.success = success, .failure = failure};
  if (!memory_.weak()) return begin_update_at_last(word, bytes);
  const std::vector<std::uint8_t>& ages =
      memory_.ages_to_compare(running_, word, bytes, expected, success, failure);
  NextAccess next =
      next_access(word, ages, [=](const StoreRecord& store) { return store.bits == expected; });
  next.reads = true;
  update_.age = choose_age(next, Option::kRead, ages);
  update_.was = memory_.store_aged(word, update_.age).bits;
  update_.is_to_store = update_.was == expected;
  return update_.was;
}

void World::end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes,
                       std::memory_order order) {
  const std::uint64_t changes = memory_.changes();
  if (sites_ != nullptr) order = writes ? update_.success : update_.failure;
  if (memory_.weak()) {
    memory_.end_update_aged(running_, word, bytes, bits, writes, update_.age, order);
  } else {
    memory_.end_update(running_, word, bytes, bits, writes, order);
  }
  note_access(writes ? Access::kUpdate : Access::kCompared, word, bytes, update_.was,
              writes ? bits : update_.was, order);
  check_life(word);
  if (following() && threads_.size() != 1) {
    if (update_.is_to_store && !writes) {
      cannot_follow("a call of the library reads as an update does, and then stores nothing");
    }
    if (writes && same_bits(bits, update_.was, bytes)) follower_->stored_the_same(running_);
  }
  note_poll(changes == memory_.changes());
  untracked_ = false;
}

// Chooses whether the next operation of the running thread, which is allowed to fail or return
// spuriously, does so.
bool World::fails_spuriously() {
  if (threads_.size() == 1 || spurious_ == kMostSpurious || stuck_) return false;
  const Option options[] = {{Option::kRun, static_cast<std::uint8_t>(running_)},
                            {Option::kSpurious, static_cast<std::uint8_t>(running_)}};
  const std::size_t chosen = choose(options);
  // Both outcomes are recorded as events. Otherwise two different states would have equal hashes.
  memory_.note(running_, kChoice + chosen, false);
  if (chosen == 0) return false;
  update_.is_to_store = false;
  ++spurious_;
  // The thread need not wait for others: its next attempt may succeed.
  note_poll(false);
  return true;
}

std::uint32_t World::processor() {
  const UntrackedScope untracked(*this);
  if (threads_.size() != 1) cannot_follow("it asks on which processor it runs");
  ThreadState& self = threads_[running_];
  if (fails_spuriously()) self.processor ^= 1;
  note_access(Access::kProcessor, nullptr, 0, 0, self.processor);
  return self.processor;
}

void World::fence(std::memory_order order) {
  const UntrackedScope untracked(*this);
  order = order_of(OrderSites::Part::kFence, order);
  const bool empties = order == std::memory_order_seq_cst && memory_.buffered(running_);
  empties ? point() : count_step();
  if (empties) note_flushes(running_);
  memory_.fence(running_, order);
  note_access(Access::kFence, nullptr, 0, 0, 0, order);
}

void World::compiler_fence(std::memory_order order) {
  const UntrackedScope untracked(*this);
  count_step();
  if (memory_.weak()) return;
  const bool total = order == std::memory_order_seq_cst;
  memory_.fence(running_, total ? std::memory_order_acq_rel : order);
}

void World::fence_all() {
  const UntrackedScope untracked(*this);
  cannot_follow("a thread imposes a barrier on all others");
  point(&kLatestStores);
  memory_.fence_all(running_);
  note_access(Access::kFenceAll, nullptr, 0, 0, 0);
  asymmetric_ = true;
}

// Variables with static storage are left out, because the library orders their initialisation in a
// way that is not seen. Accesses after a barrier that one thread imposes on all are left out,
// because the C++ memory model does not define what such a barrier orders.
bool World::looks_for_races(const void* location) const {
  return !asymmetric_ && conditions_.races_end_it && threads_.size() != 1 &&
         arena_.contains(location) && threads_[running_].ignores_races == 0;
}

void World::check_race_of_atomic(const void* word, unsigned bytes, bool writes) {
  if (!instrumented_ || !looks_for_races(word)) return;
  data_race_ = plain_accesses_.race_of_atomic(memory_, running_,
                                              {word, bytes, writes, threads_[running_].code});
  if (data_race_) leave(End::kFailed);
}

void World::plain_access(const PlainAccess& access) {
  if (access.bytes == 0) return;
  if (arena_.any_freed()) {
    check_freed(access.location);
    check_freed(static_cast<const std::byte*>(access.location) + access.bytes - 1);
  }
  check_frame(access.location);
  // A change of other memory than its stack is not part of the state in which the thread polls.
  if (access.writes && !arena_.in_stack(running_, access.location)) {
    threads_[running_].polling.forget_state();
    if (follower_ != nullptr) follower_->changed(running_);
  }
  if (access.writes && memory_.weak()) memory_.overwritten(access.location);
  if (access.writes && !arena_.contains(access.location)) {
    const UntrackedScope untracked(*this);
    if (threads_.size() != 1) cannot_follow("it writes variables with static storage");
    memory_.keep_static(access.location, access.bytes);
  }
  if (!looks_for_races(access.location)) return;
  if (plain_accesses_.is_repeated(memory_, running_, access)) return;
  const UntrackedScope untracked(*this);
  data_race_ = plain_accesses_.add(memory_, running_, access);
  if (!data_race_ && access.writes && orders_ends() && memory_.knows(access.location) &&
      memory_.end_is_unordered(running_, access.location)) {
    data_race_ = DataRace{.thread = running_, .access = access, .atomic = false};
  }
  if (data_race_) leave(End::kFailed);
}

void World::volatile_access(const PlainAccess& access) {
  check_freed(access.location);
  const UntrackedScope untracked(*this);
  if (threads_.size() != 1) cannot_follow("it has volatile accesses");
  memory_.add_unannounced(access.location,
                          static_cast<unsigned>(std::min(access.bytes, sizeof(std::uint64_t))));
  point(access.location);
  if (access.writes) memory_.keep_static(access.location, access.bytes);
  // A thread that polls without success may have to wait here, and reads afterwards.
  if (!access.writes) note_poll(true);
  memory_.volatile_access(running_, access.location, access.writes);
  check_life(access.location);
  if (access.writes) note_poll(false);
}

std::uint32_t World::start(std::function<void()> body) {
  // Lies in the program's memory and is never destroyed: see Arena.
  auto* const kept = new std::function<void()>(std::move(body));
  const UntrackedScope untracked(*this);
  memory_.buffered(running_) ? point() : count_step();
  const auto number = static_cast<std::uint32_t>(threads_.size());
  if (number == kMaxThreads) leave(End::kTooLong);
  add_thread();
  threads_[number].fibre.prepare(arena_.stack(number), Arena::kStackBytes, begin_thread, kept);
  memory_.started(number, running_);
  if (follower_ != nullptr) follower_->comes_after(number, running_);
  return number;
}

void World::join(std::uint32_t thread) {
  const UntrackedScope untracked(*this);
  memory_.buffered(running_) ? point() : count_step();
  note_flushes(running_);
  memory_.flush(running_);
  if (stuck_) return;
  if (!ended(thread)) fall_asleep({.thread = running_, .joins = thread});
  if (stuck_) return;
  memory_.joined(running_, thread);
  if (follower_ != nullptr) follower_->comes_after(running_, thread);
}

void* World::own_of(std::uint32_t thread, ThreadObjects::Maker maker) {
  if (void* const made = thread_objects_.made_by(maker, thread)) return made;
  // An object with static storage begins to exist before any thread uses it, or behind a guard.
  const std::uint32_t maker_before = std::exchange(making_, running_ + 1);
  void* const made = maker();
  making_ = maker_before;
  const UntrackedScope untracked(*this);
  thread_objects_.add_made(maker, thread, made);
  return made;
}

}  // namespace lockbench::stress::explore
