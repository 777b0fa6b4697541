// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/postgresql/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string_view>
#include <unistd.h>

#include "harness/services/locks/address.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

// WITH … AS MATERIALIZED is known since this version.
constexpr int kLeastVersion = 12;

// SQLSTATE of a statement whose lock others hold: NOWAIT, or lock_timeout is over.
constexpr std::string_view kLockNotAvailable = "55P03";

std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool is_error(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
}

// ---- What messages of the protocol take: libpq does not say. Each has a letter and its length.

constexpr std::uint64_t kMessage = 5;
constexpr std::uint64_t kReadyForQuery = kMessage + 1;

std::uint64_t size_of_query(const std::string& statements) {
  return kMessage + statements.size() + 1;
}

// Bind, Describe, Execute and Sync, as libpq sends them for one value in text form.
std::uint64_t size_of_execution(const std::string& name, const std::string& value) {
  const std::uint64_t bind = kMessage + 1 + name.size() + 1 + 4 + 4 + value.size() + 4;
  const std::uint64_t describe = kMessage + 2;
  const std::uint64_t execute = kMessage + 1 + 4;
  return bind + describe + execute + kMessage;
}

std::uint64_t size_of_error(const PGresult* result) {
  static constexpr char kFields[] = {'S', 'V', 'C', 'M', 'D', 'H', 'P', 'p', 'q',
                                     'W', 's', 't', 'c', 'd', 'n', 'F', 'L', 'R'};
  std::uint64_t size = kMessage + 1;
  for (const char field : kFields) {
    const char* const text = PQresultErrorField(result, field);
    if (text != nullptr) size += 1 + std::string_view(text).size() + 1;
  }
  return size;
}

// The description of the columns, the rows and the end of the command.
std::uint64_t size_of(PGresult* result) {
  constexpr std::uint64_t kColumn = 1 + 18;
  if (is_error(result)) return size_of_error(result);
  std::uint64_t size = kMessage + std::string_view(PQcmdStatus(result)).size() + 1;
  if (PQresultStatus(result) != PGRES_TUPLES_OK) return size;
  size += kMessage + 2;
  for (int column = 0; column < PQnfields(result); ++column) {
    size += kColumn + std::string_view(PQfname(result, column)).size();
    for (int row = 0; row < PQntuples(result); ++row) {
      size += 4 + static_cast<std::uint64_t>(PQgetlength(result, row, column));
    }
  }
  return size + static_cast<std::uint64_t>(PQntuples(result)) * (kMessage + 2);
}

}  // namespace

std::string libpq_address(const std::string& given) {
  const bool plain = given.find_first_of("@=/") == std::string::npos;
  if (plain) {
    const Address address = parse_addresses("postgresql", given).front();
    return "host=" + address.host + " port=" + std::to_string(address.port);
  }
  const bool complete =
      given.find("://") != std::string::npos || given.find('=') != std::string::npos;
  const std::string text = complete ? given : "postgresql://" + given;
  // libpq's own words are not printed: they may contain a password.
  PQconninfoOption* const options = PQconninfoParse(text.c_str(), nullptr);
  // A password with an @ that is not written %40 would be taken for a host.
  const bool sound = options != nullptr && std::count(text.begin(), text.end(), '@') <= 1;
  PQconninfoFree(options);
  if (sound) return text;
  throw ServiceError(
      "postgresql: libpq does not understand the address; it is written host:port or "
      "postgresql://user:password@host:port/database");
}

void Session::refuse(const std::string& why) const {
  throw ServiceError("postgresql" + (where_.empty() ? "" : " at " + where_) + ": " + why);
}

std::string Session::last_error() const {
  return in_one_line(PQerrorMessage(connection_));
}

void Session::close() {
  if (connection_ == nullptr) return;
  if (process_ == getpid()) {
    PQfinish(connection_);
  } else {
    // PQfinish() would tell the server to end the session of the parent.
    ::close(PQsocket(connection_));
  }
  connection_ = nullptr;
}

