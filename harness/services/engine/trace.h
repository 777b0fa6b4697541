// SPDX-License-Identifier: Apache-2.0

// The trace of a failure: acts of clients and faults in the order of their times. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/services/engine/fault_injector.h"
#include "harness/services/engine/shared_state.h"
#include "harness/stress/trace/trace_text.h"

namespace lockbench::stress::services {

// "acquires key 0 with token 17".
std::string text_of(const Act& act);

// The acts of a client with a hold, as far as they are certain.
std::vector<Act> acts_of(const Take& hold);

// Times are counted from `began_ns`; nothing after `failed_ns` is shown. Of the acts, those of the
// client that failed come with all faults since its request, and those of other clients that held
// the key then, acquired it or wrote meanwhile: of these, the first ones and the last ones.
std::vector<TraceStep> trace_of(std::vector<Act> acts, const std::vector<FaultNote>& faults,
                                std::uint32_t client, std::uint32_t key, std::uint64_t began_ns,
                                std::uint64_t failed_ns);

// "12.345 ms, client 1 acquires key 0 with token 17".
std::vector<std::string> lines_of(const std::vector<TraceStep>& steps);

}  // namespace lockbench::stress::services
