// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command_line.h"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

#include "harness/cli/command_flags.h"
#include "harness/cli/flags.h"
#include "harness/cli/help_texts.h"
#include "harness/plan/nearest.h"
#include "harness/plan/printable.h"
#include "harness/terminal/exit_code.h"

namespace lockbench {
namespace {

const std::vector<std::string> kCommands{"run",       "advise",     "stress",
                                         "plot",      "compare",    "report",
                                         "regret",    "gate",       "ab",
                                         "list",      "doctor",     "model",
                                         "schema",    "trial",      "plugin",
                                         "help",      "merge",      "submit",
                                         "predict",   "preset",     "calibrate-machine",
                                         "observe",   "substitute", "compare-program",
                                         "flamegraph"};

// A command whose flags are defined and parsed by its script.
void add_analysis(CLI::App& app, const std::string& name, const std::string& summary) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command->prefix_command();
  command->set_help_flag();
}

void add_schema(CLI::App& app, bool& markdown) {
  CLI::App& schema =
      add_command(app, "schema", "Prints the columns of a run's tables: names, units, meanings",
                  kSchemaExamples);
  add_choice(schema, {.names = "--format", .type = "FORMAT", .help = "json or markdown [json]"},
             {{"json", false}, {"markdown", true}}, markdown);
}

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App& list = add_command(
      app, "list", "Lists primitives, workloads, presets, targets and machines", kListExamples);
  add_text(list,
           {.names = "what",
            .type = "",
            .help = "primitives, workloads, presets, targets or machines [all]"},
           options.what);
  add_value(
      list,
      {.names = "--show", .type = "NAME", .help = "Prints the TOML of a preset (with presets)"},
      [&options](const std::string& name) {
        options.show = name;
        return name.empty()
                   ? absl::InvalidArgumentError("'' is no preset; see lockbench list presets")
                   : absl::OkStatus();
      });
  add_text_or_json(list, "text or json [text]", options.json);
}

void add_trial(CLI::App& app, TrialOptions& options) {
  CLI::App& trial = add_command(
      app, "trial", "Measures one trial: JSON in, JSON out (run starts one for each trial)",
      kTrialExamples);
  trial.add_option("--parent", options.parent, "Ends when this process, its parent, ends")
      ->type_name("PID");
  trial.add_flag("--try", options.only_try, "Creates the primitive, and measures nothing");
  add_path(trial,
           {.names = "--flamegraph",
            .type = "FILE.svg",
            .help = "Also draws where the processor time went; needs perf and Python"},
           options.flamegraph);
}

std::string validate_trial(const TrialOptions& options) {
  if (!options.flamegraph) return {};
  if (options.only_try) return "--flamegraph: --try measures nothing; leave one of them out";
  if (options.flamegraph->extension() == ".svg") return {};
  return "--flamegraph: '" + options.flamegraph->string() + "' does not end in .svg";
}

// `help run` is `run --help`; see words_without_help().
void add_help(CLI::App& app) {
  app.add_subcommand("help", "Prints the flags and examples of a command")->prefix_command();
}

// For the commands that accept names of locks. The child processes that they start load the
// plug-ins.
void add_plugin_flag(CLI::App& app, CommandLine& line) {
  for (const char* name : {"run", "predict", "advise", "stress", "list", "trial"}) {
    add_texts(*app.get_subcommand(name),
              {.names = "--plugin",
               .type = "FILE.so",
               .help = "Adds the locks of this plug-in (docs/add-a-primitive.md)"},
              line.plugins);
  }
  CLI::App* const plugin =
      app.add_subcommand("plugin", "Lists the contents of a plug-in as JSON (for other commands)");
  plugin->add_option("file", line.plugin, "The plug-in's file")->type_name("")->required();
  plugin->group("");
}

void add_commands(CLI::App& app, CommandLine& line) {
  app.name("lockbench");
  app.footer(std::string(kExamples) + "\n" + kExitCodes);
  app.require_subcommand(1);
  add_run(app, line.run);
  add_predict(app, line.predict);
  add_calibrate(app, line.calibrate);
  add_advise(app, line.advise);
  add_observe(app, line.observe);
  add_substitute(app, line.substitute);
  add_compare_program(app, line.compare_program);
  add_stress(app, line.stress);
  add_analysis(app, "plot", "Draws the pictures of a run next to its CSV");
  add_analysis(app, "compare", "Prints medians and ratios, within a run, between two, by machine");
  add_analysis(app, "report",
               "Makes one page of one or more runs: which primitive to use, and why");
  add_analysis(app, "regret", "Shows the cost of one primitive for all cells, on all machines");
  add_analysis(app, "gate", "Fails if a run is slower than a baseline, for CI");
  add_analysis(app, "ab", "Compares two versions of a lock, measured in turn");
  add_analysis(app, "flamegraph", "Draws where the processor time of a run's trial goes");
  add_merge(app, line.merge);
  add_submit(app, line.submit);
  add_list(app, line.list);
  add_preset(app, line.preset);
  add_doctor(app, line.doctor);
  add_model(app, line.model);
  add_schema(app, line.schema_markdown);
  add_trial(app, line.trial);
  add_help(app);
  add_plugin_flag(app, line);
}

const CLI::App& chosen(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands()[0];
}

