// SPDX-License-Identifier: Apache-2.0

// The threads of a simulation: what they do to memory, and in which order.

#include "harness/predict/machine/simulation.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lockbench::machine {
namespace {

Simulation* the_simulation = nullptr;

constexpr std::uintptr_t kLineBytes = 64;

std::uint64_t read(const void* word, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, word, bytes);
  return bits;
}

}  // namespace

Simulation::Simulation(const MachineModel& model, std::vector<std::uint32_t> bound)
    : model_(model),
      bound_(std::move(bound)),
      coherence_(model_),
      processors_(idle_processors(model_)) {}

std::vector<Simulation::Processor> Simulation::idle_processors(const MachineModel& model) {
  std::vector<Processor> processors(model.processors());
  for (std::uint32_t i = 0; i < processors.size(); ++i) {
    processors[i].slowness = 1 / model.speed_of(i);
  }
  return processors;
}

Simulation::~Simulation() = default;

Simulation* Simulation::current() {
  return the_simulation;
}

void Simulation::start(std::function<void()> body, std::span<std::byte> stack, Role role) {
  auto thread = std::make_unique<Thread>();
  thread->body = std::move(body);
  thread->stack = stack;
  thread->role = role;
  if (role == Role::kWorker) ++workers_left_;
  thread->number = static_cast<std::uint32_t>(threads_.size());
  thread->fibre.prepare(stack.data(), stack.size(), begin_thread, thread.get());
  threads_.push_back(std::move(thread));
}

void Simulation::at(Picoseconds time, std::function<void()> action) {
  actions_.push_back(std::move(action));
  add_event(time, EventKind::kAction, static_cast<std::uint32_t>(actions_.size() - 1));
}

void Simulation::after_accesses(std::uint64_t count, std::function<void()> action) {
  action_due_ = accesses_ + count;
  due_action_ = std::move(action);
}

Simulation::End Simulation::run() {
  place_threads();
  the_simulation = this;
  end_ = End::kStuck;
  // The first event resumes a thread; run_events() returns here when all workers have ended.
  running_ = Processor::kIdle;
  run_events();
  the_simulation = nullptr;
  return end_;
}

// ---- events

void Simulation::add_event(Picoseconds time, EventKind kind, std::uint32_t subject,
                           std::uint64_t occasion) {
  events_.push({.time = time,
                .number = events_added_++,
                .kind = kind,
                .subject = subject,
                .occasion = occasion});
}

// Handles events until one of them resumes the fibre that called this.
void Simulation::run_events() {
  while (!events_.empty() && end_ != End::kTooLong && workers_left_ != 0) {
    const Event event = events_.top();
    events_.pop();
    time_ = std::max(time_, event.time);
    if (event.kind != EventKind::kResume) {
      handle(event);
      continue;
    }
    if (event.subject == running_) return;
    return resume(event.subject);
  }
  if (end_ == End::kStuck && workers_left_ == 0) end_ = End::kFinished;
  if (running_ == Processor::kIdle) return;
  const std::uint32_t before = std::exchange(running_, Processor::kIdle);
  stress::explore::Fibre::jump(threads_[before]->fibre, outside_);
}

void Simulation::resume(std::uint32_t thread) {
  stress::explore::Fibre& from =
      running_ == Processor::kIdle ? outside_ : threads_[running_]->fibre;
  running_ = thread;
  stress::explore::Fibre::jump(from, threads_[thread]->fibre);
}

void Simulation::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kDrain: {
      Thread& thread = *threads_[event.subject];
      return event.occasion == thread.drains ? drain(thread) : void();
    }
    case EventKind::kAction:
      return actions_[event.subject]();
    case EventKind::kTimer: {
      Thread& thread = *threads_[event.subject];
      if (thread.state != State::kAsleep || thread.sleep != event.occasion) return;
      thread.timed_out = true;
      return make_ready(thread, event.time + model_.scheduler.wakeup);
    }
    case EventKind::kLineIsFree:
      return serve(*reinterpret_cast<Line*>(event.occasion));
    case EventKind::kResume:
      return;  // see run_events()
  }
}

void Simulation::begin_thread(void* thread) {
  Thread& self = *static_cast<Thread*>(thread);
  Simulation& simulation = *the_simulation;
  self.body();
  simulation.flush_buffer();
  self.state = State::kEnded;
  if (self.role == Role::kWorker) --simulation.workers_left_;
  simulation.run_next_on(self.processor, self.time);
  simulation.run_events();
  __builtin_unreachable();
}

void Simulation::let_earlier_go_first() {
  Thread& thread = self();
  while (!events_.empty() && events_.top().time <= thread.time) {
    const Picoseconds time = thread.time;
    add_event(time, EventKind::kResume, running_);
    run_events();
    if (thread.time == time) return;  // else it was interrupted meanwhile
  }
  time_ = std::max(time_, thread.time);
}

