// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/record/machine.h"

#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

using internal::cpuinfo_field;
using internal::hypervisor_name;
using internal::memory_total;

TEST(Machine, AFieldOfCpuinfoIsTheFirstThatHasAValue) {
  const std::string text =
      "processor\t: 0\nmodel\t\t: 140\nmodel name\t: \nmodel name\t: Some: CPU \nmodel name\t: "
      "Other";
  EXPECT_EQ(cpuinfo_field(text, "model name"), "Some: CPU");
  EXPECT_EQ(cpuinfo_field(text, "model"), "140");
  EXPECT_EQ(cpuinfo_field(text, "name"), std::nullopt);
  EXPECT_EQ(cpuinfo_field("", "model"), std::nullopt);
}

TEST(Machine, MemoryIsInBytesOrUnknown) {
  EXPECT_EQ(memory_total("MemTotal:       16384 kB\nMemFree: 1 kB\n"), 16384u * 1024);
  EXPECT_EQ(memory_total("MemTotal:       16384 MB\n"), std::nullopt);
  EXPECT_EQ(memory_total("MemTotal:       many kB\n"), std::nullopt);
  EXPECT_EQ(memory_total("MemFree: 1 kB\n"), std::nullopt);
}

TEST(Machine, AHypervisorIsNamedOrQuoted) {
  EXPECT_EQ(hypervisor_name(std::string("KVMKVMKVM\0\0\0", 12)), "KVM");
  EXPECT_EQ(hypervisor_name("VMwareVMware"), "VMware");
  EXPECT_EQ(hypervisor_name("NobodyKnows!"), "NobodyKnows!");
  EXPECT_EQ(hypervisor_name(std::string(12, '\0')), "unnamed");
}

TEST(Machine, ThisOneTellsWhatTheKernelTells) {
  const Machine machine = read_machine();
  ASSERT_TRUE(machine.hardware_threads && machine.cores && machine.usable_threads);
  EXPECT_GE(*machine.hardware_threads, static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_LE(*machine.cores, *machine.hardware_threads);
  EXPECT_LE(*machine.usable_threads, *machine.hardware_threads);
  ASSERT_TRUE(machine.memory_bytes && machine.kernel);
  // MemTotal is what the kernel left to programs of the memory that sysconf counts the pages of.
  EXPECT_EQ(*machine.memory_bytes, static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(machine.kernel->rfind("Linux ", 0), 0u);
  EXPECT_EQ(machine, read_machine());
}

}  // namespace
}  // namespace lockbench
