// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "harness/stress/explore/caller_state.h"

namespace lockbench::stress::explore {
namespace {

// Thread-local, because a thread of the system that watches the simulation does not belong to the
// program.
thread_local World* the_world = nullptr;
const World* newest = nullptr;

}  // namespace

World::World(Model model) : memory_(arena_, model) {
  newest = this;
}

World::~World() {
  if (newest == this) newest = nullptr;
}

bool World::exists(const World* world) {
  return world != nullptr && world == newest;
}

World* World::current() {
  return the_world;
}

World* World::of_program() {
  return the_world != nullptr && !the_world->untracked_ ? the_world : nullptr;
}

void* World::allocate(std::size_t bytes, std::size_t alignment) {
  void* const place = arena_.allocate(bytes, alignment);
  if (place == nullptr) leave(End::kTooLong);
  if (log_.on() && the_world == this) {
    const UntrackedScope untracked(*this);
    log_.add_block(
        {.begin = static_cast<const std::byte*>(place), .bytes = bytes, .thread = running_});
  }
  return place;
}

void World::release(void* place) {
  if (log_.on() && of_program() == this) {
    const UntrackedScope untracked(*this);
    note_access(Access::kFree, place, 0, 0, 0);
  }
  if (of_program() == nullptr) return void(arena_.release(place));
  if (arena_.release(place)) return check_stores_to_freed();
  fail_memory("memory is freed that was freed before, or was never allocated", nullptr);
}

void World::check_null(const void* place) {
  constexpr std::uintptr_t kFirstPage = 4096;
  if (reinterpret_cast<std::uintptr_t>(place) < kFirstPage) {
    fail_memory("a null pointer is dereferenced", place);
  }
}

void World::check_freed(const void* place) {
  if (arena_.any_freed() && arena_.contains(place) && arena_.freed(place)) {
    fail_memory("memory is used after it was freed", place);
  }
}

// A store that another thread has made, and that still lies in its buffer when the memory is freed,
// arrives afterwards: nothing can have told this thread of it.
void World::check_stores_to_freed() {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (i == running_ || !memory_.buffers_to_freed(i)) continue;
    fail_memory("memory is freed while a store to it lies in another thread's store buffer",
                nullptr);
  }
}

void World::reset() {
  plain_accesses_.reset();
  data_race_.reset();
  asymmetric_ = false;
  instrumented_ = false;
  arena_.reset();
  memory_.reset();
  threads_ = {};
  owns_.clear();
  thread_blocks_.clear();
  at_end_.clear();
  execution_ = {};
  running_ = 0;
  running_since_ = 0;
  making_ = 0;
  now_ns_ = kStartNs;
  sleeps_ = 0;
  idle_since_ = 0;
  idle_pauses_ = 0;
  any_deadline_ = false;
  spurious_ = 0;
  refusal_.clear();
  memory_failure_.clear();
  inspects_when_stuck_ = false;
  stuck_ = false;
}

void World::add_thread() {
  ThreadState& added = slots_[threads_.size()];
  added.state = State::kReady;
  added.next = nullptr;
  added.sleeps_on = nullptr;
  added.joins = 0;
  added.deadline_ns = kNever;
  added.polled_at = 0;
  added.polls = 0;
  added.pauses = 0;
  added.polls_at = nullptr;
  added.poll_state.reset();
  added.due_ns = kNever;
  added.timeout_ns = 0;
  added.overdue_ns = 0;
  added.ignores_races = 0;
  threads_ = std::span(slots_).first(threads_.size() + 1);
}

World::Execution World::run(const std::function<void()>& program, Strategy& strategy, bool record) {
  reset();
  strategy_ = &strategy;
  record_ = record;
  log_.reset(record);
  the_world = this;
  executing_ = true;
  untracked_ = true;
  add_thread();
  threads_[0].fibre.prepare(arena_.stack(0), Arena::kStackBytes, begin_thread,
                            const_cast<std::function<void()>*>(&program));
  Fibre::jump(outside_, threads_[0].fibre);
  the_world = nullptr;
  memory_.end();
  executing_ = false;
  untracked_ = false;
  return std::move(execution_);
}

