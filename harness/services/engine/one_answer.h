// SPDX-License-Identifier: Apache-2.0

// Requests to private servers as an administrator's program makes them: any one with its answer;
// which member leads a cluster of etcd or ZooKeeper; the end of a lease at etcd.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>

namespace lockbench::stress::services {

// All that the server sends until it closes the connection, or is silent for 200 ms; empty if there
// is none.
std::string answer_to(const sockaddr_in& server, const std::string& request);

// The same for a POST by HTTP, with the headers of the answer.
std::string post_to(const sockaddr_in& server, const char* path, const std::string& body);

// True if this member says that it leads its cluster. False: it does not answer, too.
bool leads_cluster(std::string_view service, const sockaddr_in& member);

// Revokes the lease of one of the keys `lockbench/…`, which `draw` chooses. False: there is no such
// key, or the server does not answer.
bool revoke_lease(const sockaddr_in& server, std::uint64_t draw);

}  // namespace lockbench::stress::services
