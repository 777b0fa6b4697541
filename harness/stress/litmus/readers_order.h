// SPDX-License-Identifier: Apache-2.0

// The consequences of the order in which a lock promises to serve readers and writers that wait
// (ReadersOrder, primitives/promises.h). Pure.
#pragma once

#include <cstdint>

#include "primitives/promises.h"

namespace lockbench {

namespace stress {

// Says whether a thread may be served before another one that waited when it requested the lock.
enum class MayPass : std::uint8_t {
  kYes,
  kNo,
  kAfterAWriter,  // not before a writer, whichever, was served since the request
};

// `writer_inside`: whether a writer held the lock when the request was made.
constexpr MayPass may_pass(ReadersOrder order, bool writes, bool waiting_writes,
                           bool writer_inside) {
  const bool reader_passes_writer = !writes && waiting_writes;
  switch (order) {
    case ReadersOrder::kTaskFair:
      return writes || waiting_writes ? MayPass::kNo : MayPass::kYes;
    case ReadersOrder::kPhaseFair:
      if (reader_passes_writer) return writer_inside ? MayPass::kYes : MayPass::kAfterAWriter;
      return writes && waiting_writes ? MayPass::kNo : MayPass::kYes;
    case ReadersOrder::kWritersFirst:
      return reader_passes_writer ? MayPass::kNo : MayPass::kYes;
    case ReadersOrder::kNone:
      break;
  }
  return MayPass::kYes;
}

}  // namespace stress
}  // namespace lockbench
