// SPDX-License-Identifier: Apache-2.0

// The catalog as lockbench-micro visits it: every entry, with the name that users type.
#pragma once

#include <cstdint>

#include "harness/bench/catalog/lines.h"
#include "harness/bench/catalog/usual_choices.h"
#include "harness/bench/plan/cell.h"

namespace lockbench {

// An entry with its type erased: what is done with it is compiled once.
struct AnyLine {
  PrimitiveSpec spec;  // leaves out the default choices
  const Listing& listing;
  AnyMaker maker;

  // The default of every number.
  Arguments usual_arguments(std::uint64_t keys) const {
    Arguments arguments{.numbers = {}, .keys = keys};
    for (const Number& number : listing.numbers) arguments.numbers[number.parameter] = number.usual;
    return arguments;
  }
};

inline PrimitiveSpec spec_of(const Listing& listing, UsualChoices& usual) {
  PrimitiveSpec spec{.name = listing.name, .parameters = {}};
  for (const Choice& choice : usual.without_usual(listing)) {
    spec.parameters[choice.parameter] = choice.value;
  }
  return spec;
}

// Calls visit.operator()<P>(line) for every entry.
template <class Visit>
void for_each_line(Visit visit) {
  UsualChoices usual;
  const auto erased = [&]<class P>(const Line<P>& line) {
    visit.template operator()<P>(
        AnyLine{spec_of(line.listing, usual), line.listing, any_maker(line)});
  };
  visit_global(erased);
  visit_keyed(erased);
  visit_striped(erased);
  visit_reentrant(erased);
  visit_lease(erased);
  visit_shared(erased);
  visit_shared_peers(erased);
}

}  // namespace lockbench
