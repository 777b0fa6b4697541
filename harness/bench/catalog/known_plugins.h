// SPDX-License-Identifier: Apache-2.0

// Locks of plug-ins that come with lockbench. The core links none of these, but presets name their
// locks, and so do users that forget --plugin: a message then names the file.
#pragma once

#include <span>
#include <string_view>

namespace lockbench {

struct KnownPlugin {
  std::string_view primitive;
  std::string_view file;
  bool for_stress_alone = false;
};

struct KnownPlugins {
  std::span<const KnownPlugin> plugins;
  // What messages add where a plug-in is missing: "; say --plugin FILE"; and help, in brackets.
  const char* remedy = "";
  const char* help = "";
};

// Called at most once, when the commands are added (harness/cli/command.h). What it refers to lives
// as long as the process.
void offer_known_plugins(const KnownPlugins& known);

// Empty if none were offered.
const KnownPlugins& known_plugins();

// Null if none of them has a lock of this name.
const KnownPlugin* known_plugin_of(std::string_view primitive);

}  // namespace lockbench
