// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/pnml.h"

#include <sstream>

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/petri/net/search.h"
#include "harness/petri/tests/nets.h"

namespace lockbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

absl::StatusOr<Net> read(const std::string& text) {
  std::istringstream in(text);
  return read_pnml(in, "net.pnml");
}

std::string complaint(const std::string& text) {
  return std::string(read(text).status().message());
}

// A net with this on line 3.
std::string with(const std::string& line) {
  return "<pnml><net id=\"n\">\n<place id=\"p\"/><transition id=\"t\"/>\n" + line +
         "\n</net></pnml>\n";
}

TEST(Pnml, WhatIsWrittenReadsBackAsTheSameNet) {
  for (const ModelEntry& entry : model_entries()) {
    const Net net = model({.primitive = entry.name});
    const Net back = read(pnml_of(net)).value();
    EXPECT_EQ(back.name, net.name);
    EXPECT_EQ(back.places, net.places);
    EXPECT_EQ(back.transitions, net.transitions);
    EXPECT_EQ(back.final_tokens, net.final_tokens);
    EXPECT_TRUE(back.symmetries.empty());
  }
}

TEST(Pnml, NamesWithMarkupSurvive) {
  const Net net = {.places = {{.name = "p", .label = "a < b & \"c\" > d"}}};
  EXPECT_EQ(read(pnml_of(net))->places[0].label, "a < b & \"c\" > d");
}

TEST(Pnml, ReadsWhatOtherToolsWrite) {
  const Net net = read(R"(<?xml version="1.0" encoding="ISO-8859-1"?>
<x:pnml xmlns:x="http://www.pnml.org/version-2009/grammar/pnml">
<x:net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><x:page id="outer">
<x:place id="p"><x:graphics><x:position x="1" y="2"/></x:graphics>
<x:initialMarking><x:value>Default,3</x:value></x:initialMarking></x:place>
<x:page id="inner"><x:referencePlace id="r" ref="p"/></x:page>
<x:transition id="t"><x:name><x:text> goes </x:text></x:name></x:transition>
<x:arc id="a" source="r" target="t"><x:type value="normal"/>
<x:inscription><x:text>2</x:text></x:inscription></x:arc>
</x:page></x:net></x:pnml>)")
                      .value();
  EXPECT_EQ(net.places[0].tokens, 3u);
  EXPECT_EQ(net.transitions[0].label, "goes");
  EXPECT_EQ(net.transitions[0].pre, (std::vector<Arc>{{0, 2}}));
}

TEST(Pnml, IgnoresNodesWithinTheDataOfATool) {
  const auto net =
      read(
          "<pnml><net id='n'><toolspecific><transition id='t'><event>e</event></transition>"
          "<place id='q'><absence/></place></toolspecific><place id='p'/></net></pnml>")
          .value();
  EXPECT_EQ(net.places.size(), 1u);
  EXPECT_TRUE(net.transitions.empty());
}

TEST(Pnml, SaysTheLineAndWhatIsWrongThere) {
  EXPECT_THAT(complaint(with("<arc id=\"a\" source=\"p\" target=\"gone\"/>")),
              AllOf(HasSubstr("net.pnml:3: "), HasSubstr("arc 'a' names 'gone'")));
  EXPECT_THAT(complaint(with("<arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>-1</text>"
                             "</inscription></arc>")),
              AllOf(HasSubstr("net.pnml:3: "), HasSubstr("weight '-1'")));
  EXPECT_THAT(complaint(with("<arc id=\"a\" source=\"p\" target=\"p\"/>")),
              HasSubstr("joins two places"));
  EXPECT_THAT(complaint(with("<place id=\"p\"/>")), HasSubstr("net.pnml:3: the id 'p'"));
  EXPECT_THAT(complaint(with("<place/>")), HasSubstr("without an id"));
  EXPECT_THAT(complaint(with("<net id=\"m\"/>")), HasSubstr("a second net"));
  EXPECT_THAT(complaint(with("<arc id=\"a\" source=\"p\" target=\"t\"><type value=\"inhibitor\"/>"
                             "</arc>")),
              HasSubstr("'inhibitor'"));
  EXPECT_THAT(complaint(with("<place id=\"q\"><initialMarking><text>99999</text></initialMarking>"
                             "</place>")),
              HasSubstr("from 0 to 65535"));
}

TEST(Pnml, RefusesWhatIsNoNet) {
  EXPECT_THAT(complaint(""), HasSubstr("net.pnml:1: not well-formed"));
  EXPECT_THAT(complaint("<html/>"), HasSubstr("begins with <html>"));
  EXPECT_THAT(complaint("<pnml/>"), HasSubstr("holds no net"));
  EXPECT_THAT(complaint("<pnml><net id=\"n\"/></pnml>"), HasSubstr("no places"));
  EXPECT_THAT(complaint("<pnml><net id=\"n\" type=\"http://x/symmetricnet\"/></pnml>"),
              HasSubstr("only place/transition nets"));
  const std::string whole = pnml_of(model({.primitive = "global"}));
  for (const double part : {0.1, 0.5, 0.9}) {
    const auto size = static_cast<std::size_t>(static_cast<double>(whole.size()) * part);
    EXPECT_THAT(complaint(whole.substr(0, size)), HasSubstr("is the file whole?"));
  }
}