void World::begin_thread(void* body) {
  World& world = *the_world;
  world.untracked_ = false;
  (*static_cast<std::function<void()>*>(body))();
  world.end_thread();
  const UntrackedScope untracked(world);
  // Until this point, the thread's last stores may be in its buffer.
  if (world.memory_.buffered(world.running_)) world.point();
  world.note_flushes(world.running_);
  world.memory_.flush(world.running_);
  world.memory_.ended(world.running_);
  world.threads_[world.running_].state = State::kEnded;
  for (std::uint32_t i = 0; i < world.threads_.size(); ++i) {
    ThreadState& other = world.threads_[i];
    if (other.state != State::kAsleep || other.joins != world.running_ || other.joins == 0)
      continue;
    other.state = State::kReady;
  }
  if (world.running_ == 0) world.leave(End::kFinished);
  world.choose_next(false);
}

void World::destroy_at_end_of_thread(void (*destroy)(void*), void* object) {
  const UntrackedScope untracked(*this);
  at_end_.push_back({running_, destroy, object});
}

void World::end_thread() {
  if (running_ == 0) return;
  for (;;) {
    const auto last = std::find_if(at_end_.rbegin(), at_end_.rend(),
                                   [this](const AtEnd& one) { return one.thread == running_; });
    if (last == at_end_.rend()) return;
    const AtEnd one = *last;
    at_end_.erase(std::next(last).base());
    one.destroy(one.object);
  }
}

void World::leave(End end) {
  execution_.end = stuck_ ? End::kStuck : end;
  Fibre nobody;
  Fibre::jump(nobody, outside_);
  __builtin_unreachable();
}

void World::fail() {
  untracked_ = true;
  leave(End::kFailed);
}

void World::refuse(std::string what) {
  untracked_ = true;
  refusal_ = std::move(what);
  leave(End::kRefused);
}

// The argument is not a std::string: a string that is made while the program runs lies in the
// arena, which releases it.
void World::fail_memory(const char* what, const void* place) {
  untracked_ = true;
  if (place != nullptr) note_access(Access::kPlain, place, 0, 0, 0);
  memory_failure_ = what;
  leave(End::kFailed);
}

void World::add_unannounced_word(const void* word, unsigned bytes) {
  const UntrackedScope untracked(*this);
  check_freed(word);
  instrumented_ = true;
  memory_.add_unannounced(word, bytes);
}

std::byte* World::thread_block(std::size_t module) const {
  for (const ThreadBlock& block : thread_blocks_) {
    if (block.thread == running_ && block.module == module) return block.place;
  }
  return nullptr;
}

std::byte* World::add_thread_block(std::size_t module, std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  auto* const place = static_cast<std::byte*>(allocate(bytes, kAlignment));
  const UntrackedScope untracked(*this);
  thread_blocks_.push_back({running_, module, place});
  return place;
}

void World::expect_answer(std::int64_t due_ns) {
  any_deadline_ = true;
  threads_[running_].due_ns = due_ns;
  threads_[running_].timeout_ns = due_ns - now_ns_;
  threads_[running_].overdue_ns = 0;
}

bool World::settled(std::uint32_t thread) const {
  const ThreadState& state = threads_[thread];
  if (state.state == State::kAsleep) {
    const bool for_a_time = state.sleeps_on == nullptr && state.joins == 0;
    return !for_a_time || state.polled_at == memory_.changes();
  }
  return state.state == State::kPaused && !ready(thread) && state.pauses >= kPausesUntilSettled;
}

void World::record(const Event& event) {
  if (!record_) return;
  const UntrackedScope untracked(*this);
  execution_.events.push_back({execution_.steps, event});
}

