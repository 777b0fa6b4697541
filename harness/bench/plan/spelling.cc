// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/spelling.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include "harness/base/names.h"
#include "harness/base/quantity.h"
#include "harness/bench/plan/core_pinning.h"

namespace lockbench {
namespace {

constexpr Named<Mode> kModes[] = {
    {"timed", Mode::kTimed}, {"fixed", Mode::kFixed}, {"open", Mode::kOpen}};
constexpr std::string_view kMicro = "micro";  // accepted in records, never suggested to users
constexpr Named<ArrivalKind> kArrivals[] = {{"poisson", ArrivalKind::kPoisson},
                                            {"fixed", ArrivalKind::kFixed}};
constexpr Named<bool> kWatches[] = {{"none", false}, {"conflicts", true}};
constexpr Named<KeyType> kKeyTypes[] = {{"u64", KeyType::kU64}, {"string", KeyType::kString}};
constexpr Named<Work::Kind> kWorkKinds[] = {
    {"none", Work::Kind::kNone},      {"spin", Work::Kind::kSpin},
    {"sleep", Work::Kind::kSleep},    {"touch", Work::Kind::kTouch},
    {"exp", Work::Kind::kRandomSpin}, {"sleep:exp", Work::Kind::kRandomSleep},
    {"mix", Work::Kind::kMixedSpin},  {"sleep:mix", Work::Kind::kMixedSleep}};
constexpr Named<KeyDistribution::Kind> kDistributions[] = {
    {"uniform", KeyDistribution::Kind::kUniform},
    {"zipf", KeyDistribution::Kind::kZipf},
    {"hot", KeyDistribution::Kind::kHot},
    {"assigned", KeyDistribution::Kind::kAssigned},
    {"own", KeyDistribution::Kind::kOwn}};

constexpr std::string_view kWorkHelp =
    "write 0, 200ns, spin:200ns, sleep:100ms, exp:1us, sleep:exp:1ms, mix:1us/5us or touch:8";
constexpr std::string_view kSaturated = "saturated";
constexpr std::string_view kSleeping = "sleep:";
constexpr std::string_view kPinningHelp =
    "write none, compact, scatter, one-core, kind:fast, kind:middle, kind:slow, mixed:2+2 (threads "
    "on the fastest kind and on the next) or a list of processors, as 0,2,4-7";
constexpr CountRange kLines{0, 65'536};
constexpr CountRange kProcessors{0, 8'191};
constexpr CountRange kAssignedCount{0, 0xffff'ffff};

// True if the text has only letters, digits and the given joints, so that it needs no quotes in a
// file, a shell or a table.
bool is_word(std::string_view text, std::string_view joints) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [joints](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
           joints.find(c) != std::string_view::npos;
  });
}

// `head:tail`; the tail is absent if there is no colon.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

absl::StatusOr<Work> timed_work(Work::Kind kind, std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration.ok()) return duration.status();
  if (duration->count() == 0) return Work{};
  return Work{.kind = kind, .duration = *duration};
}

absl::StatusOr<Work> mixed_work(Work::Kind kind, std::string_view text) {
  constexpr std::size_t kMost = 1024;
  Work work{.kind = kind, .mix = {}};
  for (const std::string_view part : split(text, '/')) {
    const auto duration = parse_duration(part);
    if (!duration.ok()) return duration.status();
    work.mix.push_back(*duration);
  }
  if (work.mix.size() > kMost) {
    return absl::InvalidArgumentError(
        absl::StrFormat("mix: %d times; write at most %d", work.mix.size(), kMost));
  }
  work.duration = std::accumulate(work.mix.begin(), work.mix.end(), Nanoseconds{0}) /
                  static_cast<std::int64_t>(work.mix.size());
  return work.duration.count() == 0 ? Work{} : work;
}

absl::StatusOr<Work> touching_work(std::string_view text) {
  const auto lines = parse_count(text, kLines);
  if (!lines.ok()) return lines.status();
  if (*lines == 0) return Work{};
  return Work{.kind = Work::Kind::kTouch, .lines = static_cast<std::uint32_t>(*lines)};
}

absl::StatusOr<KeyDistribution> parse_zipf(std::optional<std::string_view> tail) {
  KeyDistribution zipf{.kind = KeyDistribution::Kind::kZipf, .counts = {}};
  if (!tail) return zipf;
  const auto theta = parse_fraction(*tail, 0, 10);
  if (!theta.ok()) return theta.status();
  zipf.theta = *theta;
  return zipf;
}

absl::StatusOr<KeyDistribution> parse_hot(std::string_view tail) {
  const std::vector<std::string_view> pieces = split(tail, ',');
  if (pieces.size() == 2) {
    const auto fraction = parse_fraction(pieces[0], 0, 1);
    const auto share = parse_fraction(pieces[1], 0, 1);
    const auto inside = [](const auto& x) { return x.ok() && 0 < *x && *x < 1; };
    if (inside(fraction) && inside(share)) {
      return KeyDistribution{.kind = KeyDistribution::Kind::kHot,
                             .hot_fraction = *fraction,
                             .hot_share = *share,
                             .counts = {}};
    }
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "'hot:%s' wants a fraction of the keys and their share of the operations, each between 0 "
      "and 1, as hot:0.1,0.9",
      tail));
}

absl::StatusOr<KeyDistribution> parse_assigned(std::string_view tail) {
  KeyDistribution assigned{.kind = KeyDistribution::Kind::kAssigned, .counts = {}};
  for (const std::string_view piece : split(tail, ',')) {
    const auto count = parse_count(piece, kAssignedCount);
    if (!count.ok()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s; 'assigned' wants the operations of each key, as assigned:6,2,5",
                          std::string(count.status().message())));
    }
    assigned.counts.push_back(static_cast<std::uint32_t>(*count));
  }
  return assigned;
}

