// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/simulated/foreign_calls.h"

#include <algorithm>
#include <cstdint>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/stress/simulated/simulated_program.h"
#include "harness/symbols/function_names.h"

// A call that is watched goes to its own stub. The stub passes its number to
// lockbench_foreign_call() and then jumps to the returned address with all arguments unchanged.
#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl lockbench_foreign_stubs
lockbench_foreign_stubs:
.set lockbench_stub, 0
.rept 512
  .p2align 4
  pushq $lockbench_stub
  jmp lockbench_foreign_common
.set lockbench_stub, lockbench_stub + 1
.endr
.p2align 4
lockbench_foreign_common:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  subq $128, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 192(%rsp), %rdi
  movq 200(%rsp), %rsi
  call lockbench_foreign_call
  movq %rax, %r11
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  addq $8, %rsp
  jmp *%r11
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.globl lockbench_foreign_stubs
lockbench_foreign_stubs:
.set lockbench_stub, 0
.rept 512
  .p2align 4
  movz x16, #lockbench_stub
  b lockbench_foreign_common
.set lockbench_stub, lockbench_stub + 1
.endr
.p2align 4
lockbench_foreign_common:
  sub sp, sp, #224
  stp x0, x1, [sp, #0]
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  stp x8, x30, [sp, #64]
  stp q0, q1, [sp, #80]
  stp q2, q3, [sp, #112]
  stp q4, q5, [sp, #144]
  stp q6, q7, [sp, #176]
  mov x0, x16
  mov x1, x30
  bl lockbench_foreign_call
  mov x16, x0
  ldp x0, x1, [sp, #0]
  ldp x2, x3, [sp, #16]
  ldp x4, x5, [sp, #32]
  ldp x6, x7, [sp, #48]
  ldp x8, x30, [sp, #64]
  ldp q0, q1, [sp, #80]
  ldp q2, q3, [sp, #112]
  ldp q4, q5, [sp, #144]
  ldp q6, q7, [sp, #176]
  add sp, sp, #224
  br x16
)");
#endif

extern "C" const char lockbench_foreign_stubs[];

namespace lockbench::stress::explore {
namespace {

constexpr std::size_t kStubs = 512;
constexpr std::size_t kStubBytes = 16;

struct ForeignCall {
  std::string function;
  void* target = nullptr;
};

std::vector<ForeignCall>& foreign_calls() {
  static std::vector<ForeignCall> all;
  return all;
}

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Functions of the C library that compute, print, query what does not change, or initialise what
// the simulation then decides. All functions whose names begin with one of these are harmless.
constexpr std::string_view kHarmless[] = {"mem",
                                          "str",
                                          "stp",
                                          "wcs",
                                          "wmem",
                                          "is",
                                          "to",
                                          "__ctype",
                                          "abort",
                                          "exit",
                                          "_exit",
                                          "__assert",
                                          "__stack_",
                                          "__errno",
                                          "__cxa_",
                                          "__tls_get",
                                          "__mem",
                                          "__str",
                                          "__printf",
                                          "__fprintf",
                                          "__sprintf",
                                          "__snprintf",
                                          "__vsnprintf",
                                          "__vfprintf",
                                          "printf",
                                          "fprintf",
                                          "sprintf",
                                          "snprintf",
                                          "vsnprintf",
                                          "vfprintf",
                                          "puts",
                                          "putchar",
                                          "fput",
                                          "fwrite",
                                          "fflush",
                                          "write",
                                          "getenv",
                                          "secure_",
                                          "sysconf",
                                          "getpagesize",
                                          "getpid",
                                          "get_nprocs",
                                          "getauxval",
                                          "sched_get",
                                          "rand",
                                          "srand",
                                          "qsort",
                                          "bsearch",
                                          "abs",
                                          "labs",
                                          "div",
                                          "raise",
                                          "sig",
                                          "mprotect",
                                          "madvise",
                                          "dl",
                                          "_dl",
                                          "backtrace",
                                          "setlocale",
                                          "localeconv",
                                          "open",
                                          "close",
                                          "pipe",
                                          "ioctl",
                                          "fcntl",
                                          "fopen",
                                          "fclose",
                                          "__sched_",
                                          "__isoc",
                                          "__register_atfork",
                                          "pthread_attr_",
                                          "pthread_mutex_init",
                                          "pthread_mutex_destroy",
                                          "pthread_mutexattr_",
                                          "pthread_cond_init",
                                          "pthread_cond_destroy",
                                          "pthread_condattr_",
                                          "pthread_rwlock_init",
                                          "pthread_rwlock_destroy",
                                          "pthread_rwlockattr_",
                                          "pthread_barrier_init",
                                          "pthread_barrier_destroy",
                                          "pthread_barrierattr_",
                                          "pthread_spin_init",
                                          "pthread_spin_destroy",
                                          "pthread_equal",
                                          "pthread_sigmask",
                                          "sem_init",
                                          "sem_destroy",
                                          "pthread_setcanceltype",
                                          "pthread_setcancelstate",
                                          "pthread_atfork"};

// Functions of the C++ library that wait or start threads. Its other functions are harmless.
constexpr std::string_view kWaitingCxx[] = {"_ZNSt18condition_variable",
                                            "_ZNSt3_V222condition_variable_any",
                                            "_ZNSt6thread",
                                            "_ZNSt11this_thread",
                                            "_ZNSt28__atomic_futex_unsigned_base",
                                            "_ZSt25notify_all_at_thread_exit"};
constexpr std::string_view kHarmlessCxx[] = {
    "_ZNSt6thread20hardware_concurrency", "_ZNSt6thread6_State",
    "_ZNSt18condition_variableC",         "_ZNSt18condition_variableD",
    "_ZNSt3_V222condition_variable_anyC", "_ZNSt3_V222condition_variable_anyD"};

bool is(std::string_view file, std::string_view library) {
  return file.substr(file.rfind('/') + 1).starts_with(library);
}

// A slot of the plug-in's table of addresses, and the function to which it leads.
struct Slot {
  void** location;
  const char* function;
};

class LoadedLibrary {
 public:
  explicit LoadedLibrary(const link_map& map) : base_(map.l_addr) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) note(*entry);
  }

  std::vector<Slot> slots() const {
    std::vector<Slot> found;
    add(jumps_, jump_bytes_, found);
    add(relocations_, relocation_bytes_, found);
    return found;
  }

 private:
#if defined(__x86_64__)
  static bool is_slot(std::uint64_t type) {
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
  }
#else
  static bool is_slot(std::uint64_t type) {
    return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
  }
#endif

  void note(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(entry.d_un.d_ptr);
        break;
      case DT_STRTAB:
        names_ = reinterpret_cast<const char*>(entry.d_un.d_ptr);
        break;
      case DT_JMPREL:
        jumps_ = reinterpret_cast<const ElfW(Rela)*>(entry.d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        jump_bytes_ = entry.d_un.d_val;
        break;
      case DT_RELA:
        relocations_ = reinterpret_cast<const ElfW(Rela)*>(entry.d_un.d_ptr);
        break;
      case DT_RELASZ:
        relocation_bytes_ = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }

  void add(const ElfW(Rela) * first, std::size_t bytes, std::vector<Slot>& found) const {
    for (std::size_t i = 0; first != nullptr && i < bytes / sizeof *first; ++i) {
      if (!is_slot(ELF64_R_TYPE(first[i].r_info))) continue;
      const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(first[i].r_info)];
      auto** const location = reinterpret_cast<void**>(base_ + first[i].r_offset);
      if (*location != nullptr) found.push_back({location, names_ + symbol.st_name});
    }
  }

  const std::uintptr_t base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const ElfW(Rela) * jumps_ = nullptr;
  std::size_t jump_bytes_ = 0;
  const ElfW(Rela) * relocations_ = nullptr;
  std::size_t relocation_bytes_ = 0;
};

// Such slots may also lead to variables, which are not changed.
bool is_function(void* target) {
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  void* found = nullptr;
  if (dladdr1(target, &info, &found, RTLD_DL_SYMENT) == 0) return false;
  symbol = static_cast<const ElfW(Sym)*>(found);
  return symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT;
}

std::string library_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? "" : info.dli_fname;
}

void lead_to(void** location, const void* target) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(location) & ~(page - 1);
  // The table may have been made read-only after all its addresses were resolved.
  if (mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0) return;
  *location = const_cast<void*>(target);
}

void watch_calls(const link_map& map) {
  const std::string own = library_of(map.l_ld);
  const std::string engine = library_of(lockbench_foreign_stubs);
  std::vector<ForeignCall>& calls = foreign_calls();
  for (const Slot& slot : LoadedLibrary(map).slots()) {
    const std::string library = library_of(*slot.location);
    const bool ours = library == own || library == engine || library.empty();
    if (ours || !is_function(*slot.location) || calls.size() == kStubs) continue;
    if (leaves_shared_state_alone(slot.function, library)) continue;
    calls.push_back({readable_name(slot.function), *slot.location});
    lead_to(slot.location, lockbench_foreign_stubs + (calls.size() - 1) * kStubBytes);
  }
}

}  // namespace

bool leaves_shared_state_alone(const std::string& function, const std::string& library) {
  if (is(library, "libstdc++")) {
    return !begins_with_one_of(function, kWaitingCxx) || begins_with_one_of(function, kHarmlessCxx);
  }
  if (is(library, "libm.") || is(library, "libgcc_s") || is(library, "linux-vdso")) return true;
  if (is(library, "ld-linux")) return true;
  const bool c = is(library, "libc.") || is(library, "libpthread") || is(library, "libdl") ||
                 is(library, "librt");
  return c && begins_with_one_of(function, kHarmless);
}

absl::Status prepare_plugin(const std::filesystem::path& plugin) {
  const std::vector<std::string> without = sources_without_instrumentation(plugin.c_str());
  if (!without.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "plug-in ", plugin.string(),
        ": compiled without instrumentation: ", absl::StrJoin(without, ", "),
        "; the engine would not see what they do: name them in lockbench_add_simulated_plugin(), "
        "or compile them with the options of LOCKBENCH_INSTRUMENT (-fsanitize=thread)"));
  }
  void* const handle = dlopen(std::filesystem::absolute(plugin).c_str(), RTLD_NOW | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (handle != nullptr && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) watch_calls(*map);
  return absl::OkStatus();
}

}  // namespace lockbench::stress::explore

// Returns the address at which the call continues.
extern "C" void* lockbench_foreign_call(std::uint64_t number, const void* caller) {
  using namespace lockbench::stress::explore;
  const ForeignCall& call = foreign_calls()[number];
  if (lockbench::stress::SimulatedProgram* const program =
          lockbench::stress::SimulatedProgram::running()) {
    program->refuse_call(call.function.c_str(), caller);
  }
  return call.target;
}
