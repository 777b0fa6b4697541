// SPDX-License-Identifier: Apache-2.0

// libpq::Session: one connection to a PostgreSQL server, through the client library libpq.so.5.
//
// The library is loaded when the first session is opened, not linked: see
// docs/decisions/0006-databases.md.
//
// Errors   DatabaseError: the library is not installed, or the server's message, in one line.
#pragma once

#include <string>

namespace lockbench::libpq {

class Session {
 public:
  explicit Session(const std::string& address);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The first cell of the last statement's result, or empty.
  std::string execute(const std::string& text);

  // The same for a destructor; it reports no error.
  void execute_ignoring_errors(const char* text) noexcept;

  void prepare(const char* name, const std::string& text);
  std::string run(const char* name);
  std::string run(const char* name, const std::string& parameter);

 private:
  struct Library;

  static const Library& library();
  std::string outcome_of(void* result, const std::string& what);

  void* connection_;
};

}  // namespace lockbench::libpq
