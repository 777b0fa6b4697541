// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/process_tree.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>

#include "harness/kernel/kernel_file.h"
#include "harness/observe/observation/language_runtime.h"
#include "harness/observe/observation/program_file.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

// Reading the state of more threads than this at a look would disturb the program.
constexpr std::size_t kMostThreads = 2000;

fs::path folder_of(std::uint32_t pid) {
  return fs::path("/proc") / std::to_string(pid);
}

std::string link_text(const fs::path& link) {
  std::error_code none;
  std::string text = fs::read_symlink(link, none).string();
  constexpr std::string_view kDeleted = " (deleted)";
  if (text.ends_with(kDeleted)) text.resize(text.size() - kDeleted.size());
  return text;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> threads_of(std::uint32_t pid) {
  std::vector<std::string> threads;
  std::error_code error;
  for (const auto& task : fs::directory_iterator(folder_of(pid) / "task", error)) {
    threads.push_back(task.path().filename().string());
  }
  return threads;
}

void add_children(std::uint32_t pid, std::vector<std::uint32_t>& found) {
  for (const std::string& thread : threads_of(pid)) {
    std::istringstream numbers(
        kernel_text(folder_of(pid) / "task" / thread / "children").value_or(""));
    for (std::uint32_t child = 0; numbers >> child;) found.push_back(child);
  }
}

// Those below this process that have not ended.
std::vector<std::uint32_t> descendants() {
  std::vector<std::uint32_t> found;
  add_children(static_cast<std::uint32_t>(getpid()), found);
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i], found);
  std::erase_if(found, [](std::uint32_t pid) { return link_text(folder_of(pid) / "exe").empty(); });
  return found;
}

double processor_s_of(std::uint32_t pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0) return 0;
  if (clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

bool has_variable(std::uint32_t pid) {
  std::ifstream file(folder_of(pid) / "environ", std::ios::binary);
  const std::string wanted = std::string(observe::kRecordingVariable) + "=";
  for (std::string one; std::getline(file, one, '\0');) {
    if (one.starts_with(wanted)) return true;
  }
  return false;
}

// The words of a line `Uid:	0	0	0	0` or `CapPrm:	0000000000000000`.
// `folder`: of a process or a thread.
std::vector<std::string> status_words(const fs::path& folder, const std::string& name) {
  std::ifstream file(folder / "status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name + ":")) continue;
    std::istringstream text(line.substr(name.size() + 1));
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
  }
  return {};
}

bool has_other_rights(std::uint32_t pid) {
  const std::vector<std::string> user = status_words(folder_of(pid), "Uid");
  const std::vector<std::string> group = status_words(folder_of(pid), "Gid");
  const std::vector<std::string> capabilities = status_words(folder_of(pid), "CapPrm");
  if (user.size() < 2 || group.size() < 2 || capabilities.empty()) return false;
  if (user[0] != user[1] || group[0] != group[1]) return true;
  return user[0] != "0" && capabilities[0].find_first_not_of('0') != std::string::npos &&
         getuid() == 0;
}

// False if the recording's path has a meaning for it, and the kernel lets it open the file.
bool is_elsewhere(std::uint32_t pid) {
  struct stat found {};
  if (stat(folder_of(pid).c_str(), &found) == 0 && found.st_uid != geteuid()) return true;
  for (const char* const kind : {"user", "pid", "mnt"}) {
    if (link_text(folder_of(pid) / "ns" / kind) != link_text(fs::path("/proc/self/ns") / kind)) {
      return true;
    }
  }
  return link_text(folder_of(pid) / "root") != link_text("/proc/self/root");
}

bool has_limited_memory(std::uint32_t pid) {
  std::ifstream file(folder_of(pid) / "limits");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Max address space")) return line.find("unlimited") == std::string::npos;
  }
  return false;
}

Unseen why_not_loaded(const fs::path& program) {
  switch (preloadable(program)) {
    case Preloadable::kStatic:
      return Unseen::kStatic;
    case Preloadable::kOtherMachine:
      return Unseen::kMachine;
    case Preloadable::kOtherLibrary:
      return Unseen::kLibrary;
    case Preloadable::kOtherRights:
      return Unseen::kRights;
    case Preloadable::kSanitizer:
    case Preloadable::kUnknown:
    case Preloadable::kYes:
      break;
  }
  return Unseen::kUnknown;
}

