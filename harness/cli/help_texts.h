// SPDX-License-Identifier: Apache-2.0

// HelpTexts: what --help prints beyond the flags, and what --version prints.
//
// An example is a line that begins with two blanks and `lockbench`. A user can copy each one
// unchanged.
#pragma once

#include <string>

namespace lockbench {

extern const char kExitCodes[];               // the table of exit_code.h
extern const char kExamples[];                // of lockbench itself
extern const char kRunExamples[];             // of run
extern const char kPredictExamples[];         // of predict
extern const char kCalibrateExamples[];       // of calibrate-machine
extern const char kAdviseExamples[];          // of advise
extern const char kObserveExamples[];         // of observe
extern const char kSubstituteExamples[];      // of substitute
extern const char kCompareProgramExamples[];  // of compare-program
extern const char kStressExamples[];          // of stress
extern const char kMergeExamples[];           // of merge
extern const char kPresetExamples[];          // of preset
extern const char kSubmitExamples[];          // of submit
extern const char kListExamples[];            // of list
extern const char kDoctorExamples[];
extern const char kSchemaExamples[];  // of schema
extern const char kTrialExamples[];   // of trial

// The names of the models, and examples.
std::string model_help();

// The version, and the build with the versions of the libraries that it measures.
std::string version_text();

}  // namespace lockbench
