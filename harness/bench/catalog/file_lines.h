// SPDX-License-Identifier: Apache-2.0

// The catalog's entries for locks between processes.
//
// This header is separate from lines.h because programs that visit lines.h run threads of one
// process and do not need these locks.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/bench/catalog/line.h"
#include "primitives/as_published/file_as_published.h"
#include "primitives/as_published/file_unsafe_as_published.h"
#include "primitives/file_lock.h"
#include "primitives/peers/file_kernel_lock.h"
#include "primitives/peers/file_robust_mutex.h"

namespace lockbench {

template <class P>
std::unique_ptr<P> make_polling(const Arguments& with) {
  return std::make_unique<P>(std::chrono::milliseconds(with["poll_ms"]));
}

inline Number poll_parameter() {
  return {"poll_ms", 1000, 1, 60'000, "milliseconds between two looks of a waiter"};
}

template <class Visit>
void visit_file(Visit visit) {
  const auto ours = [&]<class Form>(const char* form) {
    visit(Line<InScratchFolder<FileLock<Form>>>{
        {"file",
         "a lock file for every key in use, between processes",
         "lockbench",
         {{"form", form}},
         {}},
        make_plain});
  };
  ours.template operator()<SymlinkForm>("symlink");
  ours.template operator()<DirectoryForm>("directory");
  visit(Line<InScratchFolder<FileFlock>>{
      {"file_flock", "the kernel's lock of a file, by flock()", "Linux"}, make_plain});
  visit(Line<InScratchFolder<FileOfd>>{
      {"file_ofd", "the kernel's lock of a file, by fcntl() on its open description", "Linux"},
      make_plain});
  visit(Line<InScratchFolder<FileRobustMutex>>{
      {"file_robust_mutex", "a robust pthread_mutex_t in memory that processes share", "POSIX"},
      make_plain});
  visit(
      Line<InScratchFolder<FileAsPublished>>{{"file_as_published",
                                              "a symbolic link that waiters look at once a second",
                                              "the second seed",
                                              {},
                                              {poll_parameter()}},
                                             make_polling});
  visit(Line<InScratchFolder<FileUnsafeAsPublished>>{
      {"file_unsafe_as_published",
       "a file that says 0 or 1, looked at and then written",
       "the second seed",
       {},
       {poll_parameter()}},
      make_polling});
}

}  // namespace lockbench