// While a process begins a program or ends, the kernel shows nothing of it.
bool shows_nothing(std::uint32_t pid) {
  return kernel_text(folder_of(pid) / "cmdline").value_or("").empty();
}

Unseen why_unseen(std::uint32_t pid) {
  const Unseen by_file = why_not_loaded(folder_of(pid) / "exe");
  if (by_file != Unseen::kUnknown) return by_file;
  if (has_other_rights(pid)) return Unseen::kRights;
  if (!has_variable(pid)) return Unseen::kEnvironment;
  if (const auto filter = status_words(folder_of(pid), "Seccomp");
      !filter.empty() && filter[0] != "0") {
    return Unseen::kFilter;
  }
  if (is_elsewhere(pid)) return Unseen::kNotOpened;
  return has_limited_memory(pid) ? Unseen::kNoMemory : Unseen::kUnknown;
}

// The words of a thread's system call, as the kernel shows it: `202 0x7f… 0x80 0x2 … stack-pointer
// program-counter`, or only `running`.
std::vector<std::string> call_words(std::uint32_t pid, const std::string& thread) {
  std::ifstream file(folder_of(pid) / "task" / thread / "syscall");
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

template <std::size_t n>
bool is_one_of(const std::string& call, const std::array<long, n>& calls) {
  return std::any_of(calls.begin(), calls.end(),
                     [&](long one) { return call == std::to_string(one); });
}

// True if the thread sleeps in a system call that another thread may end without a futex, as far as
// is known. `-1`: it waits for memory.
bool sleeps_elsewhere(const std::vector<std::string>& words) {
  if (words.empty()) return true;  // it cannot be read
  if (words[0] == "running" || words[0] == "-1") return false;
  return !is_one_of<3>(words[0], {SYS_futex, SYS_clock_nanosleep, SYS_nanosleep});
}

// True if the thread could run, or will by itself: it sleeps for a time.
bool needs_processor(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  return words[0] == "running" || is_one_of<2>(words[0], {SYS_clock_nanosleep, SYS_nanosleep});
}

// A thread's system call, if that waits for a futex.
struct FutexCall {
  std::int32_t value = 0;  // that the futex has while the thread waits
  std::uint64_t code = 0;  // where it was called
};

std::optional<FutexCall> futex_call_of(const std::vector<std::string>& words) {
  if (words.size() < 5 || words[0] != std::to_string(SYS_futex)) return std::nullopt;
  return FutexCall{.value = static_cast<std::int32_t>(std::strtoull(words[3].c_str(), nullptr, 16)),
                   .code = std::strtoull(words.back().c_str(), nullptr, 16)};
}

// The code of GCC's OpenMP runtime in a process, which is read when it is asked for.
class OpenmpCode {
 public:
  explicit OpenmpCode(std::uint32_t pid) : pid_(pid) {}

  // True if the thread waits for the end of a parallel loop, or for its next one. The runtime calls
  // the kernel itself (on x86; elsewhere by a function that is recorded). It waits for a lock with
  // a negative value (libgomp's config/linux/mutex.c and sem.c), and at a barrier with the number
  // of the phase. One lock of its own waits with 2 (ptrlock.c), for as long as a pointer is
  // computed.
  bool has_barrier(const FutexCall& call) {
    if (call.value < 0) return false;
    if (!ranges_) ranges_ = read();
    return std::any_of(ranges_->begin(), ranges_->end(), [&](const auto& range) {
      return range.first <= call.code && call.code < range.second;
    });
  }

 private:
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  Ranges read() const {
    Ranges found;
    std::ifstream file(folder_of(pid_) / "maps");
    for (std::string line; std::getline(file, line);) {
      const std::string name = file_name(line);
      if (!name.starts_with("libgomp.") && !name.starts_with("libgomp-")) continue;
      char* end = nullptr;
      const std::uint64_t first = std::strtoull(line.c_str(), &end, 16);
      if (*end == '-') found.emplace_back(first, std::strtoull(end + 1, nullptr, 16));
    }
    return found;
  }

  std::uint32_t pid_;
  std::optional<Ranges> ranges_;
};

// How often the thread has slept; empty if that is not known.
std::string sleeps_of(std::uint32_t pid, const std::string& thread) {
  const std::vector<std::string> words =
      status_words(folder_of(pid) / "task" / thread, "voluntary_ctxt_switches");
  return words.empty() ? std::string() : words[0];
}

bool has_library(std::uint32_t pid) {
  std::ifstream file(folder_of(pid) / "maps");
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with("/liblockbench_observe.so")) return true;
  }
  return false;
}

}  // namespace

