// SPDX-License-Identifier: Apache-2.0

// HelpTexts: what --help says beyond the flags, and what --version says.
//
// Examples are lines that begin with two blanks and `lockbench`, and can be typed as they stand.
#pragma once

#include <string>

namespace lockbench {

extern const char kExamples[];        // of lockbench itself
extern const char kRunExamples[];     // of run
extern const char kAdviseExamples[];  // of advise
extern const char kStressExamples[];  // of stress
extern const char kListExamples[];    // of list
extern const char kDoctorExamples[];  // of doctor
extern const char kTrialExamples[];   // of trial

// The models there are, and examples.
std::string model_help();

// The version, and the build with the libraries that it measures.
std::string version_text();

}  // namespace lockbench
