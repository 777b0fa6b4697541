// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/world.h"

#include <utility>

namespace lockbench::stress::explore {
namespace {

// Thread-local, because a thread of the system that watches the simulation does not belong to the
// program.
thread_local World* the_world = nullptr;
const World* newest = nullptr;

}  // namespace

World::World(MemoryModel memory_model) : memory_(arena_, memory_model) {
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

void World::reset() {
  plain_accesses_.reset();
  data_race_.reset();
  asymmetric_ = false;
  instrumented_ = false;
  arena_.reset();
  memory_.reset();
  threads_ = {};
  thread_objects_.clear();
  mutexes_.clear();
  execution_ = {};
  running_ = 0;
  running_since_ = 0;
  making_ = 0;
  clock_.reset();
  sleepers_.clear();
  idle_polls_.reset();
  spurious_ = 0;
  refusal_.clear();
  memory_failure_.clear();
  inspects_when_stuck_ = false;
  stuck_ = false;
}

void World::add_thread() {
  ThreadState& added = slots_[threads_.size()];
  added.state = State::kReady;
  next_[threads_.size()] = nullptr;
  added.before_access = false;
  added.polling = {};
  added.read_old = false;
  added.ignores_races = 0;
  added.processor = static_cast<std::uint32_t>(threads_.size() % 2);
  threads_ = std::span(slots_).first(threads_.size() + 1);
}

World::Execution World::run(const std::function<void()>& program, Strategy& strategy, bool record) {
  reset();
  strategy_ = &strategy;
  follower_ = memory_.weak() ? strategy.follower() : nullptr;
  if (ahead_ != nullptr && strategy.restless()) ahead_->note_restless();
  record_ = record;
  log_.reset(record);
  the_world = this;
  executing_ = true;
  untracked_ = true;
  add_thread();
  threads_[0].fibre.prepare(arena_.stack(0), Arena::kStackBytes, begin_thread,
                            const_cast<std::function<void()>*>(&program));
  Fibre::jump(outside_, threads_[0].fibre);
  if (strategy.restless()) execution_.schedule.push_back({Option::kSettle});
  if (ahead_ != nullptr) ahead_->end();
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
  if (world.running_ == 0) world.leave(End::kFinished);
  for (std::uint32_t i = 0; i < world.threads_.size(); ++i) {
    const Sleep* const sleep = world.sleepers_.find(i);
    if (sleep != nullptr && sleep->joins == world.running_) world.wake_up(i);
  }
  world.choose_next(false);
}

void World::destroy_at_end_of_thread(void (*destroy)(void*), void* object) {
  const UntrackedScope untracked(*this);
  thread_objects_.add_at_end({running_, destroy, object});
}

void World::end_thread() {
  if (running_ == 0) return;
  while (const auto last = thread_objects_.take_at_end(running_)) last->destroy(last->object);
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

void World::crash(int signal, const void* code) {
  // The simulator itself makes the accesses of words for the program.
  if (code != nullptr && untracked_) code = threads_[running_].code;
  untracked_ = true;
  crashed_ = {signal, code};
  leave(End::kCrashed);
}

void World::note_decision(Option option) {
  execution_.schedule.push_back(option);
  if (ahead_ != nullptr) ahead_->decide(option);
}

void World::refuse(std::string what) {
  untracked_ = true;
  refusal_ = std::move(what);
  leave(End::kRefused);
}

void World::note_mutex(const void* mutex, bool holds) {
  const UntrackedScope untracked(*this);
  mutexes_.remove(mutex);
  if (holds) mutexes_.add(mutex, running_);
}

std::optional<std::uint32_t> World::owner_of_mutex_for(std::uint32_t thread) const {
  const Sleep* const sleep = sleepers_.find(thread);
  if (sleep == nullptr || sleep->word == nullptr) return std::nullopt;
  return mutexes_.owner_of(sleep->word);
}

void World::expect_answer(std::int64_t due_ns) {
  cannot_follow("a call has a timeout");
  clock_.expect_answer(running_, due_ns);
}

bool World::naps(std::uint32_t thread) const {
  const Sleep* const sleep = sleepers_.find(thread);
  return sleep != nullptr && sleep->is_until_a_time();
}

bool World::settled(std::uint32_t thread) const {
  const ThreadState& state = threads_[thread];
  if (state.state == State::kAsleep && !naps(thread)) return true;
  // The value that it read before may be what it waits for.
  if (state.read_old) return false;
  if (naps(thread)) return state.polling.is_current(memory_.changes());
  return state.state == State::kPaused && !ready(thread) && state.polling.is_settled();
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

}  // namespace lockbench::stress::explore
