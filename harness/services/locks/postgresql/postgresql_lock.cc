// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/postgresql/postgresql_lock.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "primitives/key.h"

namespace lockbench::services {
namespace {

std::string number(std::uint64_t value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

// Then a client looks whether another lease is free.
constexpr std::chrono::milliseconds kWaitForOneLease{100};

constexpr char kNoneAdded[] = "INSERT 0 0";  // the server's answer to INSERT

std::string bytes(std::string_view text) {
  std::string sql = "'\\x";
  for (const char c : text) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(c));
    sql += digits.data();
  }
  return sql + "'";
}

}  // namespace

std::string PostgresqlLock::name_of(std::uint64_t key) const {
  if (keeps_rows()) return bytes(std::to_string(key));
  return number(server_.salt() ^ key);
}

std::string PostgresqlLock::name_of(std::string_view key) const {
  if (keeps_rows()) return bytes(key);
  return number(server_.salt() ^ KeyHash{}(key));
}

PostgresqlLock::Handle PostgresqlLock::handle(std::uint64_t key) {
  return {*this, name_of(key)};
}

PostgresqlLock::Handle PostgresqlLock::handle(std::string_view key) {
  return {*this, name_of(key)};
}

// `wait`: 0 or less: the server does not wait.
Session::Answer PostgresqlLock::ask(Session& session, const std::string& key,
                                    platform::Duration wait) {
  const Statements& sql = server_.statements();
  if (wait <= platform::Duration::zero()) {
    if (sql.prepared_alone) return session.execute(name_in(sql.attempt), key);
    return session.request(sql.begin + about(key, sql.attempt));
  }
  const auto longest = std::chrono::ceil<std::chrono::milliseconds>(wait);
  if (sql.prepared_alone && longest >= kLongestWait) {
    return session.execute(name_in(sql.take), key, Session::IfLost::kAskAgain, longest);
  }
  std::string limit;
  if (longest < kLongestWait || !server_.sessions_are_own()) {
    limit = "SET LOCAL lock_timeout = " + std::to_string(longest.count()) + ";";
  }
  return session.request(sql.begin + limit + about(key, sql.take), Session::IfLost::kAskAgain,
                         longest);
}

TryReason PostgresqlLock::acquire(Handle& handle, bool waits, platform::Time deadline) {
  SessionPool::Lease session = server_.session();
  const Statements& sql = server_.statements();
  const bool leases = server_.kind() == PostgresqlKind::kLeases;
  const bool tokens = !sql.new_epoch.empty();
  bool looks = leases;  // for a lease that is free, without waiting
  for (;;) {
    const platform::Duration left =
        waits && !looks ? deadline - platform::now() : platform::Duration(0);
    const Session::Answer answer =
        ask(*session, handle.key_,
            std::min<platform::Duration>(left, leases ? kWaitForOneLease : kLongestWait));
    const bool held = !answer.unavailable && answer.rows == 1;
    if (held && !(tokens && answer.value.empty())) {
      char* lease = nullptr;
      handle.token_ = std::strtoull(answer.value.c_str(), &lease, 10);
      handle.lease_ = static_cast<std::uint32_t>(std::strtoul(lease, nullptr, 10));
      handle.session_.emplace(std::move(session));
      server_.counts().acquisitions.fetch_add(1, std::memory_order_relaxed);
      return TryReason::kAcquired;
    }
    session->request(sql.give_up, Session::IfLost::kFail);
    if (held) {  // the server has recovered from a crash
      session->request(sql.new_epoch, Session::IfLost::kFail, kLongestWait);
      continue;
    }
    if (!answer.unavailable && keeps_rows()) {
      const Session::Answer added =
          session->request(about(handle.key_, sql.add), Session::IfLost::kFail);
      if (!looks || added.done != kNoneAdded) continue;
    }
    if (!waits) return TryReason::kHeld;
    if (platform::now() >= deadline) return TryReason::kTimedOut;
    looks = leases && !looks;
  }
}

void PostgresqlLock::release(Handle& handle) {
  const Statements& sql = server_.statements();
  try {
    Session& session = **handle.session_;
    const Session::Answer answer =
        sql.prepared_alone
            ? session.execute(name_in(sql.release), handle.key_, Session::IfLost::kFail)
            : session.request(about(handle.key_, sql.release), Session::IfLost::kFail);
    handle.lost_ = (answer.rows == 0 ? answer.done : answer.value) != sql.released;
  } catch (const ServiceError&) {
    handle.lost_ = true;
  }
  handle.session_.reset();
}

}  // namespace lockbench::services