// `lockbench run`, or `lockbench` if no command was recognized.
std::string place(const CLI::App& app) {
  return app.get_subcommands().empty() ? "lockbench" : "lockbench " + chosen(app).get_name();
}

Reply wrong_at(const std::string& where, std::string_view what) {
  return {.exit_code = kBadInput, .err = where + ": " + printable(what) + "\n"};
}

Reply wrong(const CLI::App& app, std::string_view what) {
  return wrong_at(place(app), what);
}

// "unknown flag '--thread'; did you mean '--threads'?"
std::string explain_extra(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-')) {
    return "unexpected word '" + word + "'; see lockbench " +
           (command.get_name() == "lockbench" ? "" : command.get_name() + " ") + "--help";
  }
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) flags.push_back("--" + option->get_lnames()[0]);
  }
  return std::string(unknown_name("flag", word.substr(0, word.find('=')), flags).message());
}

// CLI11's own messages for a missing or repeated value are about numbers of arguments.
std::string explain_mismatch(const std::string& message) {
  const std::string flag = message.substr(0, message.find(':'));
  if (message.find("required but received") != std::string::npos) {
    return flag + ": given more than once; give it once";
  }
  return flag + ": no value given; write " + flag + " and a value after it";
}

// Finds the errors that the parser cannot detect.
std::string validate(const CLI::App& command, const CommandLine& line) {
  if (line.command == "run") return validate_run(command, line.run);
  if (line.command == "predict") return validate_predict(command, line.predict);
  if (line.command == "calibrate-machine") return validate_calibrate(command, line.calibrate);
  if (line.command == "advise") return validate_advise(command, line.advise);
  if (line.command == "observe") return validate_observe(line.observe);
  if (line.command == "substitute") return validate_substitute(line.substitute);
  if (line.command == "compare-program") return validate_compare_program(line.compare_program);
  if (line.command == "stress") return validate_stress(line.stress);
  if (line.command == "merge") return validate_merge(line.merge);
  if (line.command == "submit") return validate_submit(command, line.submit);
  if (line.command == "preset") return validate_preset(line.preset);
  if (line.command == "doctor") return validate_doctor(command, line.doctor);
  if (line.command == "model") return validate_model(command, line.model);
  if (line.command == "trial") return validate_trial(line.trial);
  return {};
}

// Explains in one line what the parser did not accept.
Reply explain(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // Flags before the command belong to lockbench itself, which has few of them.
    const std::vector<std::string> before = app.remaining();
    if (!before.empty()) {
      return wrong_at("lockbench",
                      explain_extra(app, before.front()) + "; a command's own flags go after it");
    }
    return wrong(app, explain_extra(chosen(app), app.remaining(true).front()));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return wrong(app, explain_mismatch(error.what()));
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    return wrong(app, error.what());  // our own words, see flags.cc
  }
  return wrong(app, std::string(error.what()) + "; see " + place(app) + " --help");
}

Reply say(const CLI::App& app, const CLI::Success& wanted) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(wanted, out, err);
  return {.exit_code = code, .out = out.str(), .err = err.str()};
}

std::vector<std::string> words_without_help(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "help") return words;
  if (words.size() == 2) return {words[0]};
  return {words[0], words[2], "--help"};
}

// The words after `--`: of `submit` the flags for `run`, of the others the user's program. They are
// not parsed here. CLI11 would treat them as flags of lockbench itself.
std::vector<std::string> cut_words_of_another(std::vector<std::string>& words) {
  const std::vector<std::string> those{"submit", "observe", "substitute", "compare-program"};
  if (words.size() < 2 || std::find(those.begin(), those.end(), words[1]) == those.end()) return {};
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return {};
  std::vector<std::string> cut(mark + 1, words.end());
  words.erase(mark, words.end());
  return cut;
}

}  // namespace

std::variant<CommandLine, Reply> read_command_line(const std::vector<std::string>& typed) {
  std::vector<std::string> words = words_without_help(typed);
  CommandLine line;
  line.run.program = words[0];
  line.run.words = words;
  line.run.words[0] = "lockbench";
  line.advise.program = words[0];
  line.predict.program = words[0];
  line.merge.program = words[0];
  line.submit.program = words[0];
  line.advise.words = line.run.words;
  line.predict.words = line.run.words;
  CLI::App app("Measures on this machine which lock by key suits a workload.");
  app.set_version_flag("--version", version_text);
  add_commands(app, line);
  if (words.size() == 1) return Reply{.out = app.help()};

  if (!words[1].starts_with('-') &&
      std::find(kCommands.begin(), kCommands.end(), words[1]) == kCommands.end()) {
    return wrong(app, std::string(unknown_name("command", words[1], kCommands).message()));
  }
  const std::vector<std::string> of_another = cut_words_of_another(words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::Success& wanted) {
    return say(app, wanted);
  } catch (const CLI::RequiredError&) {
    return wrong(app, explain_extra(app, words[1]));  // a flag where a command should be
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  const CLI::App& command = chosen(app);
  line.command = command.get_name();
  line.rest = command.remaining();
  if (line.command == "submit") {
    line.submit.words.insert(line.submit.words.end(), of_another.begin(), of_another.end());
  }
  line.observe.command = line.substitute.command = line.compare_program.command = of_another;
  const std::string error = validate(command, line);
  if (error.empty()) return line;
  return wrong(app, error);
}

}  // namespace lockbench