void World::note_access(Access::Kind kind, const void* word, unsigned bytes, std::uint64_t was,
                        std::uint64_t now, std::memory_order order) {
  if (!log_.on()) return;
  log_.add({.step = execution_.steps,
            .thread = running_,
            .kind = kind,
            .word = word,
            .bytes = bytes,
            .was = was,
            .now = now,
            .order = order,
            .events = execution_.events.size()});
}

void World::note_flush(std::uint32_t thread, const Memory::Pending& store) {
  const std::uint32_t before = std::exchange(running_, thread);
  note_access(Access::kFlush, store.word, store.bytes, memory_.peek(store.word, store.bytes),
              store.bits);
  running_ = before;
}

void World::note_flushes(std::uint32_t thread) {
  if (!log_.on()) return;
  for (const Memory::Pending& store : memory_.pending_stores(thread)) note_flush(thread, store);
}

// ---- which thread runs next

void World::collect(bool may_go_on) {
  options_.clear();
  if (may_go_on) options_.push_back({Option::kRun, static_cast<std::uint8_t>(running_)});
  const auto threads = static_cast<std::uint8_t>(threads_.size());
  collect_flushes(false);
  bool any_paused = false;
  for (std::uint8_t i = 0; i < threads; ++i) {
    any_paused |= threads_[i].state == State::kPaused;
    const bool goes_on = may_go_on && i == running_;
    if (threads_[i].state == State::kReady && !goes_on) options_.push_back({Option::kRun, i});
  }
  for (std::uint8_t i = 0; any_paused && i < threads; ++i) {
    if (threads_[i].state == State::kPaused && ready(i)) options_.push_back({Option::kRun, i});
  }
  if (options_.empty()) collect_flushes(true);
  all_paused_ = options_.empty();
  if (all_paused_) collect_paused();
  if (!anybody_has_a_deadline()) return;
  const bool answer_is_due =
      std::any_of(threads_.begin(), threads_.end(),
                  [](const ThreadState& thread) { return thread.due_ns != kNever; });
  if (options_.empty() || !answer_is_due || next_deadline() - now_ns_ <= kMostHurryNs) {
    options_.push_back({Option::kTime, 0});
  }
}

void World::collect_flushes(bool all) {
  for (std::uint8_t i = 0; i < threads_.size(); ++i) {
    if (memory_.buffered(i) && (all || matters_to_others(i))) {
      options_.push_back({Option::kFlush, i});
    }
  }
}

// Whether a store in the buffer of `thread` may affect the next step of another thread.
bool World::matters_to_others(std::uint32_t thread) const {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (i == thread) continue;
    const ThreadState& other = threads_[i];
    const bool waits_for_any = other.state == State::kPaused && !ready(i);
    if (waits_for_any || other.next == &kAnyWord) return true;
    if (other.next == &kLatestStores && memory_.stored_since(thread)) return true;
    if (other.next != nullptr && memory_.buffers(thread, other.next)) return true;
    if (memory_.buffers_meet(thread, i)) return true;
  }
  return false;
}

// A thread that paused may poll again if some word has changed since.
bool World::ready(std::uint32_t thread) const {
  const ThreadState& state = threads_[thread];
  return state.state == State::kReady ||
         (state.state == State::kPaused && state.paused_at != memory_.changes());
}

// Called if no other thread can run and no store is pending.
void World::collect_paused() {
  if (idle_since_ != memory_.changes()) {
    idle_since_ = memory_.changes();
    idle_pauses_ = 0;
  }
  const auto threads = static_cast<std::uint32_t>(threads_.size());
  const bool by_turns = ++idle_pauses_ > kFreePolls * threads;
  const bool may_pass = somebody_is_overdue() ? idle_pauses_ > kIdlePolls * threads / 2
                                              : idle_pauses_ > polls_before_time_ * threads;
  if (may_pass && anybody_has_a_deadline()) return;
  if (idle_pauses_ > std::max(kIdlePolls, polls_before_time_) * threads) return;
  for (std::uint32_t i = 1; i <= threads; ++i) {
    const std::uint32_t thread = (running_ + i) % threads;
    if (threads_[thread].state != State::kPaused) continue;
    options_.push_back({Option::kRun, static_cast<std::uint8_t>(thread)});
    if (by_turns) return;
  }
}

