// SPDX-License-Identifier: Apache-2.0

// Checks whether the preset of a place has the contention of the program: both were observed. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/observe/observation/observed_place.h"

namespace lockbench {

// A figure that differs by at most this factor is reproduced.
inline constexpr double kReproducedWithin = 1.5;

struct CheckedFigure {
  const char* name;
  double program = 0;
  double preset = 0;
  bool agrees = false;
};

struct ObservedCheck {
  std::vector<CheckedFigure> figures;
  bool negligible = false;  // hardly an acquisition waits, in both
  bool few_waits = false;   // too few to compare their quantiles

  bool agrees() const;
};

ObservedCheck check_of(const RecordedPlace& program, const RecordedPlace& preset);

std::string to_text(const ObservedCheck& check);

// The primitive of C++'s library that locks as the program does: a mutex for each key.
std::string primitive_like_the_program(const Cell& load);

}  // namespace lockbench
