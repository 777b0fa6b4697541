// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/coverage.h"

#include <algorithm>

namespace lockbench {

double Coverage::seen_processor_share() const {
  return processor_s <= 0 ? 1 : std::min(1.0, seen_processor_s / processor_s);
}

double Coverage::seen_futex_share() const {
  if (futex_samples == 0) return 1;
  return static_cast<double>(seen_futex_samples) / static_cast<double>(futex_samples);
}

std::string why_text(Unseen why) {
  switch (why) {
    case Unseen::kEnvironment:
      return "it began with another environment";
    case Unseen::kRights:
      return "it has rights that its caller has not (setuid, setgid or capabilities)";
    case Unseen::kStatic:
      return "it is linked statically";
    case Unseen::kMachine:
      return "it is for another kind of processor than lockbench";
    case Unseen::kLibrary:
      return "it uses another C library than glibc";
    case Unseen::kNotOpened:
      return "it belongs to another user or namespace, which cannot open the recording";
    case Unseen::kFilter:
      return "it is a copy of a process that had restricted its system calls";
    case Unseen::kNoRoom:
      return "the recording has no room for more processes";
    case Unseen::kNoMemory:
      return "its address space has no room for the record (ulimit -v)";
    case Unseen::kUnknown:
      break;
  }
  return "it began without the library";
}

std::string advice_text(Unseen why) {
  switch (why) {
    case Unseen::kEnvironment:
      return "keep LD_PRELOAD and LOCKBENCH_OBSERVE in its environment, or name this program "
             "itself "
             "after --";
    case Unseen::kRights:
      return "use a copy without these rights, or start lockbench with them";
    case Unseen::kStatic:
      return "link it dynamically";
    case Unseen::kMachine:
      return "build lockbench for that processor, too";
    case Unseen::kLibrary:
      return "build it with glibc";
    case Unseen::kNotOpened:
      return "start lockbench itself as that user and in that namespace";
    case Unseen::kFilter:
      return "observe it without the filter";
    case Unseen::kNoRoom:
      return "observe a part of the program";
    case Unseen::kNoMemory:
      return "raise the limit";
    case Unseen::kUnknown:
      break;
  }
  return "name this program itself after --";
}

}  // namespace lockbench
