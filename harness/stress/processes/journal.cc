// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/journal.h"

namespace lockbench::stress::processes {
namespace {

std::uint64_t pack(const Record& record) {
  return std::uint64_t{record.kind} | std::uint64_t{record.process} << 8 |
         std::uint64_t{record.act} << 32;
}

Record unpack(std::uint64_t word) {
  return {.kind = static_cast<Record::Kind>(word & 0xff),
          .process = static_cast<std::uint8_t>(word >> 8),
          .act = static_cast<std::uint32_t>(word >> 32)};
}

}  // namespace

void Journal::note(std::uint32_t process, threads::Entry entry) {
  Word& holds = pages_[process].holds;
  if (!entry.takes) put(holds, get(holds) - 1);
  append({.kind = entry.takes ? Record::kTakes : Record::kLetsGo,
          .process = static_cast<std::uint8_t>(process),
          .act = entry.act});
  if (entry.takes) put(holds, get(holds) + 1);
}

void Journal::append(const Record& record) {
  // relaxed: the order of the words is all that is asked for, and each of them has one of its own,
  // in which what happens before comes before.
  std::uint64_t place = hint_->load(std::memory_order_relaxed);
  for (std::uint64_t empty = 0;
       !records_[place].compare_exchange_strong(empty, pack(record), std::memory_order_relaxed);
       empty = 0) {
    ++place;
  }
  // Others may have got further meanwhile; a hint that lags costs a few steps.
  hint_->store(place + 1, std::memory_order_relaxed);
}

std::optional<std::uint32_t> Journal::wanted_by(std::uint32_t process) const {
  const std::uint64_t wants = get(pages_[process].wants);
  if (wants == 0) return std::nullopt;
  return static_cast<std::uint32_t>(wants - 1);
}

std::vector<Record> Journal::records() const {
  std::vector<Record> records;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::uint64_t word = get(records_[i]);
    if (word == 0) break;
    records.push_back(unpack(word));
  }
  return records;
}

}  // namespace lockbench::stress::processes
