// SPDX-License-Identifier: Apache-2.0

// Published: what the authors of a system measured or claimed, to stand beside what a preset
// measures.
//
// A table: published columns as they were printed, then measured ones. What a measured cell shows
// follows from its row and its column together, so that neither repeats the other.
//
//   source = "a tutorial in Python, on an i7-1165G7"
//   note = "…"                                # below the table; may be left out
//   columns = ["published", "ideal"]          # of what was known beforehand
//
//   [[measured]]
//   title = "measured"
//   spare = true                              # goes first where lines are short; else it stays
//
//   [[row]]
//   title = "a lock per counter"
//   published = ["0.608 s", "0.600 s"]        # one for each of `columns`
//   figure = "makespan_s"                     # a column of trials.csv, or "outcome"
//   unit = "s"
//   where = {primitive = "keyed"}             # columns of trials.csv; primitive with parameters
//   against = "global"                        # under unit "% saved" or "times": another primitive
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace lockbench {

struct PublishedColumn {
  std::string title;
  std::map<std::string, std::string> where;
  bool spare = false;  // goes first where lines are short
};

struct PublishedRow {
  enum class Unit { kSeconds, kMilliseconds, kNanoseconds, kBytes, kCount, kShare, kSaved, kTimes };

  std::string title;
  std::vector<std::string> published;  // one for each of `columns`
  std::string figure;
  Unit unit = Unit::kCount;
  std::map<std::string, std::string> where;
  std::string against;  // kSaved and kTimes
};

struct Published {
  std::string source;
  std::string note;
  std::vector<std::string> columns;
  std::vector<PublishedColumn> measured;
  std::vector<PublishedRow> rows;
};

// Errors begin with `file_name:line:column:`.
absl::StatusOr<Published> parse_published(std::string_view toml, std::string_view file_name);

}  // namespace lockbench
