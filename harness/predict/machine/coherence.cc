// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/machine/coherence.h"

#include <algorithm>

namespace lockbench::machine {

Picoseconds Coherence::distance(const Line& line, std::uint32_t processor, bool writes) const {
  if (line.owner != 0) return model_.between(processor, line.owner - 1);
  if (line.sharers.empty()) return model_.access.memory;
  Picoseconds nearest = INT64_MAX;
  Picoseconds farthest = 0;
  line.sharers.for_each([&](std::uint32_t sharer) {
    const Picoseconds from = model_.between(processor, sharer);
    nearest = std::min(nearest, from);
    farthest = std::max(farthest, from);
  });
  return writes ? farthest : nearest;
}

Picoseconds Coherence::quiet_distance(const Line& line, std::uint32_t processor,
                                      bool writes) const {
  const Picoseconds whole = distance(line, processor, writes);
  if (line.owner == 0 && line.sharers.empty()) return whole;
  return static_cast<Picoseconds>(static_cast<double>(whole) * model_.quiet);
}

std::optional<Coherence::Transfer> Coherence::request(Line& line, const Request& request) const {
  if (request.arrival < line.free_at || !line.waiting.empty()) {
    line.waiting.push_back(request);
    return std::nullopt;
  }
  const Picoseconds blocked_until =
      line.writer == 0 ? 0 : line.free_at + model_.between(request.processor, line.writer - 1) / 2;
  const Picoseconds begins = std::max(request.arrival, blocked_until);
  const Picoseconds whole = begins == request.arrival
                                ? quiet_distance(line, request.processor, request.writes)
                                : distance(line, request.processor, request.writes);
  const Picoseconds way = std::max(Picoseconds{0}, whole - request.ahead);
  const Transfer transfer{.begins = begins, .ends = begins + way - way / 2};
  note(line, request, transfer);
  return transfer;
}

std::pair<Request, Coherence::Transfer> Coherence::serve_next(Line& line) const {
  const auto earlier = [](const Request& a, const Request& b) { return a.arrival < b.arrival; };
  const auto next = std::min_element(line.waiting.begin(), line.waiting.end(), earlier);
  const Request request = *next;
  line.waiting.erase(next);
  Picoseconds way = distance(line, request.processor, request.writes);
  if (line.writer != 0) way = model_.between(request.processor, line.writer - 1);
  const bool follows = request.writes || line.writer != 0;
  const bool passed_on = request.arrival <= line.began;
  Transfer transfer{.begins = line.free_at, .ends = 0};
  if (follows && !passed_on) transfer.begins += way / 2;
  transfer.ends = transfer.begins + (follows && passed_on ? way : way - way / 2);
  const std::uint32_t before = line.last - 1;
  note(line, request, transfer);
  if (line.waiting.empty() || same_cluster(before, request.processor)) return {request, transfer};
  for (Request& other : line.waiting) {
    if (same_cluster(other.processor, request.processor)) continue;
    const Picoseconds there = model_.between(other.processor, request.processor) / 2;
    other.arrival = std::max(other.arrival, transfer.begins + there);
  }
  return {request, transfer};
}

void Coherence::note(Line& line, const Request& request, const Transfer& transfer) const {
  line.began = transfer.begins;
  line.free_at = transfer.ends + (request.writes ? model_.access.rmw : model_.access.hit);
  line.writer = takes(line, request.writes) ? request.processor + 1 : 0;
  line.last = request.processor + 1;
}

void Coherence::grant(Line& line, std::uint32_t processor, bool writes) const {
  const bool nobody = line.owner == 0 && line.sharers.empty();
  if (nobody || takes(line, writes)) {
    line.owner = processor + 1;
    line.sharers.clear();
  } else if (line.owner != processor + 1) {
    if (line.owner != 0) line.sharers.add(line.owner - 1);
    line.owner = 0;
    line.sharers.add(processor);
  }
  line.modified = writes;
}

}  // namespace lockbench::machine
