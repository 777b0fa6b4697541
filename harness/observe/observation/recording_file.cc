// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/recording_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockbench {
namespace {

using observe::Header;
using observe::Layout;
using observe::LockLevels;
using observe::Place;
using observe::Process;

// relaxed throughout: the numbers are read each for itself, and change one by one.
constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

absl::Status no_memory(const char* what) {
  return absl::UnavailableError(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

double blocked_s(std::uint64_t waiters, std::uint64_t ticks, std::uint64_t end_ticks,
                 double ns_per_tick) {
  // A thread waits still, or the process ended while it did.
  const std::uint64_t all = ticks + (waiters != 0 ? end_ticks : 0);
  // A thread that was stopped between its two additions leaves a number that is no time.
  const auto known = std::clamp<std::int64_t>(static_cast<std::int64_t>(all), 0,
                                              static_cast<std::int64_t>(end_ticks));
  return static_cast<double>(known) * ns_per_tick / 1e9;
}

double RecordingFile::Brief::blocked_s(std::uint64_t now_ticks, double ns_per_tick) const {
  return lockbench::blocked_s(blocked_waiters, blocked_ticks, now_ticks - start_ticks, ns_per_tick);
}

absl::StatusOr<std::unique_ptr<RecordingFile>> RecordingFile::create(std::uint32_t callers) {
  const int file = memfd_create("lockbench-observe", MFD_CLOEXEC);
  if (file < 0) return no_memory("no memory to record in (memfd_create)");
  void* memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(Layout::file_bytes())) == 0) {
    memory = mmap(nullptr, Layout::header_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (memory == MAP_FAILED) {
    absl::Status status = no_memory(
        errno == EFBIG ? "the recording counts as a large file, of which little has contents; "
                         "raise the limit (ulimit -f)"
                       : "no memory to record in (mmap)");
    close(file);
    return status;
  }
  auto* const header = static_cast<Header*>(memory);
  // The program that reads it is started later.
  header->callers.store(callers, kRelaxed);
  header->version.store(Header::kVersion, kRelaxed);
  return std::unique_ptr<RecordingFile>(new RecordingFile(file, header));
}

RecordingFile::~RecordingFile() {
  munmap(header_, Layout::header_bytes());
  close(file_);
}

std::string RecordingFile::variable() const {
  return std::string(observe::kRecordingVariable) + "=/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(file_);
}

void RecordingFile::set_paused(bool paused) {
  // A thread that sees it late counts a little longer.
  header_->paused.store(paused ? 1 : 0, kRelaxed);
}

void RecordingFile::set_core_kinds(const std::vector<CoreKind>& kinds) {
  if (kinds.size() < 2) return;
  for (std::size_t rank = 0; rank < kinds.size(); ++rank) {
    for (const int processor : kinds[rank].processors) {
      const auto number = static_cast<std::size_t>(processor);
      if (number >= Header::kProcessors) continue;
      header_->core_kind_of[number].store(static_cast<std::uint8_t>(rank + 1), kRelaxed);
    }
  }
  header_->core_kinds.store(static_cast<std::uint32_t>(kinds.size()), kRelaxed);
}

std::vector<std::size_t> RecordingFile::slots() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < Header::kSlots; ++i) {
    if (header_->slots[i].load(kRelaxed) != 0) found.push_back(i);
  }
  return found;
}

void RecordingFile::free_unused_slots() {
  for (const std::size_t slot : slots()) {
    std::uint32_t pid = header_->slots[slot].load(kRelaxed);
    if (pid == 0 || kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH) continue;
    const std::unique_ptr<Process> process = this->process(slot);
    const std::uint32_t owner = process->pid.load(kRelaxed);
    if ((owner != pid && owner != 0) || process->places.load(kRelaxed) != 0 ||
        process->placeless_acquisitions.load(kRelaxed) != 0) {
      continue;
    }
    header_->ended_processor_ns.fetch_add(process->processor_ns.load(kRelaxed), kRelaxed);
    // The process is gone, so nobody writes there.
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(Layout::process_at(slot)),
              static_cast<off_t>(Layout::process_bytes()));
    // release: the next owner finds the area clean.
    header_->slots[slot].compare_exchange_strong(pid, 0, std::memory_order_release);
  }
}

