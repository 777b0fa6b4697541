// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/possible_traces.h"

#include <algorithm>
#include <iterator>

namespace lockbench::stress::processes {
namespace {

using SeenDeed = stress::Deed;

// One who was killed.
struct Victim {
  std::uint32_t process = 0;
  std::size_t end = 0;                  // the record after which it dies
  std::optional<std::size_t> last;      // the last record of its own
  std::uint32_t holds = 0;              // seen so
  std::optional<std::uint32_t> wanted;  // the act in which it was killed

  // Whether it may have held one more than is seen.
  bool is_unsure(const std::vector<Record>& records) const {
    return wanted || (last && records[*last].kind == Record::kLetsGo);
  }
};

std::vector<Victim> victims_in(const std::vector<Record>& records,
                               const std::vector<std::optional<std::uint32_t>>& wanted) {
  std::vector<Victim> victims;
  for (const Record& record : records) {
    if (record.kind != Record::kDoomed) continue;
    victims.push_back({.process = record.process, .wanted = wanted[record.process]});
  }
  for (Victim& victim : victims) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].process != victim.process) continue;
      victim.end = i;
      if (records[i].kind == Record::kDoomed) continue;
      victim.last = i;
      victim.holds += records[i].kind == Record::kTakes ? 1 : -1;
    }
  }
  return victims;
}

class Reader {
 public:
  Reader(const std::vector<Record>& records, const LitmusProgram& program)
      : records_(records), program_(program) {}

  // Bit i of `unusual`: `unsure[i]` held what it was not seen to hold.
  std::vector<SeenDeed> read(const std::vector<Victim>& victims, const std::vector<Victim>& unsure,
                             std::size_t unusual) const {
    std::vector<Victim> late;  // took what nobody took after them
    std::vector<Victim> usual = victims;
    std::vector<bool> left_out(records_.size());
    for (std::size_t i = 0; i < unsure.size(); ++i) {
      if ((unusual >> i & 1) == 0) continue;
      const auto victim = std::find_if(usual.begin(), usual.end(), [&](const Victim& v) {
        return v.process == unsure[i].process;
      });
      if (victim->wanted) {
        late.push_back(*victim);
        usual.erase(victim);
      } else {
        left_out[*victim->last] = true;
        ++victim->holds;
      }
    }
    return told(usual, late, left_out);
  }

 private:
  std::vector<SeenDeed> told(const std::vector<Victim>& usual, const std::vector<Victim>& late,
                             const std::vector<bool>& left_out) const {
    std::vector<SeenDeed> deeds;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      if (record.kind != Record::kDoomed && !left_out[i]) {
        deeds.push_back(deed(record.kind == Record::kTakes ? SeenDeed::kTakes : SeenDeed::kLetsGo,
                             record.process, record.act));
      }
      for (const Victim& victim : usual) {
        if (victim.end == i && victim.holds != 0) deeds.push_back(death(victim));
      }
    }
    for (const Victim& victim : late) {
      deeds.push_back(deed(SeenDeed::kTakes, victim.process, *victim.wanted));
      deeds.push_back(death(victim));
    }
    return deeds;
  }

  SeenDeed deed(SeenDeed::Kind kind, std::uint32_t process, std::uint32_t act) const {
    return {.kind = kind, .thread = process, .keys = keys_of(program_.threads[process][act])};
  }
  static SeenDeed death(const Victim& victim) {
    return {.kind = SeenDeed::kDies, .thread = victim.process};
  }

  const std::vector<Record>& records_;
  const LitmusProgram& program_;
};

}  // namespace

std::vector<std::vector<SeenDeed>> possible_traces(
    const std::vector<Record>& records, const std::vector<std::optional<std::uint32_t>>& wanted,
    const LitmusProgram& program) {
  const std::vector<Victim> victims = victims_in(records, wanted);
  std::vector<Victim> unsure;
  std::copy_if(victims.begin(), victims.end(), std::back_inserter(unsure),
               [&](const Victim& victim) { return victim.is_unsure(records); });
  if (unsure.size() > kMostRead) unsure.resize(kMostRead);
  std::vector<std::vector<SeenDeed>> possible;
  for (std::size_t unusual = 0; unusual < std::size_t{1} << unsure.size(); ++unusual) {
    possible.push_back(Reader(records, program).read(victims, unsure, unusual));
  }
  return possible;
}

}  // namespace lockbench::stress::processes
