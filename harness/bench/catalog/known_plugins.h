// SPDX-License-Identifier: Apache-2.0

// Locks of plug-ins that come with lockbench. The core links none of these, but presets name their
// locks, and so do users that forget --plugin: a message then names the file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockbench {

struct KnownPlugin {
  std::string primitive;
  std::string file;
  bool for_stress_alone = false;
};

struct KnownPlugins {
  std::vector<KnownPlugin> plugins;
  // The text that messages add where a plug-in is missing: "; say --plugin FILE"; and help, in
  // brackets.
  std::string remedy;
  std::string help;
};

// `find` is called once, when one of them is asked for. Called when the commands are added
// (harness/cli/command.h).
void offer_known_plugins(std::function<KnownPlugins()> find);

// Empty if none were offered.
const KnownPlugins& known_plugins();

// Null if none of them has a lock of this name.
const KnownPlugin* known_plugin_of(std::string_view primitive);

}  // namespace lockbench
