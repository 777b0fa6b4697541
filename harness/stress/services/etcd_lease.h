// SPDX-License-Identifier: Apache-2.0

// Ends a session at etcd as an administrator does: revokes a lease.
#pragma once

#include <cstdint>
#include <netinet/in.h>

namespace lockbench::stress::services {

// Revokes the lease of one of the keys `lockbench/…`, which `draw` chooses. False: there is no such
// key, or the server does not answer.
bool revoke_lease(const sockaddr_in& server, std::uint64_t draw);

}  // namespace lockbench::stress::services
