// SPDX-License-Identifier: Apache-2.0

// Resource: the numbers that the clients count in, outside of the lock. It checks tokens as a Fence
// does (primitives/fence.h), or ignores them.
//
// Guarantees   Calls are atomic; a client that is stopped or killed in one delays nobody.
// Requires     Each process uses its own number.
#pragma once

#include <cstdint>

#include "workloads/service_counter.h"

namespace lockbench::stress::services {

class Resource {
 public:
  struct Read {
    bool accepted = false;
    std::uint64_t number = 0;
  };
  struct Write {
    bool accepted = false;
    std::uint64_t found = 0;        // the number that it replaced
    std::uint32_t last_writer = 0;  // of that number
  };

  Resource(std::uint32_t keys, std::uint32_t clients, bool checks_tokens)
      : checks_(checks_tokens), registers_(keys, clients) {}

  Read read(std::uint32_t key, std::uint32_t client, std::uint64_t token) {
    Read result;
    result.accepted = registers_.update(key, client, [&](SharedRegisters::State& state) {
      result.number = state.number >> kWriterBits;
      return !checks_ || state.accept(token);
    });
    return result;
  }

  // Writes `number`.
  Write write(std::uint32_t key, std::uint32_t client, std::uint64_t token, std::uint64_t number) {
    Write result;
    result.accepted = registers_.update(key, client, [&](SharedRegisters::State& state) {
      result.found = state.number >> kWriterBits;
      result.last_writer = static_cast<std::uint32_t>(state.number & kWriterMask);
      state.number = number << kWriterBits | client;
      return !checks_ || state.accept(token);
    });
    return result;
  }

  // While no client writes.
  std::uint64_t number(std::uint32_t key) const {
    return registers_.state(key).number >> kWriterBits;
  }

 private:
  static constexpr std::uint64_t kWriterBits = 8;
  static constexpr std::uint64_t kWriterMask = (1 << kWriterBits) - 1;

  const bool checks_;
  SharedRegisters registers_;  // of State::number, the lowest bits are the last writer
};

}  // namespace lockbench::stress::services
