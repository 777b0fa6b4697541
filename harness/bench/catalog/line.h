// SPDX-License-Identifier: Apache-2.0

// Line: one primitive of the catalog, with its name, its parameters, its type and the function that
// makes it.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/plan/cell.h"

namespace lockbench {

// A parameter whose value chooses the type: `lock=std` in `striped:lock=std,stripes=64`.
struct Choice {
  std::string parameter;
  std::string value;

  bool operator==(const Choice&) const = default;
};

// A parameter that is a number: `stripes=64`.
struct Number {
  std::string parameter;
  std::uint64_t usual = 1;  // the value if the user gives none
  std::uint64_t least = 1;
  std::uint64_t most = 1;
  std::string meaning;
  bool holders_of_a_key = false;  // this number of threads may hold one key at once
  bool servers = false;           // the primitive uses this number of servers of its service
};

// The part of an entry that users see. If several entries share a name, the first one has the
// default choices.
struct Listing {
  std::string name;
  std::string summary;
  std::string origin = "lockbench";  // the author of the algorithm
  std::vector<Choice> choices;
  std::vector<Number> numbers;
  std::string service;  // the service that it needs: `redis`; empty: none
};

// The values that a primitive is made from.
struct Arguments {
  std::map<std::string, std::uint64_t> numbers;
  std::uint64_t keys = 1;  // of the cell: keys are 0 to keys - 1

  std::uint64_t operator[](const std::string& parameter) const { return numbers.at(parameter); }
};

// Calls visit.operator()<K>() for both kinds of key.
template <class Visit>
void for_each_key_type(Visit visit) {
  visit.template operator()<std::uint64_t>();
  visit.template operator()<std::string_view>();
}

template <class K>
inline constexpr KeyType kKeyTypeOf =
    std::same_as<K, std::uint64_t> ? KeyType::kU64 : KeyType::kString;

// `make` returns the primitive, which any number of threads can use at once.
template <class P>
struct Line {
  using Primitive = P;

  Listing listing;
  std::unique_ptr<P> (*make)(const Arguments&);
};

// `make` of a primitive that needs no arguments.
template <class P>
std::unique_ptr<P> make_plain(const Arguments&) {
  return std::make_unique<P>();
}

// The `make` of a Line<P>, with P erased: what is done with it is compiled once for all primitives,
// but for a function that calls made_by<P>().
using AnyMaker = void (*)();

template <class P>
AnyMaker any_maker(const Line<P>& line) {
  return reinterpret_cast<AnyMaker>(line.make);
}

template <class P>
std::unique_ptr<P> made_by(AnyMaker maker, const Arguments& arguments) {
  return reinterpret_cast<decltype(Line<P>::make)>(maker)(arguments);
}

}  // namespace lockbench
