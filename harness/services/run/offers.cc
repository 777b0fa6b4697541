// SPDX-License-Identifier: Apache-2.0

// The additions of locks at servers to commands of others: servers to `run` and `advise`, the names
// of their plug-ins to messages, and an engine to `stress`.

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "harness/cli/command.h"
#include "harness/cli/flags.h"
#include "harness/services/run/serve_command.h"

namespace lockbench {
namespace {

// The plug-ins of harness/services/locks.
struct Plugin {
  const char* primitive;
  const char* file;
  bool for_stress_alone = false;
};
constexpr Plugin kPlugins[] = {{"redis", "redis.so"},
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

nlohmann::json described_plugins() {
  nlohmann::json plugins = nlohmann::json::array();
  for (const Plugin& one : kPlugins) {
    plugins.push_back({{"primitive", one.primitive},
                       {"file", one.file},
                       {"for_stress_alone", one.for_stress_alone}});
  }
  return {{"plugins", plugins},
          {"remedy",
           "; say --plugin redis.so --plugin postgresql.so, with their folder (docs/services.md)"},
          {"help", " (--plugin redis.so, docs/services.md)"}};
}

void add_stress_flags(CLI::App& stress) {
  static std::string text;
  static bool on;
  add_text(stress,
           {.names = "--faults",
            .type = "LIST",
            .help = "services: of stop_holder, kill_holder, pause_server, restart_server, "
                    "empty_server, end_session, delay, partition, cut, half_open, failover, "
                    "kill_leader, lose_majority, clock_step, clock_step_most, lose_packets, "
                    "delay_packets, part_leader, part_leader_one_way (docs/services.md) "
                    "[all but clock steps]"},
           text);
  add_switch(stress, "--ignore-tokens", "services: the resource accepts every write with any token",
             on);
  add_text(stress,
           {.names = "--network",
            .type = "KIND",
            .help = "services: proxy, or namespaces, where packets are lost and members of a "
                    "cluster can be parted (needs root) [proxy]"},
           text);
}

nlohmann::json described_engine() {
  return {{"name", "services"},
          {"program", "lockbench-services-engine"},
          {"tests", "locks at servers"},
          {"about",
           "`services` runs clients of a lock at Redis,\n"
           "PostgreSQL, etcd or ZooKeeper, and stops, kills and cuts off clients and servers. "},
          {"examples",
           "  lockbench stress redlock --plugin redis.so --engine services --faults stop_holder\n"
           "  lockbench stress etcd:members=3 --plugin etcd.so --engine services --faults "
           "kill_leader\n"},
          {"without_plugin",
           "the engine services tests the locks of plug-ins for services, and none is loaded: say "
           "--plugin redis.so or --plugin postgresql.so, with its folder (docs/services.md)"},
          {"flags", described_flags(add_stress_flags)}};
}

class ServeEntry final : public Command {
 public:
  ServeEntry()
      : Command({.name = "serve",
                 .group = CommandGroup::kHidden,
                 .summary = "Starts the servers of a run, until its input ends (for `run`)"}) {}

  void add_flags(CLI::App& serve) override {
    add_required_word(serve, "request", "The request as JSON", request_);
  }
  int run(const Invocation&) override { return serve_command(request_); }

 private:
  std::string request_;
};

}  // namespace

void add_services(Commands& all) {
  all.push_back(std::make_unique<ServeEntry>());
}

void describe_services(nlohmann::json& adds) {
  adds["run"] = {{"servers", true}};
  adds["plugins"] = described_plugins();
  adds["stress"] = described_engine();
}

}  // namespace lockbench
