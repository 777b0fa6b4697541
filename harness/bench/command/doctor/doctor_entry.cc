// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/doctor_entry.h"

#include <iostream>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/bench/command/doctor/doctor_command.h"
#include "harness/cli/flags.h"
#include "harness/process/command_programs.h"

namespace lockbench {
namespace {

// `others`: null if doctor checks this machine alone.
std::string footer_with(const OtherMachines* others) {
  const std::string codes = others == nullptr ? "2 bad input" : others->exit_codes();
  return "Checks clocks, other load, limits and tools; changes nothing. Takes about a second.\n"
         "\n" +
         (others == nullptr ? "" : others->about()) +
         "Exit codes: 0 nothing disturbs measurements, " + codes +
         ", 3 something disturbs measurements.\n"
         "\n"
         "Examples\n"
         "  lockbench doctor\n"
         "  lockbench doctor --format json\n" +
         (others == nullptr ? "" : others->examples());
}

// Machines that another program checks, as it describes them.
class MachinesOfProgram final : public OtherMachines {
 public:
  explicit MachinesOfProgram(Addition addition) : addition_(std::move(addition)) {}

  std::string about() const override { return addition_.what.value("about", ""); }
  std::string exit_codes() const override { return addition_.what.value("exit_codes", ""); }
  std::string examples() const override { return addition_.what.value("examples", ""); }

  void add_flags(CLI::App& doctor) override {
    add_described_flags(doctor, addition_.what.value("flags", nlohmann::json::array()), given_);
  }
  std::string complete(const CLI::App&, const Invocation& invocation) override {
    words_ = invocation.words;
    words_.front() = invocation.program;
    return {};
  }
  bool are_asked() const override { return !given_.empty(); }
  int check(bool, std::ostream&, std::ostream&) override {
    return become(addition_.program->file, words_);
  }

 private:
  Addition addition_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> words_;
};

}  // namespace

nlohmann::json described(OtherMachines& machines) {
  return {{"about", machines.about()},
          {"exit_codes", machines.exit_codes()},
          {"examples", machines.examples()},
          {"flags", described_flags([&](CLI::App& app) { machines.add_flags(app); })}};
}

DoctorEntry::DoctorEntry()
    : CommandWithOptions(
          {.name = "doctor",
           .group = CommandGroup::kUpkeep,
           .summary = "Lists what disturbs measurements on a machine, and how to fix it",
           .footer = footer_with(nullptr)}) {}

void DoctorEntry::add_machines(std::unique_ptr<OtherMachines> others) {
  others_ = std::move(others);
  set_footer(footer_with(others_.get()));
}

void DoctorEntry::add_flags(CLI::App& doctor) {
  add_text_or_json(doctor, "text or json [text]", options_.json);
  if (others_ == nullptr) {
    for (Addition& addition : additions_to("doctor")) {
      add_machines(std::make_unique<MachinesOfProgram>(std::move(addition)));
    }
  }
  if (others_ != nullptr) others_->add_flags(doctor);
}

std::string DoctorEntry::complete(const CLI::App& doctor, const Invocation& invocation) {
  return others_ == nullptr ? "" : others_->complete(doctor, invocation);
}

int DoctorEntry::run(const Invocation&) {
  if (others_ != nullptr && others_->are_asked()) {
    return others_->check(options_.json, std::cout, std::cerr);
  }
  return doctor_command(options_.json, std::cout);
}

void add_doctor_commands(Commands& all) {
  all.push_back(std::make_unique<DoctorEntry>());
}

}  // namespace lockbench
