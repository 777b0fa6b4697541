// SPDX-License-Identifier: Apache-2.0

#include "harness/services/servers/server_clock.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <system_error>

#include <absl/strings/str_cat.h>

namespace lockbench {
namespace {

namespace fs = std::filesystem;

std::string offset_in(const std::string& folder) {
  return folder + "/clock";
}

}  // namespace

std::optional<std::string> clock_library() {
  std::error_code none;
  if (const char* const named = std::getenv("LOCKBENCH_FAKETIME"); named != nullptr) {
    if (fs::exists(named, none)) return named;
    return std::nullopt;
  }
  // /usr/lib/x86_64-linux-gnu/faketime, for example.
  for (const auto& architecture : fs::directory_iterator("/usr/lib", none)) {
    const fs::path file = architecture.path() / "faketime/libfaketimeMT.so.1";
    if (fs::exists(file, none)) return file.string();
  }
  return std::nullopt;
}

std::vector<std::string> clock_environment(const std::string& library, const std::string& folder) {
  set_server_clock(folder, {});
  // The C library comes before jemalloc, with which Debian's Redis allocates: jemalloc asks for the
  // time while libfaketime allocates, and the two would wait for each other.
  return {"LD_PRELOAD=" + library + ":libc.so.6", "FAKETIME_TIMESTAMP_FILE=" + offset_in(folder),
          "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"};
}

void set_server_clock(const std::string& folder, std::chrono::milliseconds offset) {
  const std::string next = offset_in(folder) + ".next";
  std::ofstream(next) << std::showpos << std::fixed << std::setprecision(3)
                      << static_cast<double>(offset.count()) / 1e3;
  // In one step: the server may read it at any time.
  std::error_code none;
  fs::rename(next, offset_in(folder), none);
}

void remove_clock_of(pid_t process) {
  std::error_code none;
  fs::remove(absl::StrCat("/dev/shm/faketime_shm_", process), none);
  fs::remove(absl::StrCat("/dev/shm/sem.faketime_sem_", process), none);
}

}  // namespace lockbench
