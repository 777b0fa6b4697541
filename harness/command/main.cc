// lockbench: one primitive × one workload, measured in a process of its own, a row at a time.
//
//   run      preset ─▶ plan ─▶ trial, one child process each ─▶ row ─▶ trials.csv
//   trial    the child's side: a trial as JSON in, a sample as JSON out
//   list     what can be named
//   plot, compare   trials.csv ─▶ pictures, tables (Python)
//
// This file knows the command line and nothing else; it is the only one that includes CLI11.
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/command/analysis_command.h"
#include "harness/command/list_command.h"
#include "harness/command/run_command.h"
#include "harness/command/trial_command.h"
#include "harness/plan/nearest.h"
#include "harness/plan/quantity.h"
#include "harness/plan/sweep_fields.h"
#include "harness/record/build.h"

namespace lockbench {
namespace {

constexpr int kUsage = 2;

// CLI11 prints a ValidationError as `flag: message`.
void require(const absl::Status& status, const std::string& flag) {
  if (!status.ok()) throw CLI::ValidationError(flag, std::string(status.message()));
}

std::string flag_of(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// Every field of a sweep is a flag, as it is a key of a preset's file.
void add_sweep_flags(CLI::App& app, Overrides& overrides) {
  for (const SweepField& field : sweep_fields()) {
    const std::string flag = flag_of(field.name);
    CLI::Option* const option =
        app.add_option_function<std::vector<std::string>>(
               flag,
               [&overrides, field, flag](const std::vector<std::string>& texts) {
                 for (const std::string& text : texts) {
                   require(field.add(overrides.sweep, text), flag);
                 }
               },
               std::string(field.wants))
            ->group("Cells (each replaces what the preset says)")
            ->type_name(field.axis ? "VALUE..." : "VALUE");
    // One value a flag: a primitive's own commas and a preset's name after it stay what they are.
    option->expected(1)->multi_option_policy(field.axis ? CLI::MultiOptionPolicy::TakeAll
                                                        : CLI::MultiOptionPolicy::Throw);
  }
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* const run =
      app.add_subcommand("run", "Measures a preset, or the cells that flags name");
  run->footer(
      "Examples\n"
      "  lockbench run quick\n"
      "  lockbench run threads --primitive keyed --primitive keyed_table64 --threads 1,2,4..16\n"
      "  lockbench run --primitive striped:stripes=64 --workload accounts --key-type string \\\n"
      "                --keys 10000 --key-distribution zipf:0.99 --hold 2us\n"
      "  lockbench run --resume results/runs/20250131-120000-quick-1a2b");
  run->add_option("preset", options.preset,
                  "Name of a preset (`lockbench list presets`) or a file ending in .toml");
  run->add_option_function<std::string>(
         "--blocks",
         [&options](const std::string& text) {
           const absl::StatusOr<std::uint64_t> blocks = parse_count(text, kBlockRange);
           require(blocks.status(), "--blocks");
           options.overrides.blocks = static_cast<std::uint32_t>(*blocks);
         },
         "How often each cell is measured")
      ->type_name("N");
  run->add_option_function<std::string>(
         "--seed",
         [&options](const std::string& text) {
           const absl::StatusOr<std::uint64_t> seed = parse_count(text, kSeedRange);
           require(seed.status(), "--seed");
           options.overrides.seed = *seed;
         },
         "Draws keys and the order of trials; the same seed gives the same plan")
      ->type_name("N");
  CLI::Option* const out =
      run->add_option("--out", options.out, "The run's folder [results/runs/<time>-<preset>]")
          ->type_name("DIR");
  run->add_option("--resume", options.resume, "Goes on with the run in this folder")
      ->type_name("DIR")
      ->excludes(out);
  run->add_flag("--dry-run", options.dry_run, "Prints the plan, a trial a line, and its length");
  run->add_option_function<std::string>(
         "--progress",
         [&options](const std::string& text) {
           const std::optional<ProgressStyle> style = parse_progress(text);
           if (!style) {
             throw CLI::ValidationError("--progress",
                                        "'" + text + "' is none of auto, bar, line, off");
           }
           options.progress = *style;
         },
         "auto (a bar on a terminal, else lines), bar, line or off")
      ->type_name("STYLE");
  add_sweep_flags(*run, options.overrides);
}

// A command whose flags are a script's own business.
void add_analysis(CLI::App& app, const std::string& name, const std::string& summary) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command->prefix_command();
  command->set_help_flag();
}

std::string version_text() {
  const Build build = this_build();
  std::string text = "lockbench " + build.version;
  if (build.commit)
    text += " (" + *build.commit + (build.modified.value_or(false) ? "+" : "") + ")";
  text += "\n" + build.compiler + ", " + build.build_type + ", " + build.flags;
  for (const auto& [library, version] : build.libraries) text += "\n" + library + " " + version;
  return text;
}

// "unknown flag '--thread'; did you mean '--threads'?"
absl::Status explain_extras(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* const command = app.get_subcommands().empty() ? &app : app.get_subcommands()[0];
  std::vector<std::string> flags;
  for (const CLI::Option* option : command->get_options()) {
    if (!option->get_lnames().empty()) flags.push_back("--" + option->get_lnames()[0]);
  }
  for (const std::string& word : words) {
    const std::string flag = word.substr(0, word.find('='));
    if (!flag.starts_with("--")) continue;
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
      return unknown_name("flag", flag, flags);
    }
  }
  return absl::InvalidArgumentError("too many words on the command line");
}

int dispatch(const CLI::App& app, const RunOptions& options, const std::string& list_what) {
  const CLI::App* const command = app.get_subcommands()[0];
  const std::string& name = command->get_name();
  if (name == "run") return run_command(options);
  if (name == "trial") return trial_command(std::cin, std::cout, std::cerr);
  if (name == "list") return list_command(list_what, std::cout, std::cerr);
  return analysis_command(name, command->remaining());
}

int run_main(const std::vector<std::string>& words) {
  CLI::App app("Which way to lock by key suits a workload, and is a lock correct: measured here.");
  app.name("lockbench");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text);
  RunOptions options;
  options.words = words;
  options.words[0] = "lockbench";
  add_run(app, options);
  add_analysis(app, "plot", "Draws pictures of a run beside its CSV");
  add_analysis(app, "compare", "Prints medians and ratios, within a run or between two");
  std::string list_what;
  app.add_subcommand("list", "Shows what can be named on the command line")
      ->add_option("what", list_what, "primitives, workloads, presets or targets [all]");
  app.add_subcommand("trial", "Measures one trial: JSON in, JSON out (`run` calls this)");

  if (words.size() > 1 && !words[1].starts_with('-')) {
    const std::vector<std::string> commands{"run", "plot", "compare", "list", "trial"};
    if (std::find(commands.begin(), commands.end(), words[1]) == commands.end()) {
      std::cerr << "lockbench: " << unknown_name("command", words[1], commands).message() << '\n';
      return kUsage;
    }
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);
    app.parse(reversed);
  } catch (const CLI::ExtrasError&) {
    std::cerr << "lockbench: " << explain_extras(app, words).message() << '\n';
    return kUsage;
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::cerr << "lockbench: " << error.what() << "; see lockbench "
              << (words.size() > 1 ? words[1] + " " : "") << "--help\n";
    return kUsage;
  }
  return dispatch(app, options, list_what);
}

}  // namespace
}  // namespace lockbench

int main(int argc, char** argv) {
  return lockbench::run_main(std::vector<std::string>(argv, argv + argc));
}
