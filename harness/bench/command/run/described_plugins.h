// SPDX-License-Identifier: Apache-2.0

// The plug-ins that come with lockbench, as a program describes them in what it adds to "plugins":
//
//   {"plugins": [{"primitive": "redis", "file": "redis.so", "for_stress_alone": false}, …],
//    "remedy": "; say --plugin redis.so …", "help": " (--plugin redis.so, …)"}
#pragma once

namespace lockbench {

// From now on known_plugins() has them (harness/bench/catalog/known_plugins.h).
void offer_described_plugins();

}  // namespace lockbench
