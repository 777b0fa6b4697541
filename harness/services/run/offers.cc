// SPDX-License-Identifier: Apache-2.0

// What locks at servers add to commands of others: servers to `run` and `advise`, the names of
// their plug-ins to messages, and an engine to `stress`.

#include "harness/bench/catalog/known_plugins.h"
#include "harness/bench/command/run/run_servers.h"
#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/services/run/run_services.h"
#include "harness/stress/command/added_engine.h"
#include "harness/stress/command/stress_entry.h"

namespace lockbench {
namespace {

// The plug-ins of `harness/services/locks/`.
constexpr KnownPlugin kPlugins[] = {{"redis", "redis.so"},
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

void add_stress_flags(CLI::App& stress, stress::Order& order) {
  add_text(stress,
           {.names = "--faults",
            .type = "LIST",
            .help = "services: of stop_holder, kill_holder, pause_server, restart_server, "
                    "empty_server, end_session, delay, partition, cut, half_open, failover, "
                    "kill_leader, lose_majority, clock_step, clock_step_most, lose_packets, "
                    "delay_packets, part_leader, part_leader_one_way (docs/services.md) "
                    "[all but clock steps]"},
           order.faults);
  add_switch(stress, "--ignore-tokens", "services: the resource accepts every write with any token",
             order.ignore_tokens);
  add_text(stress,
           {.names = "--network",
            .type = "KIND",
            .help = "services: proxy, or namespaces, where packets are lost and members of a "
                    "cluster can be parted (needs root) [proxy]"},
           order.network);
}

AddedEngine engine_of_services() {
  return {
      .name = "services",
      .tests = "locks at servers",
      .about =
          "`services` runs clients of a lock at Redis,\n"
          "PostgreSQL, etcd or ZooKeeper, and stops, kills and cuts off clients and servers. ",
      .examples =
          "  lockbench stress redlock --plugin redis.so --engine services --faults stop_holder\n"
          "  lockbench stress etcd:members=3 --plugin etcd.so --engine services --faults "
          "kill_leader\n",
      .without_plugin =
          "the engine services tests the locks of plug-ins for services, and none is loaded: say "
          "--plugin redis.so or --plugin postgresql.so, with its folder (docs/services.md)",
      .options = {"--faults", "--ignore-tokens", "--network"},
      .add_flags = add_stress_flags};
}

}  // namespace

void add_services(Commands& all) {
  offer_servers(start_run_services);
  offer_known_plugins({.plugins = kPlugins,
                       .remedy = "; say --plugin redis.so --plugin postgresql.so, with their "
                                 "folder (docs/services.md)",
                       .help = " (--plugin redis.so, docs/services.md)"});
  if (auto* const stress = find_command<StressEntry>(all)) {
    stress->add_engine(engine_of_services());
  }
}

}  // namespace lockbench
