// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/zookeeper/session.h"

#include <unistd.h>
#include <utility>

#include "harness/services/locks/zookeeper/ensemble.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

using std::chrono::milliseconds;

std::string text_of(const std::vector<Address>& members) {
  std::string text;
  for (const Address& member : members) text += (text.empty() ? "" : ",") + member.text();
  return text;
}

// The library writes to the standard error otherwise.
bool without_messages() {
  zoo_set_debug_level(static_cast<ZooLogLevel>(0));
  return true;
}

}  // namespace

// Requests that are sent together, and their answers. The library answers each of them, also when
// the connection is lost or the session ends.
class ZooKeeperSession::Batch {
 public:
  Batch(ZooKeeperSession& session, std::size_t count) : session_(session), answers_(count) {
    slots_.reserve(count);
    for (ZooKeeperAnswer& answer : answers_) slots_.push_back({this, &answer});
  }

  // For the library: who is answered. `sent`: what the call that sends the request has returned.
  const void* slot() { return &slots_[given_++]; }
  void note(int sent) {
    if (sent != ZOK) finish(slots_[given_ - 1], sent);
  }

  std::vector<ZooKeeperAnswer> await() {
    std::unique_lock guard(mutex_);
    all_done_.wait(guard, [&] { return done_ == answers_.size(); });
    for (const ZooKeeperAnswer& answer : answers_) {
      if (answer.is_in_doubt() || answer.is_end_of_session()) continue;
      session_.counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
    }
    return std::move(answers_);
  }

  static void on_end(int code, const void* slot) { finish(*static_cast<const Slot*>(slot), code); }
  static void on_name(int code, const char* name, const Stat* /*stat*/, const void* to) {
    const Slot& slot = *static_cast<const Slot*>(to);
    if (code == ZOK && name != nullptr) slot.answer->name = name;
    finish(slot, code);
  }
  static void on_names(int code, const String_vector* names, const Stat* stat, const void* to) {
    const Slot& slot = *static_cast<const Slot*>(to);
    if (code == ZOK && names != nullptr && stat != nullptr) {
      slot.answer->names.assign(names->data, names->data + names->count);
      slot.answer->made_ms = static_cast<std::uint64_t>(stat->ctime);
    }
    finish(slot, code);
  }
  static void on_synced(int code, const char* /*path*/, const void* slot) { on_end(code, slot); }
  static void on_stat(int code, const Stat* /*stat*/, const void* slot) { on_end(code, slot); }

 private:
  struct Slot {
    Batch* batch;
    ZooKeeperAnswer* answer;
  };

  // The batch may be gone when the guard has been released.
  static void finish(const Slot& slot, int code) {
    slot.answer->code = code;
    std::scoped_lock guard(slot.batch->mutex_);
    ++slot.batch->done_;
    slot.batch->all_done_.notify_one();
  }

  ZooKeeperSession& session_;
  std::vector<ZooKeeperAnswer> answers_;
  std::vector<Slot> slots_;
  std::size_t given_ = 0;
  std::mutex mutex_;  // guards done_
  std::condition_variable all_done_;
  std::size_t done_ = 0;
};

void ZooKeeperSession::refuse(const std::string& why) const {
  throw ServiceError("zookeeper at " + text_of(address_.members) + ": " + why);
}

void ZooKeeperSession::refuse(int code) const {
  if (code == ZNOAUTH || code == ZAUTHFAILED || code == ZSESSIONCLOSEDREQUIRESASLAUTH) {
    refuse("refuses the account, or asks for one: " + std::string(zerror(code)));
  }
  if (code == ZUNIMPLEMENTED) refuse("is older than 3.5, which is needed");
  refuse(zerror(code));
}

void ZooKeeperSession::on_event(zhandle_t* /*handle*/, int type, int state, const char* /*path*/,
                                void* session) {
  static_cast<ZooKeeperSession*>(session)->note_event(type, state);
}

void ZooKeeperSession::note_event(int type, int state) {
  std::scoped_lock guard(mutex_);
  ++events_;
  changed_.notify_all();
  if (type != ZOO_SESSION_EVENT) return;
  const bool was_connected = connected_;
  connected_ = state == ZOO_CONNECTED_STATE;
  ended_ = state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE;
  if (was_connected && !connected_) disconnected_ = platform::now();
  if (was_connected || !connected_) return;
  if (connected_before_) counts_.reconnects.fetch_add(1, std::memory_order_relaxed);
  connected_before_ = true;
}

void ZooKeeperSession::begin() {
  static const bool quiet = without_messages();
  static_cast<void>(quiet);
  end();
  {
    std::scoped_lock guard(mutex_);
    connected_ = ended_ = false;
    disconnected_ = platform::now();
    lasts_ = address_.timeout;
  }
  process_ = getpid();
  handle_ = zookeeper_init(text_of(address_.members).c_str(), on_event,
                           static_cast<int>(address_.timeout.count()), nullptr, this, 0);
  if (handle_ == nullptr) refuse("cannot connect: the name of the host is not known");
  if (!has_account()) return;
  const services::Address& account = address_.members.front();
  const std::string digest = account.user + ":" + account.password;
  zoo_add_auth(handle_, "digest", digest.data(), static_cast<int>(digest.size()), nullptr, nullptr);
}