// `4` or `4-7`.
bool names_processors(std::string_view item) {
  const std::size_t dash = item.find('-');
  const auto first = parse_count(item.substr(0, dash), kProcessors);
  if (!first.ok() || dash == std::string_view::npos) return first.ok();
  const auto last = parse_count(item.substr(dash + 1), kProcessors);
  return last.ok() && *first <= *last;
}

}  // namespace

absl::StatusOr<PrimitiveSpec> parse_primitive(std::string_view text) {
  const auto [name, tail] = cut(text);
  if (name.find(',') != std::string_view::npos) {
    std::string repeated;
    for (const std::string_view one : split(name, ',')) {
      repeated += " --primitive " + std::string(one);
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' is more than one primitive; repeat the flag, as%s%s (in a preset: a list)", text,
        repeated, text.substr(name.size())));
  }
  if (!is_word(name, "_")) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' is not a primitive; write a name, or one with parameters, as striped:stripes=64",
        text));
  }
  PrimitiveSpec primitive{.name = std::string(name), .parameters = {}};
  if (!tail) return primitive;
  for (const std::string_view piece : split(*tail, ',')) {
    const std::size_t equals = std::min(piece.find('='), piece.size());
    const std::string_view parameter = piece.substr(0, equals);
    const std::string_view value = piece.substr(std::min(equals + 1, piece.size()));
    if (!is_word(parameter, "_") || !is_word(value, "_.+-")) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "'%s' in '%s' is not a parameter; write parameter=value, as striped:lock=std,stripes=64, "
          "and repeat the flag for another primitive",
          piece, text));
    }
    if (!primitive.parameters.emplace(parameter, value).second) {
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s' gives '%s' twice; give it once", text, parameter));
    }
  }
  return primitive;
}

std::string parameters_text(const PrimitiveSpec& primitive) {
  return absl::StrJoin(primitive.parameters, ",", absl::PairFormatter("="));
}

std::string to_text(const PrimitiveSpec& primitive) {
  if (primitive.parameters.empty()) return primitive.name;
  return primitive.name + ":" + parameters_text(primitive);
}

absl::StatusOr<WorkloadSpec> parse_workload(std::string_view text) {
  const auto [name, scenario] = cut(text);
  if (!is_word(name, "_") || (scenario && !is_word(*scenario, "_"))) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s' is not a workload; write a name, or one with its scenario, as "
                        "nested:mixed_lock_unlock",
                        text));
  }
  return WorkloadSpec{.name = std::string(name), .scenario = std::string(scenario.value_or(""))};
}

std::string to_text(const WorkloadSpec& workload) {
  return workload.scenario.empty() ? workload.name : workload.name + ":" + workload.scenario;
}

absl::StatusOr<Work> parse_work(std::string_view text) {
  const auto [head, tail] = cut(text);
  const bool kind_alone = !text.empty() && 'a' <= text[0] && text[0] <= 'z';
  if (!tail && !kind_alone) {
    return timed_work(Work::Kind::kSpin, text);
  }
  if (tail && head == "spin") return timed_work(Work::Kind::kSpin, *tail);
  if (tail && head == "exp") return timed_work(Work::Kind::kRandomSpin, *tail);
  if (tail && head == "mix") return mixed_work(Work::Kind::kMixedSpin, *tail);
  if (tail && head == "sleep") {
    const auto [inner, rest] = cut(*tail);
    if (rest && inner == "exp") return timed_work(Work::Kind::kRandomSleep, *rest);
    if (rest && inner == "mix") return mixed_work(Work::Kind::kMixedSleep, *rest);
    return timed_work(Work::Kind::kSleep, *tail);
  }
  if (tail && head == "touch") return touching_work(*tail);
  return absl::InvalidArgumentError(
      absl::StrFormat("'%s' is no kind of work; %s", text, kWorkHelp));
}

std::string to_text(Work::Kind kind) {
  return name_of(kWorkKinds, kind);
}

std::string to_text(const Work& work) {
  switch (work.kind) {
    case Work::Kind::kNone:
      return "0";
    case Work::Kind::kSpin:
      return to_text(work.duration);
    case Work::Kind::kTouch:
      return "touch:" + std::to_string(work.lines);
    case Work::Kind::kMixedSpin:
    case Work::Kind::kMixedSleep:
      return absl::StrCat(to_text(work.kind), ":",
                          absl::StrJoin(work.mix, "/", [](std::string* out, Nanoseconds time) {
                            absl::StrAppend(out, to_text(time));
                          }));
    case Work::Kind::kSleep:
    case Work::Kind::kRandomSpin:
    case Work::Kind::kRandomSleep:
      break;
  }
  return to_text(work.kind) + ":" + to_text(work.duration);
}

