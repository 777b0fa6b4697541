// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/known_plugins.h"

#include <algorithm>

namespace lockbench {
namespace {

KnownPlugins& offered() {
  static KnownPlugins known;
  return known;
}

}  // namespace

void offer_known_plugins(const KnownPlugins& known) {
  offered() = known;
}

const KnownPlugins& known_plugins() {
  return offered();
}

const KnownPlugin* known_plugin_of(std::string_view primitive) {
  const std::span<const KnownPlugin> known = offered().plugins;
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownPlugin& plugin) {
    return plugin.primitive == primitive;
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace lockbench
