// SPDX-License-Identifier: Apache-2.0

// The catalog as lockbench-micro visits it: every entry, with the name that users type.
#pragma once

#include <map>
#include <string>

#include <absl/strings/str_cat.h>

#include "harness/bench/catalog/lines.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

// Calls visit(line, spec) for every entry; `spec` leaves out the default choices.
template <class Visit>
void for_each_line(Visit visit) {
  std::map<std::string, Listing> usual;  // by name: the first entry with that name
  const auto named = [&]<class P>(const Line<P>& line) {
    const Listing& first = usual.try_emplace(line.listing.name, line.listing).first->second;
    PrimitiveSpec spec{.name = line.listing.name, .parameters = {}};
    for (std::size_t i = 0; i < line.listing.choices.size(); ++i) {
      const Choice& choice = line.listing.choices[i];
      if (choice != first.choices[i]) spec.parameters[choice.parameter] = choice.value;
    }
    visit(line, spec);
  };
  visit_global(named);
  visit_keyed(named);
  visit_striped(named);
  visit_reentrant(named);
  visit_lease(named);
  visit_shared(named);
  visit_shared_peers(named);
}

// `striped:lock=std`
inline std::string text_of(const PrimitiveSpec& spec) {
  std::string text = spec.name;
  char before = ':';
  for (const auto& [parameter, value] : spec.parameters) {
    text += before;
    absl::StrAppend(&text, parameter, "=", value);
    before = ',';
  }
  return text;
}

// The default of every number.
inline Arguments usual_arguments(const Listing& listing, std::uint64_t keys) {
  Arguments arguments{.numbers = {}, .keys = keys};
  for (const Number& number : listing.numbers) arguments.numbers[number.parameter] = number.usual;
  return arguments;
}

}  // namespace lockbench
