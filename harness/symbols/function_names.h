// SPDX-License-Identifier: Apache-2.0

// Names of functions and variables by address, also of those that a shared library hides.
#pragma once

#include <string>
#include <vector>

namespace lockbench::stress {

// The readable name of the function that contains `address`. If its symbols were removed, the
// library's file name and an offset.
std::string function_at(const void* address);

// The readable name of the variable with static storage that contains `address`: `counters+8` for
// an address after its first byte. If its symbols were removed, the library's file name and an
// offset.
std::string variable_at(const void* address);

// The readable form of a name that the compiler has mangled.
std::string readable_name(const char* name);

// A readable name without the parameters of the function, which are longer than it and say less.
std::string without_parameters(const std::string& function);

// A readable name for a sentence or a column: without parameters, anonymous namespaces and the
// arguments of templates; `Cache<…>::get` for `Cache<std::string, 64>::get(int) const`. Names
// that differ in these alone become equal.
std::string short_function_name(const std::string& function);

// The sources of a shared library, as their compilers named them, that were compiled without
// instrumentation; empty if its symbols were removed.
std::vector<std::string> sources_without_instrumentation(const char* library);

}  // namespace lockbench::stress
