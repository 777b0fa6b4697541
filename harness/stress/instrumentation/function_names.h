// SPDX-License-Identifier: Apache-2.0

// Names of functions, by an address in them: of functions that a shared library hides, too.
#pragma once

#include <string>
#include <vector>

namespace lockbench::stress {

// The readable name of the function that `address` lies in; the library's file name and an offset
// where its symbols have been removed.
std::string function_at(const void* address);

// The readable name of the variable with static storage that `address` lies in, `counters+8` beyond
// its first byte; as above where its symbols have been removed.
std::string variable_at(const void* address);

// As people write it, of a name as the compiler makes it.
std::string readable_name(const char* name);

// The sources of a shared library, as their compilers named them, that were compiled without
// instrumentation; empty where its symbols have been removed.
std::vector<std::string> sources_without_instrumentation(const char* library);

}  // namespace lockbench::stress
