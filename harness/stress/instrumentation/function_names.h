// SPDX-License-Identifier: Apache-2.0

// Names of functions, by an address in them: of functions that a shared library hides, too.
#pragma once

#include <string>

namespace lockbench::stress {

// The readable name of the function that `address` lies in; the library's file name and an offset
// where its symbols have been removed.
std::string function_at(const void* address);

// The readable name of the variable with static storage that `address` lies in, `counters+8` beyond
// its first byte; as above where its symbols have been removed.
std::string variable_at(const void* address);

}  // namespace lockbench::stress