void Simulation::synchronize() {
  leave_processor_if_due();
  let_earlier_go_first();
}

// ---- memory

void Simulation::count_access() {
  if (++accesses_ == action_due_) std::exchange(due_action_, nullptr)();
  if (accesses_ > most_accesses_) {
    end_ = End::kTooLong;
    run_events();  // does not return
  }
}

Line& Simulation::line_of(const void* word) {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(word) / kLineBytes;
  if (number == last_line_number_) return *last_line_;
  std::unique_ptr<Line>& line = lines_[number];
  if (line == nullptr) line = std::make_unique<Line>();
  last_line_number_ = number;
  last_line_ = line.get();
  return *line;
}

bool Simulation::sibling_is_busy(std::uint32_t processor) const {
  const std::uint32_t cores = model_.cores();
  for (std::uint32_t other = processor % cores; other < processors_.size(); other += cores) {
    if (other != processor && processors_[other].runs != Processor::kIdle) return true;
  }
  return false;
}

Picoseconds Simulation::on_this_core(Picoseconds cost) const {
  const double slowness = processors_[threads_[running_]->processor].slowness;
  if (slowness == 1) return cost;
  return static_cast<Picoseconds>(static_cast<double>(cost) * slowness);
}

Picoseconds Simulation::slowed(Picoseconds cost) const {
  const Picoseconds here = on_this_core(cost);
  if (model_.threads_per_core == 1 || model_.smt_slowdown == 1) return here;
  if (!sibling_is_busy(threads_[running_]->processor)) return here;
  return static_cast<Picoseconds>(static_cast<double>(here) * model_.smt_slowdown);
}

// Brings the line to the running thread's processor. Afterwards, the access takes effect at once,
// and the thread's time is when it can go on.
void Simulation::fetch(const void* word, bool writes) {
  Thread& thread = self();
  const std::uint32_t processor = thread.processor;
  Line& line = line_of(word);
  if (Coherence::access(line, processor, writes)) return;
  ++counts_.transfers;
  const Picoseconds due = thread.time;
  const Picoseconds way = coherence_.quiet_distance(line, processor, writes);
  const Picoseconds ahead = std::min(way, sent_ahead(thread, line, due));
  thread.time += (way - ahead) / 2;
  let_earlier_go_first();
  const Coherence::Transfer transfer = request(thread, line,
                                               {.processor = processor,
                                                .writes = writes,
                                                .arrival = thread.time,
                                                .ahead = ahead,
                                                .thread = thread.number,
                                                .occasion = kOfItsThread});
  coherence_.grant(line, processor, writes);
  thread.time += transfer.ends - transfer.begins;  // an interrupt may have delayed the beginning
  if (std::exchange(thread.polls, false)) return;
  if (thread.time == due) return;
  thread.wait = {.from = due - ahead,
                 .duration = thread.time - due + ahead,
                 .reach = thread.time + model_.access.lookahead};
}

// The running thread's request has arrived. Returns when its transfer begins.
Coherence::Transfer Simulation::request(Thread& thread, Line& line, const Request& request) {
  if (const auto transfer = coherence_.request(line, request)) {
    if (transfer->begins == request.arrival) return *transfer;
    thread.time = transfer->begins;
    let_earlier_go_first();
    return *transfer;
  }
  wait_for_line(line);
  run_events();  // until serve() has let the thread go on
  // An interrupt may have delayed it meanwhile.
  thread.time += thread.transfer.begins - request.arrival;
  let_earlier_go_first();
  return thread.transfer;
}

// The line's next request is served when the line is free.
void Simulation::wait_for_line(Line& line) {
  if (line.waiting.size() != 1) return;
  add_event(line.free_at, EventKind::kLineIsFree, 0, reinterpret_cast<std::uintptr_t>(&line));
}

void Simulation::serve(Line& line) {
  const auto [request, transfer] = coherence_.serve_next(line);
  if (!line.waiting.empty()) {
    add_event(line.free_at, EventKind::kLineIsFree, 0, reinterpret_cast<std::uintptr_t>(&line));
  }
  Thread& thread = *threads_[request.thread];
  if (request.occasion == kOfItsThread) {
    thread.transfer = transfer;
    return add_event(transfer.begins, EventKind::kResume, thread.number);
  }
  if (request.occasion != thread.drains) return;  // the buffer was emptied meanwhile
  thread.transfer_of_store = transfer;
  add_event(transfer.begins, EventKind::kDrain, thread.number, thread.drains);
}

