// SPDX-License-Identifier: Apache-2.0

// Command: one command of the program: its name and help, its flags, what is wrong with what was
// given, and what it does. Help, completion and dispatch know nothing else of it.
//
// Each folder of commands has a function that adds them, which the CMakeLists.txt of a program
// names (lockbench_add_program() in harness/program/CMakeLists.txt).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

// The purpose for which a person uses it: its heading in `lockbench --help`, in this order.
enum class CommandGroup {
  kMeasure,
  kDecide,
  kCheck,    // whether a lock is correct
  kProgram,  // a program that the person has
  kMachines,
  kUpkeep,
  kOnPath,  // of programs that others wrote
  kHidden,  // started by other commands alone
};

struct CommandText {
  std::string name;
  CommandGroup group = CommandGroup::kMeasure;
  std::string summary;  // one line
  // The text that --help prints after the flags. An example is a line that begins with two blanks
  // and `lockbench`. A user can copy each one unchanged.
  std::string footer = {};
};

// The command line, without the flags.
struct Invocation {
  std::string program;                    // this program, as it was called
  std::vector<std::string> words;         // all words; the first one is `lockbench`
  std::vector<std::string> rest;          // what a script parses itself
  std::vector<std::string> after_dashes;  // what follows `--`
};

class Command {
 public:
  explicit Command(CommandText text) : text_(std::move(text)) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  const CommandText& text() const { return text_; }

  // True if the words after `--` are another program's, or another command's.
  virtual bool takes_words_after_dashes() const { return false; }

  // True if a script parses the words after the command.
  virtual bool parses_itself() const { return false; }

  // Adds the flags, which the parser stores in this object (flags.h).
  virtual void add_flags(CLI::App&) {}

  // Called when the flags have been parsed. Takes over what it needs of the invocation, and returns
  // in one line what is wrong; empty if nothing is.
  virtual std::string complete(const CLI::App&, const Invocation&) { return {}; }

  // Returns the exit code.
  virtual int run(const Invocation& invocation) = 0;

 protected:
  // For a capability that adds to this command.
  void add_to_footer(const std::string& more) { text_.footer += more; }
  void set_footer(std::string footer) { text_.footer = std::move(footer); }

 private:
  CommandText text_;
};

using Commands = std::vector<std::unique_ptr<Command>>;

// The command of this type, for a capability that adds to it; null if it is not there. Of two
// folders of commands, the one that adds comes later.
template <class Entry>
Entry* find_command(const Commands& commands) {
  for (const std::unique_ptr<Command>& command : commands) {
    if (auto* const found = dynamic_cast<Entry*>(command.get())) return found;
  }
  return nullptr;
}

// A command whose options are of one type: parsed into `options`.
template <class Options>
class CommandWithOptions : public Command {
 public:
  using Command::Command;
  const Options& options() const { return options_; }

 protected:
  Options options_;
};

}  // namespace lockbench
