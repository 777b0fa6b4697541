// SPDX-License-Identifier: Apache-2.0

#include "workloads/database/libpq.h"

#include <algorithm>
#include <dlfcn.h>
#include <type_traits>

#include "workloads/database/sharded_database.h"

namespace lockbench::libpq {
namespace {

// From PostgreSQL's documentation of libpq; fixed as long as the library is libpq.so.5.
constexpr int kConnectionOk = 0;
constexpr int kCommandOk = 1;
constexpr int kTuplesOk = 2;

std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

// The functions that this file uses, as libpq-fe.h declares them; libpq's own types are opaque.
struct Session::Library {
  void* (*connect)(const char* address);
  int (*status)(const void* connection);
  const char* (*error_message)(const void* connection);
  void (*finish)(void* connection);
  void* (*execute)(void* connection, const char* text);
  void* (*prepare)(void* connection, const char* name, const char* text, int, const unsigned*);
  void* (*run)(void* connection, const char* name, int count, const char* const* values,
               const int* lengths, const int* formats, int result_format);
  int (*result_status)(const void* result);
  int (*rows)(const void* result);
  const char* (*value)(const void* result, int row, int column);
  void (*clear)(void* result);

  Library() {
    void* const file = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) {
      throw DatabaseError("PostgreSQL: libpq.so.5 cannot be loaded; install libpq5");
    }
    const auto find = [file](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
      if (function == nullptr) {
        throw DatabaseError(std::string("PostgreSQL: libpq.so.5 has no ") + name);
      }
    };
    find(connect, "PQconnectdb");
    find(status, "PQstatus");
    find(error_message, "PQerrorMessage");
    find(finish, "PQfinish");
    find(execute, "PQexec");
    find(prepare, "PQprepare");
    find(run, "PQexecPrepared");
    find(result_status, "PQresultStatus");
    find(rows, "PQntuples");
    find(value, "PQgetvalue");
    find(clear, "PQclear");
  }
};

const Session::Library& Session::library() {
  static const Library library;
  return library;
}

Session::Session(const std::string& address) : connection_(library().connect(address.c_str())) {
  if (connection_ == nullptr) throw DatabaseError("PostgreSQL: not enough memory to connect");
  if (library().status(connection_) == kConnectionOk) return;
  const std::string message = in_one_line(library().error_message(connection_));
  library().finish(connection_);
  throw DatabaseError("PostgreSQL: " + message);
}

Session::~Session() {
  library().finish(connection_);
}

std::string Session::execute(const std::string& text) {
  return outcome_of(library().execute(connection_, text.c_str()), text);
}

void Session::execute_ignoring_errors(const char* text) noexcept {
  library().clear(library().execute(connection_, text));
}

void Session::prepare(const char* name, const std::string& text) {
  outcome_of(library().prepare(connection_, name, text.c_str(), 0, nullptr), text);
}

std::string Session::run(const char* name) {
  return outcome_of(library().run(connection_, name, 0, nullptr, nullptr, nullptr, 0), name);
}

std::string Session::run(const char* name, const std::string& parameter) {
  const char* const value = parameter.c_str();
  return outcome_of(library().run(connection_, name, 1, &value, nullptr, nullptr, 0), name);
}

std::string Session::outcome_of(void* result, const std::string& what) {
  const int status = library().result_status(result);
  std::string first;
  if (status == kTuplesOk && library().rows(result) > 0) first = library().value(result, 0, 0);
  library().clear(result);
  if (status == kTuplesOk || status == kCommandOk) return first;
  throw DatabaseError("PostgreSQL: " + what + ": " +
                      in_one_line(library().error_message(connection_)));
}

}  // namespace lockbench::libpq