// How long before `time` the thread's request for the line was sent, if it was sent ahead.
Picoseconds Simulation::sent_ahead(const Thread& thread, const Line& line, Picoseconds time) const {
  if (time >= thread.wait.reach) return 0;
  const bool taken = line.last != thread.processor + 1 && line.free_at > thread.wait.from;
  return taken ? 0 : thread.wait.duration;
}

// The same for a store. A store to a line that is not read before is not sent ahead.
Picoseconds Simulation::store_sent_ahead(const Thread& thread, const Line& line,
                                         Picoseconds time) const {
  const bool was_read = Coherence::has(line, thread.processor, false);
  return was_read ? sent_ahead(thread, line, time) : 0;
}

std::uint64_t Simulation::load(const void* word, unsigned bytes) {
  count_access();
  Thread& thread = self();
  const Picoseconds cost = slowed(model_.access.hit);
  synchronize();
  // A thread sees its own stores before others do.
  for (auto store = thread.buffer.rbegin(); store != thread.buffer.rend(); ++store) {
    if (store->word != word || store->forgotten) continue;
    if (store->bytes != bytes) {  // as processors do, it waits until the store is visible to all
      flush_buffer();
      break;
    }
    thread.time += cost;
    return store->bits;
  }
  fetch(word, false);
  const std::uint64_t bits = read(word, bytes);
  thread.time += cost;
  return bits;
}

void Simulation::store(void* word, unsigned bytes, std::uint64_t bits, bool buffered) {
  if (!buffered) {
    begin_update(word, bytes);
    return end_update(word, bytes, bits, true);
  }
  count_access();
  Thread& thread = self();
  const Picoseconds cost = slowed(model_.access.store);
  synchronize();
  if (thread.buffer.empty() && Coherence::access(line_of(word), thread.processor, true)) {
    std::memcpy(word, &bits, bytes);
    thread.time += cost;
    return;
  }
  if (thread.buffer.size() == kMostBuffered) flush_buffer();
  thread.buffer.push_back({.word = word, .bytes = bytes, .bits = bits});
  if (thread.buffer.size() == 1) send_oldest(thread, thread.time);
  thread.time += cost;
}

void Simulation::prepare_store(const void* word) {
  count_access();
  const Picoseconds cost = slowed(model_.access.store);
  flush_buffer();
  synchronize();
  fetch(word, true);
  self().time += cost;
}

void Simulation::store_at_once(void* word, unsigned bytes, std::uint64_t bits) {
  prepare_store(word);
  std::memcpy(word, &bits, bytes);
}

void Simulation::forget_stores(const void* word, unsigned bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(word);
  for (PendingStore& store : self().buffer) {
    const auto at = reinterpret_cast<std::uintptr_t>(store.word);
    if (at + store.bytes > begin && at < begin + bytes) store.forgotten = true;
  }
}

bool Simulation::is_on_stack(const void* location) const {
  const std::span<const std::byte> stack = threads_[running_]->stack;
  const auto* const at = static_cast<const std::byte*>(location);
  return at >= stack.data() && at < stack.data() + stack.size();
}

// Empties the buffer if it has a store to one of these bytes: what the program does to them itself
// would come before that store, which is earlier.
void Simulation::finish_stores_to(const void* location, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(location);
  for (const PendingStore& store : self().buffer) {
    const auto at = reinterpret_cast<std::uintptr_t>(store.word);
    if (!store.forgotten && at + store.bytes > begin && at < begin + bytes) return flush_buffer();
  }
}

