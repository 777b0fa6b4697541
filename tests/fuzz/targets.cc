// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/targets.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "harness/base/printable.h"
#include "harness/bench/plan/expand.h"
#include "harness/bench/plan/json.h"
#include "harness/bench/plan/preset_file.h"
#include "harness/bench/plan/spelling.h"
#include "harness/bench/record/csv.h"
#include "harness/bench/record/meta.h"
#include "harness/bench/record/recovery.h"
#include "harness/bench/record/sample_json.h"
#include "harness/bench/record/schema.h"
#include "tests/fuzz/properties.h"
#include "tests/record/example_run.h"

namespace lockbench::fuzz {
namespace {

void fuzz_csv(std::string_view text) {
  const auto csv = parse_csv(text, "f.csv");
  if (!accepted(csv)) return;
  require(csv->torn == (csv->whole_bytes < text.size()), "what follows the records is torn");
  std::string printed;
  for (const CsvRecord& record : csv->records) printed += csv_record(record.fields);
  const auto again = parse_csv(printed, "f.csv");
  require(again.ok() && again->records.size() == csv->records.size(), "printed records are read");
  for (std::size_t i = 0; i < csv->records.size(); ++i) {
    require(again->records[i].fields == csv->records[i].fields, "fields come back as they were");
  }
}

Seeds csv_seeds() {
  return {"a,b\n1,\"2,\"\"3\"\r\n", csv_record(trial_header())};
}

void fuzz_trials(std::string_view text) {
  const auto found = recover_trials(text, "trials.csv", kExampleRun, example_meta().plan);
  if (!accepted(found)) return;
  require(found->torn.find('\n') == std::string::npos, "a torn record is within one line");
  require(found->whole_bytes + found->torn.size() == text.size(), "nothing else is removed");
  require(found->done.size() <= 3 && found->done.size() <= found->attempts.size(),
          "trials are ours");
  auto again = recover_trials(text.substr(0, found->whole_bytes), "trials.csv", kExampleRun,
                              example_meta().plan);
  require(again.ok() && again->done == found->done && again->torn.empty(), "a repair is final");
}

Seeds trials_seeds() {
  const std::string text = trials_text({example_row(0), example_row(1), example_row(2)});
  return {text, text + "1,torn"};
}

void fuzz_latency(std::string_view text) {
  const std::set<AttemptId> attempts{{.trial = 0, .attempt = 0}, {.trial = 1, .attempt = 0}};
  const auto found = recover_latency(text, "latency.csv", kExampleRun, attempts);
  if (!accepted(found)) return;
  require((found->removed_rows == 0) == found->removed.empty(), "what is removed is counted");
  const auto again = recover_latency(found->text, "latency.csv", kExampleRun, attempts);
  require(again.ok() && again->text == found->text && again->removed.empty(), "a repair is final");
}

Seeds latency_seeds() {
  std::string text = csv_record(latency_header());
  for (const std::uint32_t trial : {0, 1, 2}) text += latency_records(example_row(trial));
  return {text};
}

void fuzz_sample(std::string_view text) {
  require_round_trip(text, parse_sample, sample_text);
}

Seeds sample_seeds() {
  return {sample_text(full_sample()), sample_text({.outcome = Outcome::kCrashed})};
}

void fuzz_meta(std::string_view text) {
  require_round_trip(
      text, [](std::string_view meta) { return parse_meta(meta, "meta.json"); }, meta_text);
}

Seeds meta_seeds() {
  return {meta_text(example_meta())};
}

// How many trials the sweeps of a preset come to.
std::size_t trials_of(const Preset& preset) {
  std::size_t cells = 0;
  for (const Sweep& sweep : preset.sweeps) {
    std::size_t product = preset.blocks;
    for (const std::size_t values :
         {sweep.primitives.size(), sweep.workloads.size(), sweep.threads.size(), sweep.keys.size(),
          sweep.key_types.size(), sweep.key_distributions.size(), sweep.holds.size(),
          sweep.thinks.size(), sweep.pinnings.size(), sweep.timeouts.size(), sweep.rates.size()}) {
      product = std::min<std::size_t>(product, kMostTrials) * std::max<std::size_t>(values, 1);
    }
    cells += product;
  }
  return cells;
}

// A preset is never printed; the plan that it expands to is.
void fuzz_preset(std::string_view text) {
  constexpr std::size_t kFew = 100;  // a plan of more takes too long here
  const absl::StatusOr<Preset> preset = parse_preset(text, "f.toml");
  if (!accepted(preset) || trials_of(*preset) > kFew) return;
  const absl::StatusOr<Plan> plan = expand(*preset, [](const Cell&) { return CellTraits{}; });
  if (!accepted(plan)) return;
  const absl::StatusOr<Plan> again =
      internal::plan_from(nlohmann::json::parse(to_json(*plan)), "plan");
  require(again.ok() && *again == *plan, "a plan comes back as it was");
}

Seeds preset_seeds() {
  return {
      "title = \"x\"\nblocks = 3\n[[sweep]]\nprimitive = [\"keyed\", \"striped:stripes=8\"]\n"
      "threads = [1, 2]\nhold = \"200ns\"\nmode = \"timed\"\nwindow = \"10ms\"\n",
      "[@x]"};
}

template <class T>
void fuzz_word(std::string_view text, absl::StatusOr<T> (*parse)(std::string_view)) {
  require_round_trip(text, parse, [](const T& value) { return to_text(value); });
}

void fuzz_spelling(std::string_view text) {
  fuzz_word(text, parse_primitive);
  fuzz_word(text, parse_workload);
  fuzz_word(text, parse_work);
  fuzz_word(text, parse_key_distribution);
  fuzz_word(text, parse_mode);
  fuzz_word(text, parse_arrivals);
  fuzz_word(text, parse_key_type);
  accepted(parse_pinning(text));
}

Seeds spelling_seeds() {
  return {"striped:lock=std,stripes=64",
          "nested:mixed_lock_unlock",
          "sleep:20ms",
          "zipf:0.99",
          "0,2,4-7",
          "poisson",
          "touch:4",
          "spin:200ns"};
}

void fuzz_printable(std::string_view text) {
  const std::string shown = printable(text);
  require(printable(shown) == shown, "what is printable stays as it is");
  require(shown.find_first_of("\n\r\x1b") == std::string::npos, "it is one harmless line");
  const std::string short_one = clipped(shown, 40);
  require(short_one.size() <= 40 + 60, "what is clipped is short");
}

Seeds printable_seeds() {
  return {"a\x1b[2J\u202e\xff\u9501 b"};
}

}  // namespace

std::vector<Target> all_targets() {
  std::vector<Target> targets{
      {"csv", fuzz_csv, csv_seeds},
      {"trials", fuzz_trials, trials_seeds},
      {"latency", fuzz_latency, latency_seeds},
      {"sample", fuzz_sample, sample_seeds},
      {"meta", fuzz_meta, meta_seeds},
      {"preset", fuzz_preset, preset_seeds},
      {"spelling", fuzz_spelling, spelling_seeds},
      {"printable", fuzz_printable, printable_seeds},
  };
  for (const Target& target : program_targets()) targets.push_back(target);
  for (const Target& target : added_targets()) targets.push_back(target);
  return targets;
}

}  // namespace lockbench::fuzz
