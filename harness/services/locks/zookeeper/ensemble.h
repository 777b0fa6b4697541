// SPDX-License-Identifier: Apache-2.0

// The answers of an ensemble's servers about themselves without a session.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/services/locks/address.h"

namespace lockbench::services {

// How many of the servers answer that they do not serve, because no majority of their ensemble can
// be reached. 0 if any of them serves, or none says so. Waits a second for each that is silent.
std::size_t servers_without_majority(const std::vector<Address>& servers);

}  // namespace lockbench::services
