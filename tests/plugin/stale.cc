// SPDX-License-Identifier: Apache-2.0

// A plug-in of another version: recognised by its header alone, none of its functions is called.
#include <cstdlib>

#include "harness/plugin/offer.h"

extern "C" {
__attribute__((visibility("default"))) extern const lockbench::PluginHeader lockbench_plugin;
const lockbench::PluginHeader lockbench_plugin{
    lockbench::kPluginMagic, {}, "0.0.1", "4.2", [](lockbench::PluginOffer&) { std::abort(); }};
}
