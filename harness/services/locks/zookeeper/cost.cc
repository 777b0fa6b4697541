// SPDX-License-Identifier: Apache-2.0

// zookeeper-lock-cost: what ZooKeeperLock adds to the requests that it sends
// (harness/services/locks/cost.h).
//
//   LOCKBENCH_ZOOKEEPER=127.0.0.1:2181 zookeeper-lock-cost [BLOCKS]
#include "harness/services/locks/cost.h"

#include <chrono>
#include <string>

#include "harness/services/locks/zookeeper/zookeeper_lock.h"

namespace lockbench::services {
namespace {

// The same requests in one session, and nothing else.
class Bare {
 public:
  explicit Bare(const ZooKeeperAddress& address) : session_(address, counts_) {
    session_.open();
    session_.make_container(kTop);
  }
  ~Bare() { session_.remove(kTop); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void acquire() {
    auto [made, children] = session_.enter(std::string(kTop) + "/node-", kTop);
    if (made.code != ZOK || children.code != ZOK) session_.refuse(made.code);
    node_ = made.name;
  }

  void release() {
    const ZooKeeperAnswer removed = session_.remove(node_);
    if (removed.code != ZOK) session_.refuse(removed.code);
  }

 private:
  static constexpr char kTop[] = "/lockbench-bare";

  RequestCounts counts_;
  ZooKeeperSession session_;
  std::string node_;
};

void run(int blocks) {
  const ZooKeeperAddress address{.members = addresses_of("zookeeper"),
                                 .timeout = std::chrono::seconds(10)};
  ZooKeeperLock lock(address, std::chrono::seconds(1));
  Bare bare(address);
  CostOfLock(lock, bare).measure(blocks);
}

}  // namespace
}  // namespace lockbench::services

int main(int argc, char** argv) {
  return lockbench::services::cost_main("zookeeper-lock-cost", argc, argv,
                                        lockbench::services::run);
}