bool World::anybody_has_a_deadline() const {
  return any_deadline_ &&
         std::any_of(threads_.begin(), threads_.end(), [&](const ThreadState& thread) {
           const bool due = thread.due_ns != kNever && thread.due_ns > now_ns_;
           return due || (thread.state == State::kAsleep && thread.deadline_ns != kNever);
         });
}

bool World::somebody_is_overdue() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [&](const ThreadState& thread) { return thread.due_ns <= now_ns_; });
}

void World::decide(bool may_go_on) {
  for (;;) {
    collect(may_go_on);
    if (options_.empty()) return inspect_when_stuck();
    std::size_t chosen = 0;
    if (options_.size() > 1) {
      chosen = strategy_->choose({.step = execution_.steps,
                                  .state = memory_.state(),
                                  .running = running_,
                                  .may_go_on = may_go_on,
                                  .all_paused = all_paused_,
                                  .options = options_});
      if (chosen == Strategy::kLeave) leave(End::kLeft);
      execution_.schedule.push_back(options_[chosen]);
    }
    const Option option = options_[chosen];
    switch (option.kind) {
      case Option::kSpurious:  // see fails_spuriously(), choose_age() and choose_arrival()
      case Option::kRead:
      case Option::kPlace:
      case Option::kArrive:
        break;
      case Option::kFlush:
        if (log_.on()) note_flush(option.thread, memory_.pending_stores(option.thread).front());
        memory_.flush_oldest(option.thread);
        break;
      case Option::kTime:
        let_time_pass();
        break;
      case Option::kRun:
        return go_on_with(option.thread);
    }
  }
}

// If thread 0 waits for the others, it continues and looks at the state that they left. It may be
// the last thread that began to wait.
void World::inspect_when_stuck() {
  const bool waits_itself = running_ == 0 && threads_[0].joins == 0;
  if (!inspects_when_stuck_ || waits_itself || threads_[0].state != State::kAsleep) {
    leave(End::kStuck);
  }
  stuck_ = true;
  log_.stop();
  threads_[0].state = State::kReady;
  go_on_with(0);
}

void World::go_on_with(std::uint32_t thread) {
  if (thread == running_) return;
  const std::uint32_t before = std::exchange(running_, thread);
  running_since_ = execution_.steps;
  Fibre::jump(threads_[before].fibre, threads_[thread].fibre);
  untracked_ = true;
}

bool World::runs_past_its_deadline() const {
  const bool waits_for_others = polls_before_pause_ != kPollsBeforePause;  // it may poll for long
  return !waits_for_others && threads_[running_].due_ns <= now_ns_ &&
         execution_.steps - running_since_ > kMostSteps / 2;
}

void World::count_step() {
  beats_ = beats_ + 1;
  if (++execution_.steps > most_steps_) leave(End::kTooLong);
}

// Whether instrumented code of the running thread polls in a loop that changes nothing: it is in
// the state in which it polled here before. Such a thread can do nothing else until memory changes,
// so it need not be run until then. The first poll at a place only notes the place, and the second
// one its state, because most threads poll once or twice and then do something.
bool World::repeats_itself() {
  ThreadState& self = threads_[running_];
  if (self.polls_at != self.place) {
    // The loop may have several places and come after other polls. So the place is replaced from
    // time to time.
    if (!std::has_single_bit(self.polls)) return false;
    self.polls_at = self.place;
    self.poll_state.reset();
    return false;
  }
  const auto state = state_of_caller(arena_.stack(running_) + Arena::kStackBytes);
  const bool same = state.has_value() && state == self.poll_state;
  self.poll_state = state;
  return same;
}

