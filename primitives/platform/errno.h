// SPDX-License-Identifier: Apache-2.0

// KeptErrno: system calls that leave errno as it was.
//
// A lock is used between a failing call and the look at its errno, so no lock may change it.
#pragma once

#include <cerrno>

namespace lockbench::platform {

// Restores errno at the end of its scope.
class KeptErrno {
 public:
  KeptErrno() noexcept : value_(errno) {}
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() { errno = value_; }

 private:
  const int value_;
};

}  // namespace lockbench::platform
