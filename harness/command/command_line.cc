// SPDX-License-Identifier: Apache-2.0

// The only file that includes CLI11, which takes seconds to compile.
#include "harness/command/command_line.h"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

#include "harness/command/help_texts.h"
#include "harness/command/one_line.h"
#include "harness/plan/nearest.h"
#include "harness/plan/quantity.h"
#include "harness/plan/spelling.h"
#include "harness/plan/sweep_fields.h"

namespace lockbench {
namespace {

constexpr int kUsage = 2;
constexpr int kStressUsage = 1;

const std::vector<std::string> kCommands{"run",  "advise", "stress", "plot",  "compare", "report",
                                         "list", "doctor", "model",  "trial", "plugin"};

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
void add_sweep_flags(CLI::App& run, Overrides& overrides) {
  for (const SweepField& field : sweep_fields()) {
    const std::string flag = flag_of(field.name);
    CLI::Option* const option =
        run.add_option_function<std::vector<std::string>>(
               flag,
               [&overrides, field, flag](const std::vector<std::string>& texts) {
                 for (const std::string& text : texts) {
                   require(field.add(overrides.sweep, text), flag);
                 }
               },
               std::string(field.wants))
            ->group("Cells (each replaces what the preset says; VALUE... may be given again)")
            ->type_name(field.axis ? "VALUE..." : "VALUE");
    // One value a flag: a primitive's own commas and a preset's name after it stay what they are.
    option->expected(1)->allow_extra_args(false)->multi_option_policy(
        field.axis ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
  }
}

void add_count(CLI::App& run, const std::string& flag, CountRange range, const std::string& help,
               const std::function<void(std::uint64_t)>& take) {
  run.add_option_function<std::string>(
         flag,
         [flag, range, take](const std::string& text) {
           const absl::StatusOr<std::uint64_t> count = parse_count(text, range);
           require(count.status(), flag);
           take(*count);
         },
         help)
      ->type_name("N");
}

void add_folder(CLI::App& run, const std::string& flag, const std::string& help,
                std::optional<std::filesystem::path>& folder) {
  run.add_option_function<std::string>(
         flag,
         [flag, &folder](const std::string& text) {
           if (text.empty()) throw CLI::ValidationError(flag, "no name given; name a folder");
           folder = text;
         },
         help)
      ->type_name("DIR");
}

// "2%" or "0.02".
absl::StatusOr<double> parse_share(std::string text) {
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.pop_back();
  const absl::StatusOr<double> number = parse_fraction(text, 0, percent ? 100 : 1);
  if (!number.ok() || *number == 0) {
    return absl::InvalidArgumentError("wants a share above 0, as 2% or 0.02");
  }
  return percent ? *number / 100 : *number;
}

void add_precision(CLI::App& run, RunOptions& options) {
  run.add_option_function<std::string>(
         "--precision",
         [&options](const std::string& text) {
           const absl::StatusOr<double> share = parse_share(text);
           require(share.status(), "--precision");
           options.precision = *share;
         },
         "Adds blocks where they are needed until each median is known to this share, as 2%")
      ->type_name("SHARE");
  run.add_option_function<std::string>(
         "--budget",
         [&options](const std::string& text) {
           const absl::StatusOr<Nanoseconds> budget = parse_duration(text);
           require(budget.status(), "--budget");
           options.budget = *budget;
         },
         "How long that may take, from the start [5min]")
      ->type_name("TIME")
      ->needs("--precision");
}

void add_section_format(CLI::App& command, const std::string& help, SectionFormat& format) {
  command
      .add_option_function<std::string>(
          "--format",
          [&format](const std::string& text) {
            const std::optional<SectionFormat> known = parse_section_format(text);
            if (!known) {
              throw CLI::ValidationError("--format",
                                         "'" + text + "' is none of text, json, csv, markdown");
            }
            format = *known;
          },
          help)
      ->type_name("FORMAT");
}

void add_progress(CLI::App& command, ProgressStyle& progress) {
  command
      .add_option_function<std::string>(
          "--progress",
          [&progress](const std::string& text) {
            const std::optional<ProgressStyle> style = parse_progress(text);
            if (!style) {
              throw CLI::ValidationError("--progress",
                                         "'" + text + "' is none of auto, bar, line, off");
            }
            progress = *style;
          },
          "auto (a bar on a terminal, else lines), bar, line or off")
      ->type_name("STYLE");
}

// A flag whose value `parse` understands.
template <class T>
CLI::Option* add_parsed(CLI::App& command, const std::string& flag, const std::string& type,
                        const std::string& help, absl::StatusOr<T> (*parse)(std::string_view),
                        const std::function<void(const T&)>& take) {
  return command
      .add_option_function<std::string>(
          flag,
          [flag, parse, take](const std::string& text) {
            const absl::StatusOr<T> value = parse(text);
            require(value.status(), flag.substr(0, flag.find(',')));
            take(*value);
          },
          help)
      ->type_name(type);
}

void add_case(CLI::App& advise, AdviceCase& wanted) {
  Cell& cell = wanted.cell;
  add_count(advise, "--threads", kThreadRange, "How many threads lock",
            [&cell](std::uint64_t n) { cell.threads = static_cast<std::uint32_t>(n); });
  add_count(advise, "--keys", kKeyRange, "How many keys there are",
            [&cell](std::uint64_t n) { cell.keys = n; });
  add_parsed<KeyDistribution>(
      advise, "--distribution,--key-distribution", "WORD",
      "How the threads choose: uniform, zipf:0.99, hot:0.1,0.9 or own [uniform]",
      parse_key_distribution, [&cell](const KeyDistribution& d) { cell.key_distribution = d; });
  add_parsed<KeyType>(advise, "--key-type", "TYPE", "u64 or string [u64]", parse_key_type,
                      [&cell](const KeyType& type) { cell.key_type = type; });
  add_parsed<Work>(advise, "--hold", "WORK",
                   "What is done inside: 0, 200ns, sleep:1ms or touch:8 (cache lines) [0]",
                   parse_work, [&cell](const Work& work) { cell.hold = work; });
  add_parsed<Work>(advise, "--think", "WORK", "And between two operations [0]", parse_work,
                   [&cell](const Work& work) { cell.think = work; });
  add_parsed<std::uint64_t>(advise, "--memory", "SIZE",
                            "At most so much for the locks, as 64KiB or 1MB", parse_bytes,
                            [&wanted](const std::uint64_t& n) { wanted.memory_bytes = n; });
  advise.add_flag("--fair", wanted.fair, "Rules out what starves threads, as measured");
}

void add_advise(CLI::App& app, AdviseOptions& options) {
  CLI::App* const advise =
      app.add_subcommand("advise", "Says which primitive suits one case, and how sure that is");
  advise->footer(kAdviseExamples);
  add_case(*advise, options.wanted);
  add_folder(*advise, "--run", "Answers from this run's nearest cells; measures nothing",
             options.run);
  add_parsed<Nanoseconds>(*advise, "--budget", "TIME", "How long it may measure [30s]",
                          parse_duration,
                          [&options](const Nanoseconds& budget) { options.budget = budget; });
  add_folder(*advise, "--out", "The folder of what it measures [results/runs/<time>-advise-<id>]",
             options.out);
  add_progress(*advise, options.progress);
  add_section_format(*advise, "text, json, csv or markdown [text]", options.format);
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* const run =
      app.add_subcommand("run", "Measures a preset, or the cells that flags name");
  run->footer(kRunExamples);
  run->add_option("preset", options.preset,
                  "Name of a preset (lockbench list presets) or a file ending in .toml")
      ->type_name("");
  add_count(
      *run, "--blocks", kBlockRange, "How often each cell is measured",
      [&options](std::uint64_t n) { options.overrides.blocks = static_cast<std::uint32_t>(n); });
  add_count(*run, "--seed", kSeedRange,
            "Draws keys and the order of trials; the same seed gives the same plan",
            [&options](std::uint64_t n) { options.overrides.seed = n; });
  add_precision(*run, options);
  add_folder(*run, "--out", "The run's folder [results/runs/<time>-<preset>-<id>]", options.out);
  add_folder(*run, "--resume", "Goes on with the run in this folder, by its own plan",
             options.resume);
  run->add_flag_callback(
      "--dry-run", [&options] { options.dry_run = true; },
      "Prints the plan, a trial a line, and how long it takes; measures nothing");
  add_progress(*run, options.progress);
  add_section_format(*run, "What is said at the end: text, json, csv or markdown [text]",
                     options.format);
  add_sweep_flags(*run, options.overrides);
}

void add_stress(CLI::App& app, StressOptions& options) {
  CLI::App* const stress = app.add_subcommand("stress", "Looks for a way to break a lock");
  stress->footer(kStressExamples);
  stress
      ->add_option("locks", options.suspects, "Locks to look into (lockbench stress --list) [all]")
      ->type_name("");
  stress
      ->add_option("--engine", options.engines,
                   "sim (every interleaving, simulated), real (threads) or proc (processes) [all]")
      ->type_name("ENGINE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  stress
      ->add_option_function<std::string>(
          "--budget",
          [&options](const std::string& text) {
            const absl::StatusOr<Nanoseconds> budget = parse_duration(text);
            require(budget.status(), "--budget");
            options.budget = *budget;
          },
          "How long it may take, all locks and engines together [60s]")
      ->type_name("TIME");
  add_count(*stress, "--seed", kSeedRange, "Draws what the locks are asked to do [1]",
            [&options](std::uint64_t n) { options.order.seed = n; });
  stress->add_flag("--self-test", options.self_test,
                   "Puts known broken locks before the engines: each must be convicted");
  stress->add_flag("--list", options.list, "Shows the locks, and which engines know them");
  stress
      ->add_option_function<std::string>(
          "--format",
          [&options](const std::string& text) {
            if (text != "text" && text != "json") {
              throw CLI::ValidationError("--format", "'" + text + "' is neither text nor json");
            }
            options.json = text == "json";
          },
          "text or json, a report a line [text]")
      ->type_name("FORMAT");
  add_count(*stress, "--threads", {.least = 1, .most = 64}, "real, proc: how many [4]",
            [&options](std::uint64_t n) { options.order.threads = static_cast<std::uint32_t>(n); });
  stress->add_option("--mode", options.order.mode, "real, proc: this mode alone [all in turn]")
      ->type_name("MODE");
  stress
      ->add_option("--client", options.order.client,
                   "sim: what the threads do, as 'L0 U | T0 U' (docs/stress.md) [drawn]")
      ->type_name("TEXT");
  stress
      ->add_option("--schedule", options.order.schedule,
                   "sim: who goes on when, as a report prints it; needs --client")
      ->type_name("TEXT");
  stress->add_option("--memory", options.order.memory, "sim: tso (as x86) or sequential [tso]")
      ->type_name("MODEL");
  add_count(*stress, "--preemptions", {.least = 0, .most = 16},
            "sim: small clients are explored whole up to so many [3]", [&options](std::uint64_t n) {
              options.order.preemptions = static_cast<std::uint32_t>(n);
            });
}

// A command whose flags are a script's own business.
void add_analysis(CLI::App& app, const std::string& name, const std::string& summary) {
  CLI::App* const command = app.add_subcommand(name, summary);
  command->prefix_command();
  command->set_help_flag();
}

void add_doctor(CLI::App& app, DoctorFormat& format) {
  CLI::App* const doctor =
      app.add_subcommand("doctor", "Says what here spoils a measurement, how, and what mends it");
  doctor->footer(kDoctorExamples);
  doctor
      ->add_option_function<std::string>(
          "--format",
          [&format](const std::string& text) {
            if (text != "text" && text != "json") {
              throw CLI::ValidationError("--format", "'" + text + "' is neither text nor json");
            }
            format = text == "json" ? DoctorFormat::kJson : DoctorFormat::kText;
          },
          "text or json [text]")
      ->type_name("FORMAT");
}

void add_path(CLI::App& command, const std::string& flag, const std::string& type,
              const std::string& help, std::optional<std::filesystem::path>& path) {
  command
      .add_option_function<std::string>(
          flag,
          [flag, &path](const std::string& text) {
            if (text.empty()) throw CLI::ValidationError(flag, "no name given; name a file");
            path = text;
          },
          help)
      ->type_name(type);
}

void add_model_numbers(CLI::App& model, ModelSpec& spec) {
  // The model says which numbers it can be built for, and which mean nothing to it.
  constexpr CountRange kAny = {.least = 0, .most = 1'000'000};
  const auto add = [&model](const std::string& flag, const std::string& help, auto& number) {
    add_count(model, flag, kAny, help,
              [&number](std::uint64_t n) { number = static_cast<std::uint32_t>(n); });
  };
  add("--threads", "Threads [3]", spec.threads);
  add("--keys", "Keys; of leases, shards [2; 1 shard]", spec.keys);
  add("--leases", "Leases of a shard, or random mutexes [2]", spec.leases);
  add("--stripes", "Stripes [2]", spec.stripes);
  add("--depth", "How often the owner of a reentrant lock may be inside [2]", spec.depth);
  model.add_flag("--nested", spec.nested, "Each thread holds one while it takes the next");
  model
      .add_option_function<std::string>(
          "--order",
          [&spec](const std::string& text) {
            spec.order = parse_order(text);
            if (!spec.order) {
              throw CLI::ValidationError("--order",
                                         "'" + text + "' is none of same, opposite, twice");
            }
          },
          "same, opposite (every second thread the other way round) or twice (a stripe that comes "
          "up twice is taken twice) [same]")
      ->type_name("ORDER");
}

void add_model(CLI::App& app, ModelOptions& options) {
  CLI::App* const model = app.add_subcommand(
      "model", "Searches the Petri net of a lock, or of a file, for what can go wrong");
  model->footer(model_help());
  model->add_option("primitive", options.spec.primitive, "A model from the list below")
      ->type_name("");
  add_model_numbers(*model, options.spec);
  add_path(*model, "--file", "FILE.pnml", "Reads the net from here instead", options.file);
  add_path(*model, "--trace,--replay", "FILE", "Holds these events, one a line, against the net",
           options.replay);
  model->add_flag("--conform", options.conform,
                  "Holds the lock itself, on simulated threads, against the net");
  model
      ->add_option("--lock", options.lock,
                   "With --conform: this lock of `lockbench stress --list` [the model's name]")
      ->type_name("LOCK");
  add_count(*model, "--seed", {.least = 0, .most = 4'000'000'000},
            "With --conform: draws what its threads do [1]",
            [&options](std::uint64_t n) { options.seed = n; });
  add_path(*model, "--draw", "FILE.svg", "Draws the net", options.draw);
  add_path(*model, "--film", "FILE",
           "Shows what goes wrong, or a tour, step by step: .html or .svg", options.film);
  add_path(*model, "--pnml", "FILE.pnml", "Writes the net for other tools", options.pnml);
  add_path(*model, "--promela", "FILE.pml", "Writes the net for the SPIN model checker",
           options.promela);
  model->add_flag("--unfolded", options.unfolded, "Tells threads in like states apart");
  add_count(*model, "--markings", {.least = 1, .most = 4'000'000'000},
            "How many markings may be kept, 20 to 80 bytes each [50 million]",
            [&options](std::uint64_t n) { options.most_markings = n; });
  model
      ->add_option_function<std::string>(
          "--budget",
          [&options](const std::string& text) {
            const absl::StatusOr<Nanoseconds> budget = parse_duration(text);
            require(budget.status(), "--budget");
            options.budget = *budget;
          },
          "How long the search may take [60s], or the lock is made to work [5s]")
      ->type_name("TIME");
}

// The commands that know locks by name. Whoever loads plug-ins is the children that these start.
void add_plugins(CLI::App& app, CommandLine& line) {
  for (const char* name : {"run", "advise", "stress", "list", "trial"}) {
    app.get_subcommand(name)
        ->add_option("--plugin", line.plugins,
                     "Locks of this plug-in, beside lockbench's own (docs/add-a-primitive.md)")
        ->type_name("FILE.so")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::App* const plugin =
      app.add_subcommand("plugin", "Says in JSON what a plug-in brings (others start this)");
  plugin->add_option("file", line.plugin, "The plug-in's file")->type_name("")->required();
  plugin->group("");
}

void add_commands(CLI::App& app, CommandLine& line) {
  app.name("lockbench");
  app.footer(kExamples);
  app.require_subcommand(1);
  add_run(app, line.run);
  add_advise(app, line.advise);
  add_stress(app, line.stress);
  add_analysis(app, "plot", "Draws pictures of a run beside its CSV");
  add_analysis(app, "compare", "Prints medians and ratios, within a run or between two");
  add_analysis(app, "report", "Makes one page of a run, or of several: what to use, and why");
  CLI::App* const list = app.add_subcommand("list", "Shows what can be named on the command line");
  list->footer(kListExamples);
  list->add_option("what", line.list_what, "primitives, workloads, presets or targets [all]")
      ->type_name("");
  add_doctor(app, line.doctor_format);
  add_model(app, line.model);
  CLI::App* const trial = app.add_subcommand(
      "trial", "Measures one trial: JSON in, JSON out (run starts one of these for each trial)");
  trial->footer(kTrialExamples);
  trial->add_option("--parent", line.trial_parent, "Ends when this process, its parent, does")
      ->type_name("PID");
  add_plugins(app, line);
}

const CLI::App& chosen(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands()[0];
}

// `lockbench run`, or `lockbench` before a command is understood.
std::string place(const CLI::App& app) {
  return app.get_subcommands().empty() ? "lockbench" : "lockbench " + chosen(app).get_name();
}

Reply wrong(const std::string& where, std::string_view what) {
  return {.exit_code = kUsage, .err = where + ": " + one_line(what) + "\n"};
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

// CLI11's own words for a flag's missing or repeated value are about numbers of arguments.
std::string explain_mismatch(const std::string& message) {
  const std::string flag = message.substr(0, message.find(':'));
  if (message.find("required but received") != std::string::npos) {
    return flag + ": given more than once; give it once";
  }
  return flag + ": no value given; write " + flag + " and a value after it";
}

// A resumed run has its plan already: only how it is shown can be chosen.
std::string explain_resume(const CLI::App& run) {
  for (const CLI::Option* option : run.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--resume" || name == "--progress" || name == "--format" ||
        name == "--plugin") {
      continue;
    }
    const std::string what = name == "preset" ? "the preset" : name;
    return "--resume: goes on with the plan of that run; leave out " + what +
           ", or start a new run without --resume";
  }
  return {};
}

std::string explain_run(const CLI::App& run, const RunOptions& options) {
  if (options.resume) return explain_resume(run);
  if (options.preset || options.overrides.sweep != Sweep{}) return {};
  return "nothing to measure was named; name a preset, as `lockbench run quick`, or cells, as "
         "`lockbench run --primitive keyed`";
}

std::string explain_advise(const CLI::App& advise, const AdviseOptions& options) {
  if (options.wanted.cell.threads == 0) {
    return "--threads: not given; say how many threads lock, as --threads 32";
  }
  if (options.wanted.cell.keys == 0) {
    return "--keys: not given; say how many keys there are, as --keys 10000";
  }
  if (!options.run) return {};
  for (const char* name : {"--budget", "--out", "--progress"}) {
    if (advise.get_option(name)->count() == 0) continue;
    return "--run: answers from that run and measures nothing; leave out " + std::string(name);
  }
  return {};
}

std::string explain_model(const CLI::App& model, const ModelOptions& options) {
  if (!options.conform) {
    for (const char* name : {"--lock", "--seed"}) {
      if (model.get_option(name)->count() != 0) {
        return std::string(name) + ": is about a lock that is held against the net; add --conform";
      }
    }
  } else if (options.replay) {
    return "--trace: is held against the net by itself; leave out --conform";
  } else if (options.file && options.lock.empty()) {
    return "--conform: say which lock the net of --file is of, as --lock keyed";
  }
  if (!options.file) {
    if (!options.spec.primitive.empty()) return {};
    return "no model was named; name one, as `lockbench model keyed`, or a net by --file";
  }
  for (const char* name : {"primitive", "--threads", "--keys", "--leases", "--stripes", "--depth",
                           "--nested", "--order"}) {
    if (model.get_option(name)->count() == 0) continue;
    return "--file: the net is what the file says; leave out " +
           (name[0] == '-' ? std::string(name) : "'" + options.spec.primitive + "'");
  }
  return {};
}

// What the parser could not make sense of, in one line.
Reply explain(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // What stands before the command is for lockbench itself, which has few flags.
    const std::vector<std::string> before = app.remaining();
    if (!before.empty()) {
      return wrong("lockbench",
                   explain_extra(app, before.front()) + "; a command's own flags go after it");
    }
    return wrong(place(app), explain_extra(chosen(app), app.remaining(true).front()));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return wrong(place(app), explain_mismatch(error.what()));
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    return wrong(place(app), error.what());  // our own words, see require()
  }
  return wrong(place(app), std::string(error.what()) + "; see " + place(app) + " --help");
}

Reply say(const CLI::App& app, const CLI::Success& wanted) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(wanted, out, err);
  return {.exit_code = code, .out = out.str(), .err = err.str()};
}

}  // namespace

std::variant<CommandLine, Reply> read_command_line(const std::vector<std::string>& words) {
  CommandLine line;
  line.run.program = words[0];
  line.run.words = words;
  line.run.words[0] = "lockbench";
  line.advise.program = words[0];
  line.advise.words = line.run.words;
  CLI::App app("Which way to lock by key suits a workload: measured here, on this machine.");
  app.set_version_flag("--version", version_text);
  add_commands(app, line);
  if (words.size() == 1) return Reply{.out = app.help()};

  if (!words[1].starts_with('-') &&
      std::find(kCommands.begin(), kCommands.end(), words[1]) == kCommands.end()) {
    return wrong("lockbench", std::string(unknown_name("command", words[1], kCommands).message()));
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::Success& wanted) {
    return say(app, wanted);
  } catch (const CLI::RequiredError&) {
    return wrong("lockbench", explain_extra(app, words[1]));  // a flag where a command should be
  } catch (const CLI::ParseError& error) {
    Reply reply = explain(app, error);
    // There, 2 says that a lock was convicted.
    if (chosen(app).get_name() == "stress") reply.exit_code = kStressUsage;
    return reply;
  }
  const CLI::App& command = chosen(app);
  line.command = command.get_name();
  line.rest = command.remaining();
  if (line.command == "run") {
    const std::string trouble = explain_run(command, line.run);
    if (!trouble.empty()) return wrong(place(app), trouble);
  }
  if (line.command == "advise") {
    const std::string trouble = explain_advise(command, line.advise);
    if (!trouble.empty()) return wrong(place(app), trouble);
  }
  if (line.command == "model") {
    const std::string trouble = explain_model(command, line.model);
    if (!trouble.empty()) return wrong(place(app), trouble);
  }
  return line;
}

}  // namespace lockbench