void Session::connect() {
  const bool connected_before = !where_.empty();
  // The settings in the address count more than those before it.
  const std::string patience = std::to_string(kPatience.count());
  const std::array<const char*, 4> names{"connect_timeout", "application_name", "dbname", nullptr};
  const std::array<const char*, 4> values{patience.c_str(), "lockbench", address_.text.c_str(),
                                          nullptr};
  connection_ = PQconnectdbParams(names.data(), values.data(), 1);
  process_ = getpid();
  if (connection_ == nullptr) refuse("not enough memory for a connection");
  const char* const host = PQhost(connection_);
  const char* const port = PQport(connection_);
  where_ = std::string(host == nullptr ? "" : host) + ":" + (port == nullptr ? "" : port);
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string why = last_error();
    close();
    refuse("cannot connect: " + why + "; start the server, or name another by --service");
  }
  if (const int version = PQserverVersion(connection_) / 10'000; version < kLeastVersion) {
    close();
    refuse("is of version " + std::to_string(version) + "; needed is " +
           std::to_string(kLeastVersion) + " or newer");
  }
  if (!address_.setup.empty()) set_up();
  if (connected_before) counts_.reconnects.fetch_add(1, std::memory_order_relaxed);
}

void Session::set_up() {
  const Result result =
      try_request({address_.setup}, Clock::now() + std::chrono::seconds(kPatience));
  if (result != nullptr && !is_error(result.get())) return;
  const std::string why =
      result == nullptr ? "no answer" : in_one_line(PQresultErrorMessage(result.get()));
  close();
  refuse(why);
}

// False: there is none until the deadline, or the session is lost.
bool Session::await_result(Clock::time_point deadline) {
  while (PQisBusy(connection_) != 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd readable{.fd = PQsocket(connection_), .events = POLLIN, .revents = 0};
    const int found = poll(&readable, 1, static_cast<int>(left));
    if (found < 0 && errno != EINTR) return false;
    if (found > 0 && PQconsumeInput(connection_) == 0) return false;
  }
  return true;
}

// False: the session is lost.
bool Session::send(const Request& request) {
  if (request.value == nullptr) {
    add_to(counts_.bytes_sent, size_of_query(request.text));
    return PQsendQuery(connection_, request.text.c_str()) != 0;
  }
  const char* const value = request.value->c_str();
  add_to(counts_.bytes_sent, size_of_execution(request.text, *request.value));
  return PQsendQueryPrepared(connection_, request.text.c_str(), 1, &value, nullptr, nullptr, 0) !=
         0;
}

// The first error, or the last result. nullptr: the session is lost, and closed.
Session::Result Session::try_request(const Request& request, Clock::time_point deadline) {
  Result last;
  std::uint64_t received = kReadyForQuery + (request.value == nullptr ? 0 : kMessage);
  bool answered = send(request);
  while (answered) {
    answered = await_result(deadline);
    if (!answered) break;
    Result next(PQgetResult(connection_));
    if (next == nullptr) break;
    received += size_of(next.get());
    if (last == nullptr || !is_error(last.get())) last = std::move(next);
  }
  if (!answered || PQstatus(connection_) != CONNECTION_OK) {
    close();
    return nullptr;
  }
  counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
  add_to(counts_.bytes_received, received);
  return last;
}

Session::Answer Session::request(const std::string& statements, IfLost if_lost,
                                 std::chrono::milliseconds longest) {
  return answer_to({statements}, if_lost, longest);
}

Session::Answer Session::execute(const std::string& name, const std::string& value, IfLost if_lost,
                                 std::chrono::milliseconds longest) {
  return answer_to({name, &value}, if_lost, longest);
}

Session::Answer Session::answer_to(const Request& request, IfLost if_lost,
                                   std::chrono::milliseconds longest) {
  Result result;
  for (int attempt = 0; result == nullptr && attempt < 2; ++attempt) {
    const bool fresh = connection_ == nullptr;
    if (fresh && if_lost == IfLost::kFail) break;
    if (fresh) connect();
    result = try_request(request, Clock::now() + longest + kPatience);
    if (fresh || if_lost == IfLost::kFail) break;
  }
  if (result == nullptr) refuse("no answer, or the connection was lost; look at the server's log");
  if (!is_error(result.get())) {
    const int rows = PQntuples(result.get());
    return {.rows = rows,
            .value = rows == 0 ? "" : PQgetvalue(result.get(), 0, 0),
            .done = PQcmdStatus(result.get())};
  }
  const char* const state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  if (state != nullptr && state == kLockNotAvailable) return {.unavailable = true};
  const std::string error = in_one_line(PQresultErrorMessage(result.get()));
  close();
  refuse(error);
}

bool Session::is_lost() const {
  if (connection_ == nullptr) return true;
  pollfd ended{.fd = PQsocket(connection_), .events = POLLRDHUP, .revents = 0};
  return poll(&ended, 1, 0) > 0;
}

}  // namespace lockbench::services
