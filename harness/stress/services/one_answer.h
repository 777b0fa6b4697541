// SPDX-License-Identifier: Apache-2.0

// One request to a server on the loopback interface, and its answer, as an administrator's program
// has them.
#pragma once

#include <cstdint>
#include <string>

namespace lockbench::stress::services {

// All that the server sends until it closes the connection, or is silent for 200 ms; empty if there
// is none.
std::string answer_to(std::uint16_t port, const std::string& request);

// The same for a POST by HTTP, with the headers of the answer.
std::string post_to(std::uint16_t port, const char* path, const std::string& body);

}  // namespace lockbench::stress::services
