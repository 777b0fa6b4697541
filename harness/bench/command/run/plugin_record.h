// SPDX-License-Identifier: Apache-2.0

// PluginRecord: which plug-in it is, how it was compiled, and in what this differs from lockbench's
// own build. Pure.
#pragma once

#include <optional>
#include <string>

#include "harness/bench/record/build.h"
#include "harness/plugin/describe.h"

namespace lockbench {

// `file_hash`: of the file's bytes. `own`: how this program was compiled. Without a stamp, as a
// plug-in in Rust has none, only the file is known.
PluginRecord plugin_record(const std::string& file, const std::optional<std::string>& file_hash,
                           const std::optional<PluginStamp>& stamp, const PluginStamp& own);

// How this program was compiled.
PluginStamp own_stamp();

}  // namespace lockbench
