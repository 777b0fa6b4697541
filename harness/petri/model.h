// SPDX-License-Identifier: Apache-2.0

// Models: the nets of the primitives, for any number of threads, keys and leases.
//
// Every thread goes round: it asks, takes, lets go, and asks again; between two rounds it may end.
// The marking in which all have ended is the one that is wanted. Since a thread that has asked
// waits until it is served, one that is never served keeps that marking out of reach: a standstill
// of two threads among many is found as surely as one of all.
//
// One transition is what the code does in one indivisible step: under a bucket's mutex, or by one
// atomic operation. What the model leaves out: time, fairness, memory order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net.h"

namespace lockbench {

// How a thread takes several keys, one inside the other.
enum class KeyOrder {
  kSame,      // all threads alike; a stripe that comes up twice is taken once
  kOpposite,  // every second thread the other way round
  kTwice,     // all alike, and a stripe that comes up twice is taken twice
};

std::optional<KeyOrder> parse_order(std::string_view text);

// What is left open is as usual for the primitive. A choice that means nothing to it is refused.
struct ModelSpec {
  std::string primitive;
  std::uint32_t threads = 3;
  std::optional<std::uint32_t> keys;
  std::optional<std::uint32_t> leases;  // of a shard; of random mutexes, their number
  std::optional<std::uint32_t> stripes;
  std::optional<std::uint32_t> depth;  // how often the owner of a reentrant lock may be inside
  bool nested = false;                 // holds one while it takes the next
  std::optional<KeyOrder> order;
};

struct ModelEntry {
  std::string name;
  std::string summary;
};

// All that build_model() knows, in the order to show them in.
const std::vector<ModelEntry>& model_entries();

// InvalidArgument: the name or number, what was wrong and what would be right.
absl::StatusOr<Net> build_model(const ModelSpec& spec);

}  // namespace lockbench
