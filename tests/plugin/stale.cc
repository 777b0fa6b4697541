// SPDX-License-Identifier: Apache-2.0

// Plug-ins of another version or with other headers: recognised by their header alone, none of
// their functions is called.
#include <cstdlib>

#include "harness/plugin/offer.h"

#if defined(OTHER_HEADERS)
constexpr lockbench::PluginBuild kBuild{.sizes = 1};
#define VERSION LOCKBENCH_VERSION
#define COMPILER __VERSION__
#else
constexpr lockbench::PluginBuild kBuild;
#define VERSION "0.0.1"
#define COMPILER "4.2"
#endif

extern "C" {
__attribute__((visibility("default"))) extern const lockbench::PluginHeader lockbench_plugin;
const lockbench::PluginHeader lockbench_plugin{lockbench::kPluginMagic, kBuild, VERSION, COMPILER,
                                               [](lockbench::PluginOffer&) { std::abort(); }};
}
