// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/conformance/recorder.h"

namespace lockbench::stress {

void Recorder::acquired(const Event& event) {
  answered(event.thread);
  append(event);
  add(pages_[event.thread].holds);
}

void Recorder::releases(const Event& event) {
  Word& holds = pages_[event.thread].holds;
  put(holds, get(holds) - 1);
  append(event);
}

void Recorder::append(const Event& event) {
  // relaxed: only the order of the words matters. Each word has one modification order, and in it a
  // write that happens before another write comes first.
  std::uint64_t position = hint_->load(std::memory_order_relaxed);
  for (std::uint64_t empty = 0;
       !words_[position].compare_exchange_strong(empty, pack(event), std::memory_order_relaxed);
       empty = 0) {
    ++position;
  }
  // Another thread may have stored a higher position. A hint that is too low costs only a few
  // steps.
  hint_->store(position + 1, std::memory_order_relaxed);
}

std::optional<Event> Recorder::pending(std::uint32_t thread) const {
  const std::uint64_t word = get(pages_[thread].request);
  return word == 0 ? std::nullopt : std::optional(event_from(word));
}

std::vector<Event> Recorder::events() const {
  std::vector<Event> events;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t word = get(words_[i]);
    if (word == 0) break;
    events.push_back(event_from(word));
  }
  return events;
}

}  // namespace lockbench::stress
