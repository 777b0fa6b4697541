// SPDX-License-Identifier: Apache-2.0

// The locks of services, and the plug-ins of `services/` that have them. The core links none of
// these, but presets name their locks, and so do users that forget --plugin.
#pragma once

#include <string_view>

namespace lockbench {

struct ServicePlugin {
  std::string_view primitive;
  std::string_view file;
  bool for_stress_alone = false;
};

inline constexpr ServicePlugin kServicePlugins[] = {{"redis", "redis.so"},
                                                    {"redlock", "redis.so"},
                                                    {"redis_as_published", "redis.so"},
                                                    {"redis_semaphore", "redis.so", true},
                                                    {"postgresql_advisory", "postgresql.so"},
                                                    {"postgresql_row", "postgresql.so"},
                                                    {"postgresql_leases", "postgresql.so"},
                                                    {"postgresql_as_published", "postgresql.so"},
                                                    {"etcd", "etcd.so"},
                                                    {"etcd_semaphore", "etcd.so", true},
                                                    {"zookeeper", "zookeeper.so"},
                                                    {"zookeeper_as_published", "zookeeper.so"}};

// Null if no plug-in of `services/` has a lock of this name.
constexpr const ServicePlugin* service_plugin_of(std::string_view primitive) {
  for (const ServicePlugin& plugin : kServicePlugins) {
    if (plugin.primitive == primitive) return &plugin;
  }
  return nullptr;
}

}  // namespace lockbench
