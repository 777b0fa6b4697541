// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/connection.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>

#include "harness/services/locks/random_text.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

// SET with NX and PX, scripts that may write after they read the clock: all since this version.
constexpr int kLeastVersion = 5;

// Bytes that are read at once; answers of locks are shorter.
constexpr std::size_t kReceived = 16'384;

timeval in_timeval(std::chrono::microseconds time) {
  return {.tv_sec = static_cast<time_t>(time.count() / 1'000'000),
          .tv_usec = static_cast<suseconds_t>(time.count() % 1'000'000)};
}

// hiredis takes pointers and lengths.
struct Argv {
  explicit Argv(const Words& words) : count(static_cast<int>(std::min(words.size(), kMost))) {
    assert(words.size() <= kMost);
    for (std::size_t i = 0; i < words.size() && i < kMost; ++i) {
      pointers[i] = words[i].data();
      lengths[i] = words[i].size();
    }
  }

  static constexpr std::size_t kMost = 12;
  int count;
  std::array<const char*, kMost> pointers{};
  std::array<std::size_t, kMost> lengths{};
};

// The first word of what a subscriber gets: "message" or "subscribe".
std::string_view kind_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 3) return {};
  const redisReply& first = *reply.element[0];
  return {first.str, static_cast<std::size_t>(first.len)};
}

}  // namespace

void Connection::refuse(const std::string& why) const {
  throw ServiceError("redis at " + address_.text() + ": " + why);
}

void Connection::connect(std::chrono::milliseconds patience) {
  listener_.clear();
  context_.reset(
      redisConnectWithTimeout(address_.host.c_str(), address_.port, in_timeval(patience)));
  if (context_ == nullptr) refuse("not enough memory for a connection");
  if (context_->err != 0) {
    const std::string why = context_->errstr;
    context_.reset();
    refuse("cannot connect: " + why + "; start the server, or name another by --service");
  }
  redisSetTimeout(context_.get(), in_timeval(patience));
  redisEnableKeepAlive(context_.get());
  try {
    authenticate_and_check_version();
  } catch (...) {
    context_.reset();  // the next request greets again, and says the same
    throw;
  }
  redisSetTimeout(context_.get(), in_timeval(kPatience));
  if (connected_before_) counts_.reconnects.fetch_add(1, std::memory_order_relaxed);
  connected_before_ = true;
}

void Connection::authenticate_and_check_version() {
  if (!address_.password.empty()) {
    Words words{"AUTH"};
    if (!address_.user.empty()) words.push_back(address_.user);
    words.push_back(address_.password);
    const Reply reply = try_request(words);
    if (reply == nullptr) refuse("no answer");
    if (reply->type == REDIS_REPLY_ERROR) refuse("refuses the account: " + text_of(*reply));
  }
  if (connected_before_) return;
  const Reply reply = try_request({"INFO", "server"});
  if (reply == nullptr) refuse("no answer");
  if (reply->type == REDIS_REPLY_ERROR) refuse(text_of(*reply));
  const std::string info = text_of(*reply);
  const int version = static_cast<int>(number_in(info, "redis_version:"));
  if (version < kLeastVersion) {
    refuse("is of version " + std::to_string(version) + "; needed is " +
           std::to_string(kLeastVersion) + " or newer");
  }
}

