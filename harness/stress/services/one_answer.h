// SPDX-License-Identifier: Apache-2.0

// One request to a private server, and its answer, as an administrator's program has them.
#pragma once

#include <netinet/in.h>
#include <string>

namespace lockbench::stress::services {

// All that the server sends until it closes the connection, or is silent for 200 ms; empty if there
// is none.
std::string answer_to(const sockaddr_in& server, const std::string& request);

// The same for a POST by HTTP, with the headers of the answer.
std::string post_to(const sockaddr_in& server, const char* path, const std::string& body);

}  // namespace lockbench::stress::services
