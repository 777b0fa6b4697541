// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/zookeeper/queues.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <vector>

#include "harness/services/locks/random_text.h"

namespace lockbench::services {
namespace {

constexpr char kTop[] = "/lockbench";

// So many nodes are removed at once.
constexpr std::size_t kAtOnce = 500;

std::vector<std::string> children(ZooKeeperSession& session, const std::string& path) {
  std::vector<std::string> paths = session.list(path).names;
  for (std::string& name : paths) name.insert(0, path + "/");
  return paths;
}

// Returns those that have children.
std::vector<std::string> remove_nodes(ZooKeeperSession& session,
                                      const std::vector<std::string>& paths) {
  std::vector<std::string> left;
  for (std::size_t at = 0; at < paths.size(); at += kAtOnce) {
    const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = std::min(kAtOnce, paths.size() - at);
    const std::vector<std::string> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    const std::vector<ZooKeeperAnswer> answers = session.remove_all(some);
    for (std::size_t i = 0; i < count; ++i) {
      if (answers[i].code == ZNOTEMPTY) left.push_back(some[i]);
    }
  }
  return left;
}

}  // namespace

ZooKeeperQueues::ZooKeeperQueues(const Address& address)
    : address_(address), root_(kTop + ("/" + random_text())), sessions_(address, *counts_) {
  ZooKeeperSession session(address_, *counts_);
  session.open();
  made_top_ = session.make_container(kTop).code == ZOK;
  while (!make(session, root_)) session.open();
}

ZooKeeperQueues::~ZooKeeperQueues() {
  if (process_ != getpid()) return;  // the nodes are its parent's, too
  try {
    const ZooKeeperSessions::Lease session = sessions_.take();
    session->open();
    remove_all(*session);
  } catch (const ServiceError&) {
    // The server removes what is left.
  }
}

void ZooKeeperQueues::remove_all(ZooKeeperSession& session) const {
  for (const std::string& queue : remove_nodes(session, children(session, root_))) {
    remove_nodes(session, children(session, queue));
    session.remove(queue);
  }
  session.remove(root_);
  // It would fail for one that others have made; and also while there are other trials.
  if (made_top_) session.remove(kTop);
}

// Letters and digits as they are: other characters may have a meaning in a path.
std::string ZooKeeperQueues::queue_of(std::string_view key) const {
  std::string path = root_ + "/k";
  for (const char c : key) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      path += c;
      continue;
    }
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), "-%02x", static_cast<unsigned char>(c));
    path += code.data();
  }
  return path;
}

bool ZooKeeperQueues::make(ZooKeeperSession& session, const std::string& queue) const {
  for (;;) {
    ZooKeeperAnswer answer = session.make_container(queue);
    if (answer.code == ZNONODE) {
      if (!make(session, queue.substr(0, queue.rfind('/')))) return false;
      continue;
    }
    if (answer.is_in_doubt() || answer.is_end_of_session()) return false;
    if (answer.code != ZOK && answer.code != ZNODEEXISTS) session.refuse(answer.code);
    return true;
  }
}

ServiceUse ZooKeeperQueues::use() {
  return use_of(*counts_);
}

}  // namespace lockbench::services
