// SPDX-License-Identifier: Apache-2.0

// Flags for the machines of a cluster, which `submit` and `doctor --nodes` share.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

inline constexpr char kNoHosts[] = "--hosts: not given; name a file with a host on each line";

void add_node_program(CLI::App& app, std::string& program);
void add_slurm_name(CLI::App& app, const char* flag, const char* type, const char* help,
                    std::string& text);
void add_hosts(CLI::App& app, std::optional<std::filesystem::path>& hosts);

// The error in flags that belong to one engine but were given with the other engine; empty if there
// are none.
std::string of_the_other_engine(const CLI::App& command, const std::string& engine,
                                std::initializer_list<const char*> of_slurm,
                                std::initializer_list<const char*> of_parallel);

}  // namespace lockbench