// hiredis would write in a way that ends the program by SIGPIPE if the connection is lost. False:
// it is lost.
bool Connection::write(const Words& words) {
  Argv argv(words);
  char* formatted = nullptr;
  const auto length =
      redisFormatCommandArgv(&formatted, argv.count, argv.pointers.data(), argv.lengths.data());
  if (length < 0) return false;
  const std::unique_ptr<char, void (*)(char*)> text(formatted, redisFreeCommand);
  std::string_view left(formatted, static_cast<std::size_t>(length));
  while (!left.empty()) {
    const ssize_t sent = ::send(context_->fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  add_to(counts_.bytes_sent, static_cast<std::uint64_t>(length));
  return true;
}

// Gives what has come to the parser, or waits for it. hiredis would not say how much it was. False:
// nothing came in time, or the connection is lost.
bool Connection::receive_some() {
  std::array<char, kReceived> bytes;
  const ssize_t count = ::recv(context_->fd, bytes.data(), bytes.size(), 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  add_to(counts_.bytes_received, static_cast<std::uint64_t>(count));
  return redisReaderFeed(context_->reader, bytes.data(), static_cast<std::size_t>(count)) ==
         REDIS_OK;
}

// nullptr: there is none, or what came is no answer.
Reply Connection::await_reply() {
  void* answer = nullptr;
  while (redisReaderGetReply(context_->reader, &answer) == REDIS_OK) {
    if (answer != nullptr) return Reply(static_cast<redisReply*>(answer));
    if (!receive_some()) return nullptr;
  }
  return nullptr;
}

// nullptr: the connection is lost.
Reply Connection::try_request(const Words& words) {
  Reply reply = write(words) ? await_reply() : nullptr;
  if (reply == nullptr) {
    context_.reset();
    return nullptr;
  }
  counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
  return reply;
}

Reply Connection::request(const Words& words, std::string_view allowed_error) {
  Reply reply;
  for (int attempt = 0; reply == nullptr && attempt < 2; ++attempt) {
    if (context_ == nullptr) connect();
    reply = try_request(words);
  }
  if (reply == nullptr) refuse("no answer, or the connection was lost; look at the server's log");
  if (reply->type != REDIS_REPLY_ERROR) return reply;
  const std::string error = text_of(*reply);
  if (!allowed_error.empty() && error.starts_with(allowed_error)) return reply;
  refuse(error);
}

void Connection::send(const Words& words, std::chrono::milliseconds patience) {
  try {
    if (context_ == nullptr) connect(patience);
  } catch (const ServiceError&) {
    return;  // receive() has no answer then
  }
  if (!write(words)) context_.reset();
}

// nullptr: nothing came until the deadline, or the connection is lost and context_ is empty. What
// has come is read even if the deadline is over.
Reply Connection::read(Clock::time_point deadline) {
  while (context_ != nullptr) {
    void* reply = nullptr;
    if (redisReaderGetReply(context_->reader, &reply) != REDIS_OK) break;
    if (reply != nullptr) return Reply(static_cast<redisReply*>(reply));
    const auto left =
        std::max(std::chrono::ceil<std::chrono::microseconds>(deadline - Clock::now()),
                 std::chrono::microseconds(0));
    const timespec at_most{.tv_sec = static_cast<time_t>(left.count() / 1'000'000),
                           .tv_nsec = static_cast<long>(left.count() % 1'000'000 * 1000)};
    pollfd readable{.fd = context_->fd, .events = POLLIN, .revents = 0};
    const int found = ppoll(&readable, 1, &at_most, nullptr);
    if (found == 0 && left.count() == 0) return nullptr;
    if (found < 0 && errno != EINTR) break;
    if (found > 0 && !receive_some()) break;
  }
  context_.reset();
  return nullptr;
}

Reply Connection::receive(Clock::time_point deadline) {
  Reply reply = read(deadline);
  if (reply != nullptr) {
    counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
  } else {
    context_.reset();  // a late answer would be taken for that of the next request
  }
  return reply;
}

void Connection::listen(std::string_view prefix) {
  if (!listener_.empty()) {
    // A message that came after the last wait is not for this one.
    while (read(Clock::now()) != nullptr) {
    }
    if (context_ != nullptr) return;
  }
  if (context_ == nullptr) connect();
  listener_ = short_random_text();
  send({"SUBSCRIBE", std::string(prefix) + listener_});
  const Reply reply = read(Clock::now() + kPatience);
  if (reply == nullptr || kind_of(*reply) != "subscribe") {
    const std::string why = reply != nullptr && reply->type == REDIS_REPLY_ERROR
                                ? text_of(*reply)
                                : "no answer, or the connection was lost; look at the server's log";
    close();
    refuse(why);
  }
  counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
}

bool Connection::await_message(std::string_view text, Clock::time_point deadline) {
  for (;;) {
    const Reply reply = read(deadline);
    if (reply == nullptr && context_ == nullptr) refuse("the connection was lost");
    if (reply == nullptr) return false;
    if (kind_of(*reply) == "message" && text_of(*reply->element[2]) == text) return true;
  }
}

std::string text_of(const redisReply& reply) {
  return {reply.str, static_cast<std::size_t>(reply.len)};
}

std::string info_of(Connection& connection, std::string_view section) {
  return text_of(*connection.request({"INFO", section}));
}

double number_in(std::string_view info, std::string_view name) {
  const std::size_t at = info.find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtod(info.data() + at + name.size(), nullptr);
}

}  // namespace lockbench::services