void ZooKeeperSession::open() {
  if (handle_ != nullptr && reopen()) return;
  begin();
  if (!reopen()) refuse("has ended a new session");
  std::scoped_lock guard(mutex_);
  lasts_ = milliseconds(zoo_recv_timeout(handle_));
}

bool ZooKeeperSession::reopen() {
  std::unique_lock guard(mutex_);
  const std::chrono::seconds patience = connected_before_ ? kPatience : kFirstPatience;
  if (changed_.wait_for(guard, patience, [&] { return connected_ || ended_; })) return !ended_;
  if (connected_before_) refuse("no answer, or the connection was lost; look at the server's log");
  guard.unlock();
  refuse_without_majority();
  refuse("cannot connect; start the server, or name another by --service");
}

// A server without a majority closes connections, as one that is being started does.
void ZooKeeperSession::refuse_without_majority() const {
  const std::size_t waiting = servers_without_majority(address_.members);
  if (waiting == 0) return;
  refuse("the ensemble has no majority: of " + std::to_string(address_.members.size()) +
         " servers that are named, " + std::to_string(waiting) +
         " answer and do not serve; start the others");
}

void ZooKeeperSession::end() {
  zhandle_t* const handle = std::exchange(handle_, nullptr);
  if (handle != nullptr && process_ == getpid()) zookeeper_close(handle);
}

bool ZooKeeperSession::is_over() const {
  std::scoped_lock guard(mutex_);
  // The library gives a connection up when it has heard nothing for two thirds of the timeout.
  return ended_ || (!connected_ && platform::now() >= disconnected_ + lasts_ / 3);
}

const ACL_vector* ZooKeeperSession::rights() const {
  return has_account() ? &ZOO_CREATOR_ALL_ACL : &ZOO_OPEN_ACL_UNSAFE;
}

ZooKeeperAnswer ZooKeeperSession::make_container(const std::string& path) {
  Batch batch(*this, 1);
  batch.note(zoo_acreate2(handle_, path.c_str(), nullptr, -1, rights(), ZOO_CONTAINER,
                          Batch::on_name, batch.slot()));
  return batch.await().front();
}

std::pair<ZooKeeperAnswer, ZooKeeperAnswer> ZooKeeperSession::enter(const std::string& begin,
                                                                    const std::string& parent) {
  Batch batch(*this, 2);
  batch.note(zoo_acreate2(handle_, begin.c_str(), nullptr, -1, rights(), ZOO_EPHEMERAL_SEQUENTIAL,
                          Batch::on_name, batch.slot()));
  batch.note(zoo_aget_children2(handle_, parent.c_str(), 0, Batch::on_names, batch.slot()));
  std::vector<ZooKeeperAnswer> answers = batch.await();
  return {std::move(answers[0]), std::move(answers[1])};
}

ZooKeeperAnswer ZooKeeperSession::list(const std::string& path) {
  Batch batch(*this, 1);
  batch.note(zoo_aget_children2(handle_, path.c_str(), 0, Batch::on_names, batch.slot()));
  return batch.await().front();
}

ZooKeeperAnswer ZooKeeperSession::list_latest(const std::string& path) {
  Batch batch(*this, 2);
  batch.note(zoo_async(handle_, path.c_str(), Batch::on_synced, batch.slot()));
  batch.note(zoo_aget_children2(handle_, path.c_str(), 0, Batch::on_names, batch.slot()));
  return batch.await().back();
}

ZooKeeperAnswer ZooKeeperSession::remove(const std::string& path) {
  return remove_all({path}).front();
}

std::vector<ZooKeeperAnswer> ZooKeeperSession::remove_all(const std::vector<std::string>& paths) {
  Batch batch(*this, paths.size());
  for (const std::string& path : paths) {
    batch.note(zoo_adelete(handle_, path.c_str(), -1, Batch::on_end, batch.slot()));
  }
  return batch.await();
}

ZooKeeperAnswer ZooKeeperSession::watch(const std::string& path) {
  Batch batch(*this, 1);
  batch.note(zoo_awexists(handle_, path.c_str(), on_event, this, Batch::on_stat, batch.slot()));
  return batch.await().front();
}

std::uint64_t ZooKeeperSession::events() const {
  std::scoped_lock guard(mutex_);
  return events_;
}

void ZooKeeperSession::await_event(std::uint64_t before, platform::Time deadline) {
  std::unique_lock guard(mutex_);
  changed_.wait_until(guard, deadline, [&] { return events_ > before; });
}

}  // namespace lockbench::services
