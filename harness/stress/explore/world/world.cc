// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/world.h"

#include <algorithm>
#include <utility>

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
  const std::size_t bytes = arena_.size_at(place);
  const bool released = [&] {
    const UntrackedScope untracked(*this);
    return arena_.release(place);
  }();
  if (!released) {
    fail_memory("memory is freed that was freed before, or was never allocated", nullptr);
  }
  check_stores_to(place, bytes);
  if (looks_for_races(place) && plain_accesses_.race_with_free(memory_, running_, place, bytes)) {
    fail_memory("memory is freed that another thread uses, and nothing orders the two", place);
  }
  const void* const end = static_cast<const std::byte*>(place) + bytes;
  if (orders_ends() && memory_.any_end_is_unordered(running_, place, end)) {
    fail_memory("memory is freed that another thread uses, and nothing orders the two", place);
  }
  if (!arena_.reuses()) return;
  memory_.flush(running_);  // or its stores would arrive in what lies there next
  memory_.forget(place, end);
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

// Only of another thread's stack it is known where it ends.
void World::check_frame(const void* place) {
  if (!arena_.contains(place)) return;
  const std::size_t owner = arena_.offset(place) / Arena::kStackBytes;
  if (owner == running_ || owner >= threads_.size()) return;
  if (place < threads_[owner].fibre.stack_pointer()) {
    fail_memory("a local variable is used after its function returned", place);
  }
}

// A store that another thread has made, and that still lies in its buffer when this memory is
// freed, arrives afterwards: nothing can have told this thread of it. A store of the thread that
// frees is none of these: it leaves the buffer before whatever tells others that the memory is
// free.
void World::check_stores_to(const void* freed, std::size_t bytes) {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (i == running_ || !memory_.buffers_within(i, freed, bytes)) continue;
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
  if (code != nullptr && untracked_) code = threads_[running_].place;
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
  check_frame(word);
  instrumented_ = true;
  memory_.add_unannounced(word, bytes);
}

void World::end_frame(const void* frame) {
  if (!arena_.in_stack(running_, frame)) return;
  const UntrackedScope untracked(*this);
  if (orders_ends() && memory_.any_end_is_unordered(running_, arena_.stack(running_), frame)) {
    fail_memory(
        "a function returns while another thread uses a local variable of it, and nothing orders "
        "the two",
        frame);
  }
  memory_.end_frame(running_, arena_.stack(running_), frame);
}

Arena::Lost World::lost_allocations(const void* kept) {
  memory_.flush(running_);
  std::vector<AddressRange> roots = memory_.static_storage();
  const auto add = [&](const void* begin, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    roots.push_back({at, at + bytes});
  };
  const std::byte* const frame = static_cast<const std::byte*>(__builtin_frame_address(0));
  add(&kept, sizeof kept);
  add(frame, static_cast<std::size_t>(arena_.stack(running_) + Arena::kStackBytes - frame));
  thread_objects_.add_roots(roots);
  return arena_.lost(roots);
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

std::byte* World::add_thread_block(std::size_t module, std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  auto* const place = static_cast<std::byte*>(allocate(bytes, kAlignment));
  const UntrackedScope untracked(*this);
  thread_objects_.add_block(running_, module, place);
  return place;
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
