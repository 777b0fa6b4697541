// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/doctor/doctor_entry.h"

#include <iostream>
#include <utility>

#include "harness/bench/command/doctor/doctor_command.h"
#include "harness/cli/flags.h"

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

}  // namespace

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
  if (others_ != nullptr) others_->add_flags(doctor);
}

std::string DoctorEntry::complete(const CLI::App& doctor, const Invocation&) {
  return others_ == nullptr ? "" : others_->complete(doctor);
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