void Simulation::touch(const void* location, std::size_t bytes, bool writes) {
  if (bytes == 0) return;
  finish_stores_to(location, bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(location);
  const std::uintptr_t last = (begin + bytes - 1) / kLineBytes;
  for (std::uintptr_t number = begin / kLineBytes; number <= last; ++number) {
    touch_line(number, writes);
  }
}

void Simulation::touch_line(std::uintptr_t number, bool writes) {
  Thread& thread = self();
  auto* const word = reinterpret_cast<void*>(number * kLineBytes);
  if (Coherence::access(line_of(word), thread.processor, writes)) return;
  // The line may be on its way already, for an earlier store.
  for (const PendingStore& store : thread.buffer) {
    if (reinterpret_cast<std::uintptr_t>(store.word) / kLineBytes == number) return;
  }
  count_access();
  synchronize();
  if (!writes) return fetch(word, false);
  if (thread.buffer.size() == kMostBuffered) flush_buffer();
  thread.buffer.push_back({.word = word, .bytes = 1, .bits = 0, .forgotten = true});
  if (thread.buffer.size() == 1) send_oldest(thread, thread.time);
}

std::uint64_t Simulation::begin_update(const void* word, unsigned bytes) {
  count_access();
  flush_buffer();
  synchronize();
  if (coherence_.update_copies_first(line_of(word), self().processor)) {
    fetch(word, false);
    stop_working_ahead(self());
  }
  fetch(word, true);
  return read(word, bytes);
}

void Simulation::end_update(void* word, unsigned bytes, std::uint64_t bits, bool writes) {
  if (writes) {
    std::memcpy(word, &bits, bytes);
  } else {
    stop_working_ahead(self());
  }
  self().time += slowed(model_.access.rmw);
}

void Simulation::fence() {
  flush_buffer();
  stop_working_ahead(self());
  self().time += slowed(model_.access.rmw);
}

void Simulation::membarrier() {
  Thread& caller = self();
  flush_buffer();
  bool others_run = false;
  caller.time += model_.scheduler.futex_call;
  synchronize();
  for (const std::unique_ptr<Thread>& thread : threads_) {
    if (thread.get() == &caller) continue;
    flush_at_once(*thread);
    if (thread->state != State::kRuns) continue;
    others_run = true;
    thread->time += model_.scheduler.interrupt;
  }
  if (others_run) caller.time += model_.scheduler.membarrier;
}

// ---- store buffers

// Sends the request for the line of the oldest store, or writes it at once if the line is there.
void Simulation::send_oldest(Thread& thread, Picoseconds now) {
  const Line& line = line_of(thread.buffer.front().word);
  thread.drain = DrainStep::kSent;
  thread.drain_ahead = 0;
  if (Coherence::has(line, thread.processor, true)) {
    return add_event(now + model_.access.store, EventKind::kDrain, thread.number, thread.drains);
  }
  const Picoseconds way = coherence_.quiet_distance(line, thread.processor, true);
  thread.drain_ahead = std::min(way, store_sent_ahead(thread, line, now));
  add_event(now + (way - thread.drain_ahead) / 2, EventKind::kDrain, thread.number, thread.drains);
}

void Simulation::write_oldest(Thread& thread) {
  const PendingStore& store = thread.buffer.front();
  if (store.forgotten) return;
  std::memcpy(store.word, &store.bits, store.bytes);
}

void Simulation::finish_drain(Thread& thread, Picoseconds now) {
  thread.buffer.pop_front();
  if (!thread.buffer.empty()) return send_oldest(thread, now);
  thread.drain = DrainStep::kNone;
  if (thread.state != State::kFlushes) return;
  thread.state = State::kRuns;
  thread.time = std::max(thread.time, now);
  add_event(thread.time, EventKind::kResume, thread.number);
}

// An event of the thread's oldest store.
void Simulation::drain(Thread& thread) {
  if (thread.drain == DrainStep::kSent) {
    Line& line = line_of(thread.buffer.front().word);
    if (Coherence::access(line, thread.processor, true)) {
      write_oldest(thread);
      return finish_drain(thread, time_);
    }
    ++counts_.transfers;
    thread.drain = DrainStep::kGranted;
    const auto at_once = coherence_.request(line, {.processor = thread.processor,
                                                   .writes = true,
                                                   .arrival = time_,
                                                   .ahead = thread.drain_ahead,
                                                   .thread = thread.number,
                                                   .occasion = thread.drains});
    if (!at_once) return wait_for_line(line);
    thread.transfer_of_store = *at_once;
    return add_event(at_once->begins, EventKind::kDrain, thread.number, thread.drains);
  }
  if (thread.drain == DrainStep::kGranted) {
    coherence_.grant(line_of(thread.buffer.front().word), thread.processor, true);
    write_oldest(thread);
    thread.drain = DrainStep::kArrived;
    return add_event(thread.transfer_of_store.ends, EventKind::kDrain, thread.number,
                     thread.drains);
  }
  finish_drain(thread, time_);
}

// The running thread goes on when its buffer is empty.
void Simulation::flush_buffer() {
  Thread& thread = self();
  if (thread.buffer.empty()) return;
  thread.state = State::kFlushes;
  run_events();
}

// The stores of another thread take effect now. The events of its buffer have no effect.
void Simulation::flush_at_once(Thread& thread) {
  while (!thread.buffer.empty()) {
    write_oldest(thread);
    Line& line = line_of(thread.buffer.front().word);
    coherence_.grant(line, thread.processor, true);
    thread.buffer.pop_front();
  }
  if (thread.drain == DrainStep::kNone) return;
  thread.drain = DrainStep::kNone;
  ++thread.drains;
  if (thread.state != State::kFlushes) return;
  thread.state = State::kRuns;
  thread.time = std::max(thread.time, time_);
  add_event(thread.time, EventKind::kResume, thread.number);
}

}  // namespace lockbench::machine
