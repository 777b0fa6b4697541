// SPDX-License-Identifier: Apache-2.0

// Closing: what `lockbench run` says of a finished run. Pure.
//
// A list of sections (section.h), the standings of the most telling groups of cells first. To say
// something more of a run, add a section to closing_sections(): it is then there in all formats.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/command/run/section.h"
#include "harness/command/run/summary.h"
#include "harness/command/run/tally.h"
#include "harness/plan/cell.h"
#include "harness/record/measurement.h"

namespace lockbench {

// All that is to be said of the run; where people read, those that are telling.
std::vector<Section> closing_sections(const Plan& plan, std::span<const Measurement> measurements);

// One group: a row for each primitive, best first.
Section standings_section(const CellGroup& group);

// How to read the marks and figures of standings; those that do not occur are left out.
std::vector<std::string> standings_legend(std::span<const CellGroup> groups);

// What a run was and where it is, beside its sections.
struct RunClosing {
  std::string folder;
  std::string program;  // as it was called, for what is to be typed next
  Tally tally;
  std::vector<Section> sections;
};

struct ClosingWords {
  std::string out;  // for standard output: nothing but the format asked for
  std::string err;  // for standard error: what else is to be said
};

ClosingWords closing_words(const RunClosing& closing, SectionFormat format, const TextStyle& style);

}  // namespace lockbench
