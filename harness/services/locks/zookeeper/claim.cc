// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/zookeeper/claim.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/services/locks/random_text.h"

namespace lockbench::services {
namespace {

// The server appends ten digits, so names of a queue are in the order of their ends.
constexpr std::size_t kDigits = 10;

std::string_view number_of(std::string_view node) {
  return node.substr(node.size() - std::min(node.size(), kDigits));
}

}  // namespace

ZooKeeperClaim::ZooKeeperClaim(ZooKeeperQueues& queues, const std::string& queue)
    : queues_(queues),
      session_(queues.sessions().take()),
      queue_(queue),
      begin_(random_text() + "-") {}

ZooKeeperClaim::~ZooKeeperClaim() {
  if (entered_) session_->end();
}

QueuePosition ZooKeeperClaim::enter(bool only_if_free) {
  session_->open();
  const Position entered = make_node();
  if (!only_if_free || entered != Position::kWaiting) return entered;
  leave();
  return Position::kRefused;
}

// Makes the node, and finds its position.
QueuePosition ZooKeeperClaim::make_node() {
  entered_ = true;  // if there is no answer, too
  for (;;) {
    auto [made, children] = session_->enter(queue_ + "/" + begin_, queue_);
    if (made.is_end_of_session()) return Position::kGone;
    if (made.code == ZOK) {
      node_ = made.name;
      return children.code == ZOK ? position_in(children) : look();
    }
    if (made.code == ZNONODE) {
      if (queues_.make(*session_, queue_)) continue;
    } else if (!made.is_in_doubt()) {
      session_->refuse(made.code);
    }
    // The node may be there.
    if (!session_->reopen()) return Position::kGone;
    if (!queues_.finds_lost_nodes()) continue;
    const std::optional<ZooKeeperAnswer> found = list(true);
    if (!found) return Position::kGone;
    if (find(*found)) return position_in(*found);
  }
}

// Without a value: the session has ended.
std::optional<ZooKeeperAnswer> ZooKeeperClaim::list(bool latest) {
  for (;;) {
    ZooKeeperAnswer children = latest ? session_->list_latest(queue_) : session_->list(queue_);
    if (children.is_end_of_session()) return std::nullopt;
    if (children.code == ZOK || children.code == ZNONODE) return children;
    if (!children.is_in_doubt()) session_->refuse(children.code);
    if (!session_->reopen()) return std::nullopt;
  }
}

QueuePosition ZooKeeperClaim::look() {
  const std::optional<ZooKeeperAnswer> children = list(false);
  return children ? position_in(*children) : Position::kGone;
}

bool ZooKeeperClaim::find(const ZooKeeperAnswer& children) {
  const auto own = std::find_if(children.names.begin(), children.names.end(),
                                [&](const std::string& name) { return name.starts_with(begin_); });
  if (own == children.names.end()) return false;
  node_ = queue_ + "/" + *own;
  return true;
}

QueuePosition ZooKeeperClaim::position_in(const ZooKeeperAnswer& children) {
  const std::string_view own = number_of(node_);
  std::string_view before;  // the greatest number below it
  bool is_there = false;
  for (const std::string& name : children.names) {
    const std::string_view number = number_of(name);
    is_there |= number == own;
    if (number >= own || number <= before) continue;
    before = number;
    predecessor_ = queue_ + "/" + name;
  }
  if (!is_there) return Position::kGone;
  if (!before.empty()) return Position::kWaiting;
  std::uint64_t number = 0;
  std::from_chars(own.data(), own.data() + own.size(), number);
  token_ = children.made_ms * 1000 + number;
  return Position::kFirst;
}

QueuePosition ZooKeeperClaim::await_change(platform::Time deadline) {
  const std::uint64_t before = session_->events();
  const ZooKeeperAnswer watched = session_->watch(predecessor_);
  if (watched.is_end_of_session()) return Position::kGone;
  if (watched.code == ZOK) {
    session_->await_event(before, deadline);
  } else if (watched.is_in_doubt()) {
    if (!session_->reopen()) return Position::kGone;
  } else if (watched.code != ZNONODE) {
    session_->refuse(watched.code);
  }
  return look();
}

bool ZooKeeperClaim::leave() {
  for (bool asked_before = false;; asked_before = true) {
    const ZooKeeperAnswer removed = session_->remove(node_);
    if (removed.is_end_of_session()) return false;
    if (removed.code == ZOK || removed.code == ZNONODE) {
      entered_ = false;
      return removed.code == ZOK || asked_before;
    }
    if (!removed.is_in_doubt()) session_->refuse(removed.code);
    if (!session_->reopen()) return false;
  }
}

}  // namespace lockbench::services
