// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/known_plugins.h"

#include <algorithm>
#include <utility>

namespace lockbench {
namespace {

std::function<KnownPlugins()>& offered() {
  static std::function<KnownPlugins()> find = [] { return KnownPlugins(); };
  return find;
}

}  // namespace

void offer_known_plugins(std::function<KnownPlugins()> find) {
  offered() = std::move(find);
}

const KnownPlugins& known_plugins() {
  static const KnownPlugins known = offered()();
  return known;
}

const KnownPlugin* known_plugin_of(std::string_view primitive) {
  const std::vector<KnownPlugin>& known = known_plugins().plugins;
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownPlugin& plugin) {
    return plugin.primitive == primitive;
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace lockbench
