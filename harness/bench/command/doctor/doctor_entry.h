// SPDX-License-Identifier: Apache-2.0

// The command `doctor`.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "harness/cli/command.h"

namespace lockbench {

// Machines elsewhere that doctor can check. A program that can do so has a doctor of its own, to
// which it gives them; lockbench itself knows the flags by which it starts that program.
class OtherMachines {
 public:
  virtual ~OtherMachines() = default;

  // For the help of doctor: a paragraph and an empty line; what exit codes 1 and 2 mean with it;
  // and lines of examples.
  virtual std::string about() const = 0;
  virtual std::string exit_codes() const = 0;
  virtual std::string examples() const = 0;

  virtual void add_flags(CLI::App& doctor) = 0;
  // The error in the flags that were given; empty if there is none.
  virtual std::string complete(const CLI::App& doctor, const Invocation& invocation) = 0;
  // True if the flags ask for them.
  virtual bool are_asked() const = 0;
  // Checks them, and returns the exit code.
  virtual int check(bool json, std::ostream& out, std::ostream& err) = 0;
};

// These as data, for the description of a program (harness/process/command_programs.h).
nlohmann::json described(OtherMachines& machines);

struct DoctorOptions {
  bool json = false;  // else text
};

class DoctorEntry final : public CommandWithOptions<DoctorOptions> {
 public:
  DoctorEntry();
  // From now on doctor checks these, too, if its flags ask for them.
  void add_machines(std::unique_ptr<OtherMachines> others);

  void add_flags(CLI::App& doctor) override;
  std::string complete(const CLI::App& doctor, const Invocation& invocation) override;
  int run(const Invocation& invocation) override;

 private:
  std::unique_ptr<OtherMachines> others_;
};

}  // namespace lockbench