absl::StatusOr<std::optional<Load>> parse_load(std::string_view text) {
  if (text == kSaturated) return std::nullopt;
  Load load{.sleeps = text.starts_with(kSleeping)};
  const std::string_view share = load.sleeps ? text.substr(kSleeping.size()) : text;
  const absl::StatusOr<double> parsed = parse_share(share);
  if (!parsed.ok() || *parsed == 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' is not a load; write a share of the time above 0%%, up to 100%%, as 50%%, sleep:50%% "
        "(threads sleep between operations), or saturated",
        text));
  }
  load.share = *parsed;
  return load;
}

std::string to_text(const Load& load) {
  return std::string(load.sleeps ? kSleeping : "") + share_text(load.share);
}

std::string to_text(const std::optional<Load>& load) {
  return load ? to_text(*load) : std::string(kSaturated);
}

absl::StatusOr<KeyDistribution> parse_key_distribution(std::string_view text) {
  const auto [head, tail] = cut(text);
  const auto kind = parse_name("key distribution", head, kDistributions);
  if (!kind.ok()) return kind.status();
  switch (*kind) {
    case KeyDistribution::Kind::kZipf:
      return parse_zipf(tail);
    case KeyDistribution::Kind::kHot:
      return parse_hot(tail.value_or(""));
    case KeyDistribution::Kind::kAssigned:
      return parse_assigned(tail.value_or(""));
    case KeyDistribution::Kind::kUniform:
    case KeyDistribution::Kind::kOwn:
      break;
  }
  if (tail) {
    return absl::InvalidArgumentError(
        absl::StrFormat("'%s': %s has no parameter; write %s", text, head, head));
  }
  return KeyDistribution{.kind = *kind, .counts = {}};
}

std::string to_text(const KeyDistribution& distribution) {
  const std::string name = name_of(kDistributions, distribution.kind);
  switch (distribution.kind) {
    case KeyDistribution::Kind::kZipf:
      return name + ":" + to_text(distribution.theta);
    case KeyDistribution::Kind::kHot:
      return name + ":" + to_text(distribution.hot_fraction) + "," +
             to_text(distribution.hot_share);
    case KeyDistribution::Kind::kAssigned:
      return name + ":" + absl::StrJoin(distribution.counts, ",");
    case KeyDistribution::Kind::kUniform:
    case KeyDistribution::Kind::kOwn:
      break;
  }
  return name;
}

absl::StatusOr<double> parse_share(std::string_view text) {
  if (text == "0") return 0.0;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const absl::StatusOr<double> hundredths = parse_fraction(text, 0, 100);
  if (percent && hundredths.ok()) return *hundredths / 100;
  // A number without its sign is the best example of how to write it.
  const std::string_view example = !percent && hundredths.ok() && *hundredths >= 1 ? text : "1";
  return absl::InvalidArgumentError(absl::StrFormat(
      "'%s%s' is not a share; write 0 to 100 percent, as %s%%", text, percent ? "%" : "", example));
}

std::string share_text(double share) {
  // 7 / 100 * 100 is not 7: the digits that a user may have written are fewer.
  return absl::StrFormat("%.12g%%", share * 100);
}

absl::StatusOr<Mode> parse_mode(std::string_view text) {
  if (text == kMicro) return Mode::kMicro;
  return parse_name("mode", text, kModes);
}

std::string to_text(Mode mode) {
  return mode == Mode::kMicro ? std::string(kMicro) : name_of(kModes, mode);
}

absl::StatusOr<ArrivalKind> parse_arrivals(std::string_view text) {
  return parse_name("arrivals", text, kArrivals);
}

std::string to_text(ArrivalKind arrivals) {
  return name_of(kArrivals, arrivals);
}

absl::StatusOr<bool> parse_watch(std::string_view text) {
  return parse_name("watch", text, kWatches);
}

std::string watch_text(bool watch_conflicts) {
  return name_of(kWatches, watch_conflicts);
}

absl::StatusOr<KeyType> parse_key_type(std::string_view text) {
  return parse_name("key type", text, kKeyTypes);
}

std::string to_text(KeyType key_type) {
  return name_of(kKeyTypes, key_type);
}

absl::StatusOr<std::string> parse_pinning(std::string_view text) {
  constexpr std::array kNamed = {std::string_view("none"), std::string_view("compact"),
                                 std::string_view("scatter"), std::string_view("one-core")};
  if (std::find(kNamed.begin(), kNamed.end(), text) != kNamed.end()) return std::string(text);
  if (kind_named(text) || parse_mixed(text)) return std::string(text);
  const std::vector<std::string_view> items = split(text, ',');
  if (std::all_of(items.begin(), items.end(), names_processors)) return std::string(text);
  return absl::InvalidArgumentError(
      absl::StrFormat("'%s' is no way to pin threads; %s", text, kPinningHelp));
}

}  // namespace lockbench