std::chrono::nanoseconds ProcessTree::look(bool observes) {
  const std::map<std::uint32_t, Record> known = records();
  const Clock::time_point now = Clock::now();
  since_look_s_ = std::chrono::duration<double>(now - looked_).count();
  looked_ = now;
  need_processors_ = 0;
  for (const std::uint32_t pid : descendants()) {
    const auto record = known.find(pid);
    look_at(pid, record == known.end() ? nullptr : &record->second, observes);
  }
  if (static_cast<double>(need_processors_) > processors_) crowded_s_ += since_look_s_;
  const Clock::duration passed = Clock::now() - begin_;
  return std::clamp<std::chrono::nanoseconds>(passed / 20, kFirstLook, std::chrono::seconds(1));
}

std::map<std::uint32_t, ProcessTree::Record> ProcessTree::records() const {
  std::map<std::uint32_t, Record> found;
  for (const std::size_t slot : recording_.slots()) {
    RecordingFile::Brief brief = recording_.brief(slot);
    Record& record = found[brief.pid];
    if (brief.start_ticks >= record.brief.start_ticks) record = {slot, std::move(brief)};
  }
  return found;
}

void ProcessTree::note_sleepers() {
  for (const std::uint32_t pid : descendants()) {
    const std::vector<std::string> threads = threads_of(pid);
    if (threads.size() > kMostThreads) continue;
    for (const std::string& thread : threads) {
      if (futex_call_of(call_words(pid, thread))) sleeps_before_[thread] = sleeps_of(pid, thread);
    }
  }
}

void ProcessTree::look_at(std::uint32_t pid, const Record* record, bool observes) {
  const std::string program = link_text(folder_of(pid) / "exe");
  if (program.empty()) return;
  const bool recorded = record != nullptr &&
                        record->brief.ended != observe::ProcessEnd::kExecuted &&
                        file_name(record->brief.program) == file_name(program);
  std::vector<Image>& images = images_[pid];
  const Clock::time_point now = Clock::now();
  if (images.empty() || images.back().program != program || (images.back().recorded && !recorded)) {
    images.push_back({.program = program, .first = now});
  }
  Image& image = images.back();
  image.last = now;
  image.processor_s = processor_s_of(pid);
  if (!recorded) {
    if (shows_nothing(pid)) return;
    const Unseen why = why_unseen(pid);
    const bool has_one = why == Unseen::kUnknown && has_library(pid);
    // The facts that were read are of this program only if it neither ended nor was replaced
    // meanwhile.
    if (shows_nothing(pid) || link_text(folder_of(pid) / "exe") != program) return;
    image.why = why;
    image.has_library = has_one;
    return;
  }
  if (!image.recorded) {
    if (const std::string runtime = language_runtime(pid, program); !runtime.empty())
      runtimes_.insert(runtime);
  }
  image.recorded = true;
  recorded_processor_s_[pid] = image.processor_s;
  if (observes) sample_threads(pid, *record);
}

bool ProcessTree::sleeps_since_before(std::uint32_t pid, const std::string& thread) {
  const auto before = sleeps_before_.find(thread);
  if (before == sleeps_before_.end()) return false;
  if (before->second == sleeps_of(pid, thread)) {
    older_sleepers_.insert(thread);
    return true;
  }
  sleeps_before_.erase(before);
  return false;
}

void ProcessTree::sample_threads(std::uint32_t pid, const Record& record) {
  const std::vector<std::string> threads = threads_of(pid);
  if (threads.size() > kMostThreads) {
    need_processors_ += threads.size();  // as far as is known
    return;
  }
  const std::uint64_t before = recording_.brief(record.slot).waiting;
  std::uint64_t sleepers = 0;
  bool elsewhere = false;
  OpenmpCode openmp(pid);
  for (const std::string& thread : threads) {
    const std::vector<std::string> words = call_words(pid, thread);
    if (needs_processor(words)) ++need_processors_;
    elsewhere |= sleeps_elsewhere(words);
    const std::optional<FutexCall> call = futex_call_of(words);
    if (!call || sleeps_since_before(pid, thread)) continue;
    if (openmp.has_barrier(*call)) {
      elsewhere = true;
    } else {
      ++sleepers;
    }
  }
  if (elsewhere) elsewhere_s_[pid] += since_look_s_;
  const std::uint64_t known =
      std::max<std::uint64_t>(before, recording_.brief(record.slot).waiting);
  futex_samples_ += sleepers;
  seen_futex_samples_ += std::min(sleepers, known);
}

