// SPDX-License-Identifier: Apache-2.0

// Atomic accesses are relaxed if no comment says otherwise.
#include "harness/observe/recorder/mapped_recording.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockbench::observe {
namespace {

constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

// `/proc/NUMBER/fd/NUMBER`.
char the_path[64] = {};
// The process had a filter of system calls when it began: what it needed then is what it may call.
bool began_with_filter = false;

long page_bytes() {
  return sysconf(_SC_PAGESIZE);
}

// A core dump does not contain it.
void* not_dumped(void* memory, std::uint64_t bytes) {
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

void* map_by_path(std::uint64_t offset, std::uint64_t bytes) {
  const int file = ::open(the_path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                            file, static_cast<off_t>(offset));
  close(file);
  return not_dumped(memory, bytes);
}

// Needs no descriptor and no rights, so it works after chroot(), setuid() or at the limit of open
// files. The kernel copies the mapping of the header, and moves the copy to another offset in the
// file.
void* map_like(void* header, std::uint64_t offset, std::uint64_t bytes) {
  void* const memory = mremap(header, 0, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return nullptr;
  // Without MAP_NONBLOCK, the kernel would provide all pages at once.
  if (syscall(SYS_remap_file_pages, memory, bytes, 0,
              offset / static_cast<std::uint64_t>(page_bytes()), MAP_NONBLOCK) != 0) {
    munmap(memory, bytes);
    return nullptr;
  }
  return not_dumped(memory, bytes);
}

}  // namespace

Header* MappedRecording::header_ = nullptr;
MappedArea MappedRecording::area_ = {};
std::atomic<bool> MappedRecording::filtered_{false};

bool MappedRecording::open(const char* path) {
  if (std::strlen(path) >= sizeof the_path) return false;
  std::strcpy(the_path, path);
  began_with_filter = prctl(PR_GET_SECCOMP) == 2;
  auto* const header = static_cast<Header*>(map_by_path(0, Layout::header_bytes()));
  if (header == nullptr || header->version.load(kRelaxed) != Header::kVersion) return false;
  header_ = header;
  // So a copy of this process that no handler of the C library knows of does not count as it.
  madvise(&area_, sizeof area_, MADV_WIPEONFORK);
  return true;
}

void* MappedRecording::map(std::uint64_t offset, std::uint64_t bytes) {
  if (is_filtered()) return nullptr;
  if (!began_with_filter) {
    if (void* const memory = map_like(header_, offset, bytes)) return memory;
  }
  return map_by_path(offset, bytes);
}

template <class Part>
Part* MappedRecording::map_once(std::atomic<Part*>& part, std::uint64_t offset,
                                std::uint64_t bytes) {
  // acquire: with the exchange below; the kernel's pages are there before the pointer is.
  Part* known = part.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return known;
  auto* const mapped = static_cast<Part*>(map(offset, bytes));
  if (mapped == nullptr) return nullptr;
  if (part.compare_exchange_strong(known, mapped, std::memory_order_acq_rel)) return mapped;
  munmap(static_cast<void*>(mapped), bytes);  // another thread was first
  return known;
}

Process* MappedRecording::claim(std::uint32_t pid) {
  const std::uint32_t begun = header_->begun.fetch_add(1, kRelaxed);
  for (std::size_t i = 0; i < Header::kSlots; ++i) {
    const std::size_t slot = (begun + i) % Header::kSlots;
    std::uint32_t free = 0;
    if (!header_->slots[slot].compare_exchange_strong(free, pid, kRelaxed)) continue;
    auto* const process =
        static_cast<Process*>(map(Layout::process_at(slot), Layout::process_bytes()));
    if (process == nullptr) {
      header_->slots[slot].store(0, kRelaxed);
      header_->without_memory.fetch_add(1, kRelaxed);
      return nullptr;
    }
    area_.slot = static_cast<std::uint32_t>(slot);
    return process;
  }
  header_->without_slot.fetch_add(1, kRelaxed);
  return nullptr;
}

void MappedRecording::give_back() {
  Process* const process = area_.process.load(kRelaxed);
  area_.refused.store(1, kRelaxed);
  area_.process.store(nullptr, kRelaxed);
  header_->ended_processor_ns.fetch_add(process->processor_ns.load(kRelaxed), kRelaxed);
  // Clears what the next owner does not write itself.
  for (Module& module : process->modules) {
    if (module.path[0] == '\0') break;
    std::memset(module.path.data(), 0, module.path.size());
  }
  for (Number* const number :
       {&process->threads, &process->ended, &process->stopped, &process->waiting}) {
    number->store(0, kRelaxed);
  }
  process->pid.store(0, kRelaxed);
  // release: the next owner finds the area clean.
  header_->slots[area_.slot].store(0, std::memory_order_release);
}

std::byte* MappedRecording::level(std::size_t number) {
  return map_once(area_.levels[number], Layout::level_at(area_.slot, number),
                  Layout::level_bytes(number));
}

Place* MappedRecording::place_of_new_chunk(std::uint32_t index) {
  const std::size_t chunk = index / Layout::kPlacesInChunk;
  Place* const first =
      map_once(area_.chunks[chunk], Layout::chunk_at(area_.slot, chunk), Layout::chunk_bytes());
  return first == nullptr ? nullptr : first + index % Layout::kPlacesInChunk;
}

void MappedRecording::prepare_for_filter() {
  Process* const process = area_.process.load(kRelaxed);
  if (process != nullptr) {
    for (std::size_t i = 0; i < 2; ++i) level(i);
    const std::uint32_t places = process->places.load(kRelaxed);
    place(places + 1);
    if (places + Layout::kPlacesInChunk < Layout::kPlaces) {
      place(places + 1 + Layout::kPlacesInChunk);
    }
  }
  filtered_.store(true, kRelaxed);
}

}  // namespace lockbench::observe
