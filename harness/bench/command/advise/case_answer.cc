// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/advise/case_answer.h"

#include "harness/base/json_fields.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {
namespace {

constexpr Named<QuestionKind> kKinds[] = {
    {"mutex", QuestionKind::kMutex},       {"readers", QuestionKind::kReaders},
    {"nested", QuestionKind::kNested},     {"several", QuestionKind::kSeveral},
    {"capacity", QuestionKind::kCapacity}, {"processes", QuestionKind::kProcesses},
    {"machines", QuestionKind::kMachines}};

}  // namespace

template <EitherConst<CaseAnswer> T, class Visit>
void json_fields(T& answer, Visit&& visit) {
  visit("title", answer.title);
  visit("kind", answer.kind, kKinds);
  visit("workload", answer.workload, parse_workload);
  visit("threads", answer.threads);
  visit("keys", answer.keys);
  visit("key_distribution", answer.key_distribution, parse_key_distribution);
  visit("hold", answer.hold, parse_work);
  visit("think", answer.think, parse_work);
  visit("writes", answer.write_share);
  visit("differences", answer.differences);
}

std::string to_json(const CaseAnswer& answer) {
  return internal::text_of(internal::json_of(answer));
}

absl::StatusOr<CaseAnswer> case_answer_from_json(std::string_view text) {
  const absl::StatusOr<internal::json> value = internal::parse_json(text, "case");
  if (!value.ok()) return value.status();
  return internal::read_record<CaseAnswer>(*value, "case", internal::Unlisted::kAccepted);
}

AdviceCase case_of(const CaseAnswer& answer) {
  AdviceCase wanted{.kind = answer.kind};
  wanted.cell.workload = answer.workload;
  wanted.cell.threads = answer.threads;
  wanted.cell.keys = answer.keys;
  wanted.cell.key_distribution = answer.key_distribution;
  wanted.cell.hold = answer.hold;
  wanted.cell.think = answer.think;
  wanted.cell.write_share = answer.write_share;
  wanted.think = answer.think;
  return wanted;
}

}  // namespace lockbench