TEST(Pnml, RefusesEntitiesBeforeTheyGrow) {
  EXPECT_THAT(complaint("<!DOCTYPE pnml [\n<!ENTITY a \"aaaaaaaaaa\">\n"
                        "<!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>\n<pnml>&b;</pnml>"),
              HasSubstr("net.pnml:2: declares the entity 'a'"));
}

TEST(Pnml, StopsAtTheFirstPlaceTooMany) {
  std::string text = "<pnml><net id=\"n\">\n";
  for (std::size_t i = 0; i <= kMostPlaces; ++i) {
    text += "<place id=\"p" + std::to_string(i) + "\"/>\n";
  }
  // The text that follows is torn, but is not read any more.
  EXPECT_THAT(complaint(text), AllOf(HasSubstr("net.pnml:10002: "), HasSubstr("more than 10000")));
}

TEST(Pnml, FollowsReferencesFromPageToPageAndNoRing) {
  std::string chain = "<referencePlace id=\"r0\" ref=\"p\"/>";
  for (int i = 1; i <= 50; ++i) {
    chain += "<referencePlace id=\"r" + std::to_string(i) + "\" ref=\"r" + std::to_string(i - 1) +
             "\"/>";
  }
  const auto net = read(with(chain + "<arc id=\"a\" source=\"r50\" target=\"t\"/>")).value();
  EXPECT_EQ(net.transitions[0].pre, (std::vector<Arc>{{0, 1}}));
  EXPECT_THAT(complaint(with("<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" "
                             "ref=\"r\"/><arc id=\"a\" source=\"r\" target=\"t\"/>")),
              HasSubstr("arc 'a' names 'r'"));
}

TEST(Pnml, StopsAtTheFirstOfAnythingTooMany) {
  const auto many = [](const std::string& one, const std::string& id) {
    std::string text = "<pnml><net id=\"n\"><place id=\"p\"/><finalmarkings>\n";
    if (one != "place idref") text = "<pnml><net id=\"n\"><place id=\"p\"/>\n";
    for (std::size_t i = 0; i <= kMostArcs; ++i) {
      absl::StrAppend(&text, "<", one, "=\"", id, i, "\"/>\n");
    }
    return complaint(text);
  };
  EXPECT_THAT(many("transition id", "t"),
              HasSubstr("net.pnml:100002: more than 100000 transitions"));
  EXPECT_THAT(many("arc id", "a"), HasSubstr(": more than 200000 arcs"));
  EXPECT_THAT(many("referencePlace id", "r"), HasSubstr("net.pnml:10002: more than 10000 ref"));
  EXPECT_THAT(many("place idref", "p"), HasSubstr("net.pnml:10002: more than 10000 final"));
}

// The parser may leave bytes that it was given unparsed until more arrive. They are not one tag.
TEST(Pnml, ReadsALongTagAfterAnyNumberOfOtherBytes) {
  for (const int comments : {0, 100, 10'000, 20'000}) {
    std::string text;
    for (int i = 0; i < comments; ++i) text += "<!--" + std::string(100, ' ') + "-->\n";
    text += "<arc id=\"" + std::string(900'000, 'x') + "\" source=\"p\" target=\"t\"/>";
    const Net net = read(with(text)).value();
    EXPECT_EQ(net.transitions[0].pre, (std::vector<Arc>{{0, 1}}));
  }
}

TEST(Pnml, ReadsMoreThanAMegabyteOfTextThatIsNoName) {
  const std::string text(5 << 20, 'x');
  EXPECT_TRUE(read(with("<toolspecific><note>" + text + "</note></toolspecific>")).ok());
}

TEST(Pnml, RefusesATagOfMoreThanAMegabyteWhereverItStands) {
  const auto long_tag = [](std::size_t bytes) {
    return "<place id=\"" + std::string(bytes, 'x') + "\"/>";
  };
  const std::string comments = "<!--" + std::string(900'000, ' ') + "-->";
  for (const std::size_t bytes : {(1U << 20) + 1, 3U << 19, 3U << 20}) {
    EXPECT_THAT(complaint(with(long_tag(bytes))), HasSubstr("one tag of more than a megabyte"));
    EXPECT_THAT(complaint(with(absl::StrCat(comments, comments, long_tag(bytes), comments))),
                HasSubstr("one tag of more than a megabyte"));
  }
  EXPECT_THAT(complaint(with("<!--" + std::string(3 << 20, ' ') + "-->")),
              HasSubstr("one tag of more than a megabyte"));
}

TEST(Pnml, RefusesTextAndNestingWithoutBound) {
  EXPECT_THAT(complaint(with("<name><text>" + std::string(5000, 'x') + "</text></name>")),
              HasSubstr("net.pnml:3: a name"));
  std::string long_ids;
  for (int i = 0; i < 100; ++i) {
    long_ids += "<arc id=\"" + std::string(200'000, 'x') + "\"/>\n";
  }
  EXPECT_THAT(complaint(with(long_ids)), HasSubstr("ids and names of more than 16 MiB"));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<page>";
  EXPECT_THAT(complaint(with(deep)), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint(with("<place id=\"" + std::string(3 << 20, 'x') + "\"/>")),
              HasSubstr("one tag of more than a megabyte"));
}

}  // namespace
}  // namespace lockbench
