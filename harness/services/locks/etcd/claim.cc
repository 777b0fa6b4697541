// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/etcd/claim.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "harness/services/locks/etcd/base64.h"
#include "harness/services/locks/etcd/watch.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

constexpr char kNoLease[] = "requested lease not found";

// A watch that cannot be had is asked for again after a while.
constexpr std::chrono::milliseconds kAfterNoWatch{20};

const Json& keys_in(const Json& response) {
  return part_of(part_of(response, "response_range"), "kvs");
}

std::uint64_t revision_in(const Json& answer) {
  return number_of(part_of(part_of(answer, "header"), "revision"));
}

bool has_succeeded(const Json& answer) {
  return part_of(answer, "succeeded") == true;
}

}  // namespace

EtcdClaim::EtcdClaim(EtcdQueues& queues, const std::string& prefix)
    : queues_(queues),
      session_(queues.sessions().take()),
      lease_(session_->fresh_lease()),
      names_{.begin = to_base64(prefix),
             .end = to_base64(end_of_prefix(prefix)),
             .base = queues.server().base_name(),
             .capacity = queues.capacity()},
      name_(to_base64(prefix + lease_->id)) {
  queues_.watchdog().add(lease_);
}

EtcdClaim::~EtcdClaim() {
  queues_.watchdog().remove(lease_);
  if (entered_) session_->drop_lease();
}

EtcdClaim::Position EtcdClaim::enter(bool only_if_free) {
  entered_ = true;  // if there is no answer, too
  // A transaction cannot count. With several holders, a claim looks where it is, and leaves again.
  const bool only_if_empty = only_if_free && names_.capacity == 1;
  const EtcdAnswer answer = session_->gateway().ask(
      kTransaction, claim_request(names_, name_, lease_->id, only_if_empty));
  if (answer.error.find(kNoLease) != std::string::npos) return Position::kGone;
  if (!answer.error.empty()) session_->gateway().refuse(answer.error);
  in_doubt_ = answer.sent_again;
  const Json& parts = part_of(answer.body, "responses");
  seen_revision_ = revision_in(answer.body);
  if (has_succeeded(answer.body)) {
    revision_ = seen_revision_;
    const Position position = position_in(element_of(parts, 1), element_of(parts, 2));
    if (!only_if_free || position != Position::kWaiting) return position;
    leave();
    return Position::kRefused;
  }
  // It is there already: an earlier copy of the request has made it.
  const Json& own = element_of(keys_in(element_of(parts, 0)), 0);
  revision_ = number_of(part_of(own, "create_revision"));
  if (revision_ != 0) return look();
  if (!only_if_empty) session_->gateway().refuse("an answer that makes no sense");
  entered_ = in_doubt_;
  return Position::kRefused;
}

EtcdClaim::Position EtcdClaim::look() {
  const Json answer =
      session_->gateway().request(kTransaction, standing_request(names_, revision_));
  const Json& parts = part_of(answer, "responses");
  seen_revision_ = revision_in(answer);
  return position_in(element_of(parts, 0), element_of(parts, 1));
}

EtcdClaim::Position EtcdClaim::position_in(const Json& last, const Json& base) {
  const Json& keys = keys_in(last);
  const Json& own = element_of(keys, 0);
  if (text_of(part_of(own, "key")) != name_) return Position::kGone;
  predecessor_ = text_of(part_of(element_of(keys, 1), "key"));
  if (keys.size() > names_.capacity) return Position::kWaiting;
  const Json& value = part_of(element_of(keys_in(base), 0), "value");
  base_ = number_of(std::string_view(from_base64(text_of(value))));
  if (base_ != 0) return Position::kFirst;
  // The server has forgotten it, so what was told of this claim may be of before that.
  queues_.server().make_base(session_->gateway());
  return look();
}

EtcdClaim::Position EtcdClaim::await_change(platform::Time deadline) {
  // If several hold, a slot is free when any of them leaves: then all that wait look.
  const bool one = names_.capacity == 1;
  const std::string before = predecessor_;
  EtcdWatch watch(session_->gateway(), one ? before : names_.begin, one ? "" : names_.end);
  const std::optional<std::uint64_t> since = watch.await_begin(deadline);
  if (!since) {
    std::this_thread::sleep_until(
        std::min<platform::Time>(deadline, platform::now() + kAfterNoWatch));
    return look();
  }
  // Looks at what happened before the watch had begun.
  if (*since > seen_revision_) {
    const Position position = look();
    if (position != Position::kWaiting || (one && predecessor_ != before)) return position;
  }
  watch.await_event(deadline);
  return look();
}

bool EtcdClaim::leave() {
  // The lease goes, too, if a copy of the request could still create the name.
  if (in_doubt_) {
    const bool was_there = session_->revoke_lease();
    entered_ = false;
    return was_there;
  }
  const Json answer = session_->gateway().request(kTransaction, delete_request(name_, revision_));
  entered_ = false;
  return has_succeeded(answer);
}

}  // namespace lockbench::services
