// SPDX-License-Identifier: Apache-2.0

// KeptErrno: system calls that leave errno as it was, and on Windows GetLastError().
//
// A lock is used between a failing call and the look at its errno, so no lock may change it.
#pragma once

#include <cerrno>

#if defined(_WIN32)
// As <errhandlingapi.h> declares them. <windows.h> defines macros like `min`, which each program
// that includes a lock would get.
extern "C" {
__declspec(dllimport) unsigned long __stdcall GetLastError();
__declspec(dllimport) void __stdcall SetLastError(unsigned long);
}
#endif

namespace lockbench::platform {

// Restores errno at the end of its scope.
class KeptErrno {
 public:
  KeptErrno() noexcept : value_(errno) {}
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() {
    errno = value_;
#if defined(_WIN32)
    SetLastError(last_error_);
#endif
  }

 private:
  const int value_;
#if defined(_WIN32)
  const unsigned long last_error_ = GetLastError();
#endif
};

}  // namespace lockbench::platform