RecordingFile::Brief RecordingFile::brief(std::size_t slot) const {
  constexpr std::size_t kBytes = offsetof(Process, modules) + sizeof(observe::Module);
  alignas(Process) std::byte bytes[kBytes];
  read(Layout::process_at(slot), kBytes, bytes);
  // Only members that were read are used.
  const auto& process = *reinterpret_cast<const Process*>(bytes);
  return {.pid = process.pid.load(kRelaxed),
          .waiting = process.waiting.load(kRelaxed),
          .ended = static_cast<observe::ProcessEnd>(process.ended.load(kRelaxed)),
          .start_ticks = process.start_ticks.load(kRelaxed),
          .processor_s = static_cast<double>(process.processor_ns.load(kRelaxed)) / 1e9,
          .blocked_waiters = process.blocked.waiters.load(kRelaxed),
          .blocked_ticks = process.blocked.ticks.load(kRelaxed),
          .program =
              std::string(process.modules[0].path.data(),
                          strnlen(process.modules[0].path.data(), process.modules[0].path.size()))};
}

std::unique_ptr<Process> RecordingFile::process(std::size_t slot) const {
  auto result = std::make_unique<Process>();
  read(Layout::process_at(slot), sizeof(Process), result.get());
  return result;
}

void RecordingFile::each_place(std::size_t slot, const Process& process,
                               const std::function<void(std::uint32_t, const Place&)>& use) const {
  const auto place = std::make_unique<Place>();
  const std::uint32_t places =
      std::min<std::uint32_t>(process.places.load(kRelaxed), Layout::kPlaces);
  for (std::uint32_t i = 0; i < places; ++i) {
    read(Layout::chunk_at(slot, i / Layout::kPlacesInChunk) +
             i % Layout::kPlacesInChunk * sizeof(Place),
         sizeof(Place), place.get());
    if (place->key.load(kRelaxed) != 0) use(i + 1, *place);
  }
}

void RecordingFile::each_lock(
    std::size_t slot, const std::function<void(std::uint64_t, const observe::Lock&)>& use) const {
  constexpr std::size_t kBlock = 512;
  const auto keys = std::make_unique<std::array<observe::Count, kBlock>>();
  const auto locks = std::make_unique<std::array<observe::Lock, kBlock>>();
  for (std::size_t level = 0; level < LockLevels::kLevels; ++level) {
    const std::uint64_t base = Layout::level_at(slot, level);
    const std::size_t capacity = LockLevels::capacity(level);
    for (std::size_t first = 0; first < capacity; first += kBlock) {
      const std::uint64_t at = base + first * sizeof(observe::Count);
      if (!has_data(at, sizeof *keys)) continue;
      read(at, sizeof *keys, keys.get());
      read(base + capacity * sizeof(observe::Count) + first * sizeof(observe::Lock), sizeof *locks,
           locks.get());
      for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint64_t key = (*keys)[i].load(kRelaxed);
        if (key > 1) use(key, (*locks)[i]);
      }
    }
  }
}

bool RecordingFile::has_data(std::uint64_t offset, std::uint64_t bytes) const {
  const off_t found = lseek(file_, static_cast<off_t>(offset), SEEK_DATA);
  return found >= 0 && static_cast<std::uint64_t>(found) < offset + bytes;
}

void RecordingFile::read(std::uint64_t offset, std::uint64_t bytes, void* to) const {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file_, static_cast<char*>(to) + done, bytes - done,
                              static_cast<off_t>(offset + done));
    if (got <= 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  std::memset(static_cast<char*>(to) + done, 0, bytes - done);
}

}  // namespace lockbench
