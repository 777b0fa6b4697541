// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/etcd/etcd_server.h"

#include <chrono>
#include <cstdlib>

#include "harness/services/locks/etcd/base64.h"
#include "harness/services/locks/etcd/requests.h"
#include "harness/services/locks/random_text.h"

namespace lockbench::services {
namespace {

// The JSON gateway has the path /v3 since this version.
constexpr int kLeastMajor = 3;
constexpr int kLeastMinor = 4;

// Everything that a killed trial leaves is removed by the server then.
constexpr int kKeptS = 24 * 60 * 60;

std::uint64_t now_us() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<microseconds>(system_clock::now().time_since_epoch()).count());
}

void check_version(EtcdGateway& gateway) {
  const Json answer = Json::parse(gateway.get("/version"), nullptr, false);
  const std::string version = text_of(part_of(answer, "etcdserver"));
  char* rest = nullptr;
  const long major = std::strtol(version.c_str(), &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  if (major == 0) gateway.refuse("does not answer as etcd 3.4 or newer does");
  if (major > kLeastMajor || (major == kLeastMajor && minor >= kLeastMinor)) return;
  gateway.refuse("is of version " + version + "; needed is 3.4 or newer");
}

// True if one of the servers says that its cluster has a leader, or none says that it has not.
// Without a majority, none has one.
bool may_have_leader(const EtcdGateway::Address& members, std::size_t& answers) {
  for (const Address& member : members) {
    try {
      RequestCounts none;
      const std::string metrics = EtcdGateway({member}, none).get("/metrics");
      if (metrics.find("\netcd_server_has_leader 0\n") == std::string::npos) return true;
      ++answers;
    } catch (const ServiceError&) {
      continue;
    }
  }
  return answers == 0;
}

double cpu_s_in(const std::string& metrics) {
  constexpr std::string_view kName = "\nprocess_cpu_seconds_total ";
  const std::size_t at = metrics.find(kName);
  return at == std::string::npos ? 0 : std::strtod(metrics.c_str() + at + kName.size(), nullptr);
}

}  // namespace

std::string end_of_prefix(std::string prefix) {
  ++prefix.back();
  return prefix;
}

EtcdServer::EtcdServer(const EtcdGateway::Address& members)
    : members_(members),
      prefix_("lockbench/" + random_text() + "/"),
      base_name_(to_base64(prefix_ + "base")),
      pool_(members_, *counts_) {
  const EtcdPool::Lease gateway = connection();
  check_version(*gateway);
  try {
    base_lease_ = make_base(*gateway);
  } catch (const ServiceError&) {
    refuse_without_majority();
    throw;
  }
  cpu_before_s_ = cpu_s();
}

EtcdServer::~EtcdServer() {
  if (process_ != getpid()) return;  // the keys are its parent's, too
  try {
    const EtcdPool::Lease gateway = connection();
    gateway->request("/v3/kv/deleterange", {{"key", to_base64(prefix_)},
                                            {"range_end", to_base64(end_of_prefix(prefix_))}});
    gateway->ask(kRevoke, {{"ID", base_lease_}});
  } catch (const ServiceError&) {
    // Everything that is left at the server has a lease.
  }
}

// Nothing that is asked is answered then, which could have other reasons, too.
void EtcdServer::refuse_without_majority() const {
  std::size_t answers = 0;
  if (may_have_leader(members_, answers)) return;
  std::string names;
  for (const Address& member : members_) names += (names.empty() ? "" : ",") + member.text();
  throw ServiceError("etcd at " + names + ": the cluster has no majority: of " +
                     std::to_string(members_.size()) + " servers that are named, " +
                     std::to_string(answers) + " answer and know no leader; start the others");
}

// The length comes first, so that `a/` does not begin the name of `a/b`.
std::string EtcdServer::name_of(std::string_view key) const {
  return prefix_ + std::to_string(key.size()) + ":" + std::string(key) + "/";
}

std::string EtcdServer::make_base(EtcdGateway& gateway) {
  const Json granted = gateway.request(kGrant, {{"TTL", std::to_string(kKeptS)}});
  const std::string lease = text_of(part_of(granted, "ID"));
  const std::uint64_t revision = number_of(part_of(part_of(granted, "header"), "revision"));
  const Json put{{"key", base_name_},
                 {"value", to_base64(std::to_string(now_us() - revision))},
                 {"lease", lease}};
  gateway.request(kTransaction, {{"compare", Json::array({created_at(base_name_, 0)})},
                                 {"success", Json::array({Json{{"request_put", put}}})}});
  return lease;
}

// 0 if it cannot be known: one of several servers may be lost, or keep its metrics elsewhere.
double EtcdServer::cpu_s() {
  double sum = 0;
  for (const Address& member : members_) {
    try {
      RequestCounts none;
      sum += cpu_s_in(EtcdGateway({member}, none).get("/metrics"));
    } catch (const ServiceError&) {
      return 0;
    }
  }
  return sum;
}

ServiceUse EtcdServer::use() {
  const double cpu_after_s = cpu_s();
  ServiceUse use = use_of(*counts_);
  if (cpu_after_s != 0) use.server_cpu_s = cpu_after_s - cpu_before_s_;
  return use;
}

}  // namespace lockbench::services
