// SPDX-License-Identifier: Apache-2.0

// DebugInformation: the source lines and functions of addresses, according to the debug information
// of the files that are loaded there.
//
// Guarantees   Without debug information, or if lockbench was built without libdw, nothing is
//              found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

struct Dwfl;

namespace lockbench::stress {

struct SourceLine {
  std::string file;
  int number = 0;
};

// A program or library in memory.
struct LoadedFile {
  std::string path;
  std::uint64_t bias = 0;  // an address in memory minus the address in the file
};

class DebugInformation {
 public:
  // The information of files that another process has loaded, or had.
  explicit DebugInformation(std::span<const LoadedFile> files);
  ~DebugInformation();
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  // The information of what this process has loaded now. To read it takes a tenth of a second or
  // more: it is read again only if another library was loaded since.
  static const DebugInformation& of_this_process();

  // Innermost first: an address in inlined functions has one line in each of them. Known addresses
  // are remembered: the first question reads all functions of a source, which takes milliseconds.
  // One thread at a time.
  std::vector<SourceLine> lines_at(std::uint64_t address) const;

  // The function that contains the address, as the compiler named it, from the table of symbols.
  // Empty if there is none.
  std::string function_at(std::uint64_t address) const;

 private:
  DebugInformation();

  std::vector<SourceLine> read_lines(std::uint64_t address) const;

  Dwfl* session_ = nullptr;
  mutable std::unordered_map<std::uint64_t, std::vector<SourceLine>> lines_;  // by address
};

}  // namespace lockbench::stress
