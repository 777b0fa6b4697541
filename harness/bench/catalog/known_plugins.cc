// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/known_plugins.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockbench {
namespace {

struct Offer {
  std::function<KnownPlugins()> find;
  std::optional<KnownPlugins> found;
};

Offer& offered() {
  static Offer offer;
  return offer;
}

}  // namespace

void offer_known_plugins(std::function<KnownPlugins()> find) {
  offered() = {.find = std::move(find), .found = {}};
}

const KnownPlugins& known_plugins() {
  Offer& offer = offered();
  if (!offer.found) offer.found = offer.find ? offer.find() : KnownPlugins();
  return *offer.found;
}

const KnownPlugin* known_plugin_of(std::string_view primitive) {
  const std::vector<KnownPlugin>& known = known_plugins().plugins;
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownPlugin& plugin) {
    return plugin.primitive == primitive;
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace lockbench