void ProcessTree::has_ended(std::uint32_t pid) {
  const double used_s = processor_s_of(pid);
  const std::map<std::uint32_t, Record> known = records();
  const auto record = known.find(pid);
  std::vector<Image>& images = images_[pid];
  if (record != known.end() && record->second.brief.ended != observe::ProcessEnd::kExecuted) {
    // At the last look, it may have been about to begin its record.
    if (!images.empty() &&
        file_name(images.back().program) != file_name(record->second.brief.program)) {
      return;
    }
    if (!images.empty()) images.back().recorded = true;
    recorded_processor_s_[pid] = used_s;
    return;
  }
  if (images.empty() || images.back().recorded || images.back().first == images.back().last) return;
  images.back().last = Clock::now();
  images.back().processor_s = std::max(images.back().processor_s, used_s);
}

std::set<std::uint32_t> ProcessTree::running() const {
  const std::vector<std::uint32_t> all = descendants();
  return {all.begin(), all.end()};
}

double ProcessTree::processor_s(std::uint32_t pid) const {
  const auto looked = recorded_processor_s_.find(pid);
  return looked == recorded_processor_s_.end() ? 0 : looked->second;
}

double ProcessTree::elsewhere_s(std::uint32_t pid) const {
  const auto slept = elsewhere_s_.find(pid);
  return slept == elsewhere_s_.end() ? 0 : slept->second;
}

double ProcessTree::seen_processor_s() const {
  // relaxed: each number is read for itself.
  double sum =
      static_cast<double>(recording_.header().ended_processor_ns.load(std::memory_order_relaxed)) /
      1e9;
  for (const auto& [pid, record] : records()) {
    sum += std::max(record.brief.processor_s, processor_s(pid));
  }
  return sum;
}

std::vector<UnseenProcess> ProcessTree::unseen() const {
  std::vector<UnseenProcess> found;
  std::set<std::uint32_t> listed;
  for (const auto& [pid, images] : images_) {
    for (const Image& image : images) {
      // At a single look, it may just have been about to begin its record.
      if (image.recorded || image.has_library || image.first == image.last) continue;
      found.push_back({.pid = pid,
                       .program = image.program,
                       .why = image.why,
                       .processor_s = image.processor_s,
                       .life_s = std::chrono::duration<double>(image.last - image.first).count()});
      listed.insert(pid);
    }
  }
  for (const observe::Started& one : recording_.header().started) {
    const std::uint32_t pid = one.pid.load(std::memory_order_relaxed);
    if (pid == 0 || listed.contains(pid)) continue;
    const std::string program = one.program.data();
    const bool environment = one.environment.load(std::memory_order_relaxed) != 0;
    found.push_back({.pid = pid,
                     .program = program,
                     .why = environment
                                ? Unseen::kEnvironment
                                : why_not_loaded(program_on_path(program).value_or(program))});
  }
  std::stable_sort(found.begin(), found.end(), [](const UnseenProcess& a, const UnseenProcess& b) {
    return std::pair(a.processor_s, a.life_s) > std::pair(b.processor_s, b.life_s);
  });
  return found;
}

void ProcessTree::add_to(Coverage& coverage, double processor_s) const {
  coverage.processor_s = processor_s;
  for (const std::uint32_t pid : running()) {
    coverage.running.push_back({.pid = pid,
                                .program = link_text(folder_of(pid) / "exe"),
                                .processor_s = processor_s_of(pid)});
    coverage.processor_s += coverage.running.back().processor_s;
  }
  coverage.seen_processor_s = seen_processor_s();
  const std::vector<UnseenProcess> more = unseen();
  // Those that were looked at have a number and a name; of the others, only their count is known.
  std::erase_if(coverage.unseen, [&more](const UnseenProcess& counted) {
    return std::any_of(more.begin(), more.end(),
                       [&counted](const UnseenProcess& named) { return named.why == counted.why; });
  });
  coverage.unseen.insert(coverage.unseen.begin(), more.begin(), more.end());
  coverage.crowded_s = crowded_s_;
  coverage.futex_samples = futex_samples_;
  coverage.seen_futex_samples = seen_futex_samples_;
  coverage.older_sleepers = older_sleepers_.size();
  coverage.runtimes.assign(runtimes_.begin(), runtimes_.end());
}

}  // namespace lockbench
