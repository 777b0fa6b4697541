// SPDX-License-Identifier: Apache-2.0

// Models: the nets of the primitives, for any number of threads, keys and leases.
//
// Each thread runs a loop: it requests a lock, acquires it, releases it and starts again. Between
// two rounds it may end. The final marking is the one in which all threads have ended. A thread
// that has requested a lock waits until it gets it, so a thread that never gets it makes the final
// marking unreachable. The search therefore finds a deadlock of two threads among many as well as
// one of all threads.
//
// One transition is what the code does in one indivisible step: under a bucket's mutex, or by one
// atomic operation. The models leave out time, fairness and memory order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/petri/net/net.h"

namespace lockbench {

// The order in which a thread acquires several keys, one inside the other.
enum class KeyOrder {
  kSame,      // all threads in one order; a stripe of two keys is acquired once
  kOpposite,  // every second thread in the opposite order
  kTwice,     // all threads in one order; a stripe of two keys is acquired twice
};

// A field without a value gets the default of the primitive. A field that does not apply to the
// primitive is refused.
struct ModelSpec {
  std::string primitive;
  std::uint32_t threads = 3;
  std::optional<std::uint32_t> keys;
  std::optional<std::uint32_t> leases;  // per shard; or the number of random mutexes
  std::optional<std::uint32_t> stripes;
  std::optional<std::uint32_t> depth;  // how often the owner may acquire a reentrant lock
  bool nested = false;                 // a thread holds one lock while it acquires the next
  std::optional<KeyOrder> order;
};

struct ModelEntry {
  std::string name;
  std::string summary;
};

// The models of build_model(), in the order to show them in.
const std::vector<ModelEntry>& model_entries();

// InvalidArgument says which name or number is wrong and what would be right.
absl::StatusOr<Net> build_model(const ModelSpec& spec);

}  // namespace lockbench
