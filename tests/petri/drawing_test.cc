// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/film.h"
#include "harness/petri/promela.h"
#include "tests/petri/nets.h"

namespace lockbench {
namespace {

using testing::HasSubstr;
using testing::Not;

// One token, one step, as dot would lay it out.
Net pair() {
  return {.name = "a <pair>",
          .places = {{.name = "p", .says = "thread 1 waits", .tokens = 1}, {.name = "q"}},
          .transitions = {moves("goes", 0, 1)}};
}

constexpr char kPlain[] =
    "graph 1 4 1\n"
    "node p0 0.5 0.5 0.6 0.6 \"\" solid box black lightgrey\n"
    "node p1 3.5 0.5 0.6 0.6 \"\" solid box black lightgrey\n"
    "node t0 2 0.5 0.6 0.3 \"\" solid box black lightgrey\n"
    "edge p0 t0 4 0.8 0.5 1.1 0.5 1.4 0.5 1.7 0.5 solid black\n"
    "edge t0 p1 4 2.3 0.5 2.6 0.5 2.9 0.5 3.2 0.5 solid black\n"
    "stop\n";

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++n;
  }
  return n;
}

TEST(Drawing, DrawsEveryNodeArcAndToken) {
  const Net net = pair();
  const absl::StatusOr<Layout> layout = parse_layout(net, kPlain);
  ASSERT_TRUE(layout.ok()) << layout.status();
  const std::string svg = svg_of(net, *layout, {1, 0});
  EXPECT_EQ(count(svg, "<g class=\"place\">"), 2u);
  EXPECT_EQ(count(svg, "<g class=\"arc\""), 2u);
  EXPECT_EQ(count(svg, "class=\"token\""), 1u);
  EXPECT_EQ(count(svg, "class=\"band\""), 1u);
  EXPECT_THAT(svg, HasSubstr("a &lt;pair&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("fired\"")));
  EXPECT_EQ(count(svg_of(net, *layout, {0, 1}, 0), " fired\""), 3u);
}

TEST(Drawing, RefusesWhatDotDidNotSay) {
  const Net net = pair();
  EXPECT_FALSE(parse_layout(net, "").ok());
  EXPECT_FALSE(parse_layout(net, "graph 1 4 1\nnode p9 1 1 1 1\n").ok());
  EXPECT_FALSE(parse_layout(net, "graph 1 4 1\nedge p0 p1 4 1 1 1 1 1 1 1 1\n").ok());
  EXPECT_FALSE(parse_layout(net, "graph 1 4 1\nedge p0 t0 4 1 1\n").ok());
}

TEST(Drawing, GivesDotOneArcForATestOfAPlace) {
  const Net net = {.places = {{.name = "p", .tokens = 1}},
                   .transitions = {{.name = "looks", .takes = {{0}}, .gives = {{0}}}}};
  EXPECT_EQ(count(dot_of(net), "->"), 1u);
}

TEST(Film, HoldsEveryMarkingAndFetchesNothing) {
  const Net net = pair();
  const std::string html = film_of(net, parse_layout(net, kPlain).value(), {0}, "one step");
  EXPECT_THAT(html, HasSubstr("\"tokens\":[1,0]"));
  EXPECT_THAT(html, HasSubstr("\"fired\":0,\"tokens\":[0,1]"));
  EXPECT_EQ(count(html, "src="), 0u);
  EXPECT_EQ(count(html, "href="), 0u);
  EXPECT_EQ(count(html, "@import"), 0u);
  EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/2000/svg"));
}

TEST(Film, NamesCannotEndTheScript) {
  Net net = pair();
  net.transitions[0].says = "</script><b>";
  const std::string html = film_of(net, parse_layout(net, kPlain).value(), {0}, "");
  EXPECT_EQ(count(html, "</script>"), 1u);
}

TEST(Film, AStripHasAFrameForEachMarking) {
  const Net net = pair();
  const std::string svg = strip_of(net, parse_layout(net, kPlain).value(), {0}, 3);
  EXPECT_EQ(count(svg, "<svg "), 3u);
}

TEST(Promela, NamesCannotEndAComment) {
  Net net = pair();
  net.places[0].says = "x */ y";
  EXPECT_EQ(count(promela_of(net), "*/"), count(promela_of(net), "/*"));
}

}  // namespace
}  // namespace lockbench