// The running thread has read a word, and perhaps tried to change it without success. A thread that
// does nothing else is made to wait, even if it does not call pause(): at once if it certainly does
// nothing else, otherwise after a long time.
void World::note_poll(bool in_vain) {
  ThreadState& self = threads_[running_];
  if (!in_vain || self.polled_at != memory_.changes()) {
    self.polled_at = memory_.changes();
    self.polls = 0;
    self.polls_at = nullptr;
    if (in_vain) return;
    self.pauses = 0;
    return;
  }
  ++self.polls;
  if (threads_.size() == 1) return;
  const bool repeats = self.instrumented && repeats_itself();
  if (!repeats && self.polls < polls_before_pause_) return;
  self.polls = 0;
  // One that repeats itself certainly does nothing else.
  if (repeats) self.pauses = kPausesUntilSettled;
  if (repeats) self.paused_at = memory_.changes();
  wait_for_change();
}

void World::wait_for_change() {
  ThreadState& self = threads_[running_];
  strategy_->paused(running_);
  self.state = State::kPaused;
  self.pauses = self.paused_at == memory_.changes() ? self.pauses + 1 : 1;
  self.paused_at = memory_.changes();
  // A change that the thread has not seen yet counts as a later change.
  if (memory_.weak() && memory_.polls_unseen(running_)) --self.paused_at;
  choose_next(false);
  self.state = State::kReady;
  // Stores become visible in finite time: a thread that polls again sees those that existed by now.
  if (memory_.weak()) memory_.see_polled(running_);
}

// The decision point before an access. `next` is the word of the access; null if it has none.
void World::point(const void* next) {
  ++accesses_;
  threads_[running_].next = next;
  choose_next(true);
  threads_[running_].next = nullptr;
}

void World::choose_next(bool may_go_on) {
  count_step();
  if (stuck_) return may_go_on ? void() : leave(End::kStuck);
  const bool alone = threads_.size() == 1 && may_go_on;
  if (!alone) decide(may_go_on);
  // The following operation counts as an event even if it has no effect, such as a wake-up that
  // wakes no thread.
  memory_.step(running_);
}

// The next moment at which a thread wakes up or its answer is due.
std::int64_t World::next_deadline() const {
  std::int64_t next = kNever;
  for (const ThreadState& thread : threads_) {
    if (thread.state == State::kAsleep) next = std::min(next, thread.deadline_ns);
    if (thread.due_ns > now_ns_) next = std::min(next, thread.due_ns);
  }
  return next;
}

void World::let_time_pass() {
  const std::int64_t before_ns = now_ns_;
  // This was the only option: no thread can run, and no store is pending.
  const bool forced = options_.size() == 1;
  now_ns_ = std::max(now_ns_, next_deadline());
  idle_pauses_ = 0;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    ThreadState& thread = threads_[i];
    if (thread.due_ns <= before_ns && forced) thread.overdue_ns += now_ns_ - before_ns;
    if (thread.due_ns > before_ns && thread.due_ns <= now_ns_) memory_.note(i, kClock, true);
    if (thread.state != State::kAsleep || thread.deadline_ns > now_ns_) continue;
    thread.state = State::kReady;
    thread.timed_out = true;
    memory_.note(i, kClock, true);
    if (thread.sleeps_on != nullptr) {
      memory_.note(i, kQueues + memory_.number_of(thread.sleeps_on), true);
    }
  }
}

void World::fall_asleep() {
  if (stuck_) leave(End::kStuck);
  ThreadState& self = threads_[running_];
  any_deadline_ |= self.deadline_ns != kNever;
  self.state = State::kAsleep;
  self.timed_out = false;
  self.slept_since = ++sleeps_;
  decide(false);
  memory_.step(running_);
  self.deadline_ns = kNever;
  self.sleeps_on = nullptr;
  self.joins = 0;
}

}  // namespace lockbench::stress::explore
