// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/exit_code.h"
#include "harness/cluster/nodes/ask_nodes.h"
#include "harness/cluster/nodes/node_answers.h"
#include "harness/cluster/nodes/nodes_page.h"

namespace lockbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Finding problem(const std::string& what) {
  return {.severity = Severity::kProblem,
          .name = "governor",
          .what = what,
          .effect = "The clock follows the load.",
          .fix = "echo performance"};
}

NodeAnswer sound(const std::string& name) {
  return {.name = name,
          .report = DoctorReport{.machine = {.boot_id = "boot-" + name,
                                             .cpu_model = "A processor",
                                             .hardware_threads = 8,
                                             .usable_threads = 8,
                                             .governor = "performance",
                                             .kernel = "Linux 6.1"},
                                 .build = {.version = "1", .commit = "abc"},
                                 .findings = {{.name = "clock", .what = "clock source tsc"}}},
          .trouble = {}};
}

NodeAnswer silent(const std::string& name) {
  return {.name = name, .report = {}, .trouble = "no route to host"};
}

std::string text_of(const std::vector<NodeAnswer>& answers) {
  return nodes_text(summarized(answers), "lockbench submit slurm PRESET");
}

TEST(Nodes, OfOneKindWithoutProblemsNeedNothing) {
  const std::vector<NodeAnswer> answers{sound("n1"), sound("n2")};
  EXPECT_EQ(text_of(answers), R"(2 of 2 nodes answered: 1 kind of machine.

node  kind  findings             processors  kernel     CPU
n1    1     0 problems, 0 notes  8 of 8      Linux 6.1  A processor
n2    1     0 problems, 0 notes  8 of 8      Linux 6.1  A processor

To do: nothing has to be fixed; lockbench submit slurm PRESET
)");
  EXPECT_EQ(exit_code_of(summarized(answers)), kSuccess);
}

TEST(Nodes, OfWhichOneDoesNotAnswerHaveTheReason) {
  const std::vector<NodeAnswer> answers{sound("n1"), silent("n2")};
  EXPECT_THAT(text_of(answers), HasSubstr("problem  n2 did not answer\n"
                                          "         effect  no route to host\n"));
  EXPECT_THAT(text_of(answers), HasSubstr("To do: see why there is no answer from n2"));
  EXPECT_EQ(exit_code_of(summarized(answers)), kCouldNotFinish);
}

TEST(Nodes, OfSeveralKindsHaveAllConditionsThatDiffer) {
  std::vector<NodeAnswer> answers{sound("n1"), sound("n2"), sound("n3")};
  answers[0].report->machine.usable_threads = 2;
  answers[0].report->machine.governor = "powersave";
  const NodesSummary summary = summarized(answers);
  ASSERT_EQ(summary.kinds.size(), 2u);
  EXPECT_THAT(summary.kinds[0].nodes, ElementsAre("n2", "n3"));
  EXPECT_THAT(summary.kinds[1].differences,
              ElementsAre("usable_threads 8 and 2", "governor performance and powersave"));
  EXPECT_THAT(text_of(answers),
              HasSubstr("kind 1: n2, n3\nkind 2: n1\n"
                        "        differs in usable_threads 8 and 2; governor performance and "
                        "powersave\n"));
  EXPECT_EQ(exit_code_of(summary), kSuccess);
}

TEST(Nodes, WithAProblemAreNamedOnceForEachProblem) {
  std::vector<NodeAnswer> answers{sound("n1"), sound("n2"), sound("n3")};
  answers[0].report->findings = {problem("governor powersave")};
  answers[1].report->findings = {problem("governor schedutil")};
  answers[2].report->findings = {problem("governor powersave")};
  EXPECT_THAT(text_of(answers),
              HasSubstr("problem  governor powersave (n1, n3); governor schedutil (n2)\n"
                        "         effect  The clock follows the load.\n"
                        "         fix     echo performance\n\n"
                        "To do: fix the problems on n1, n2, n3; then ask again\n"));
  EXPECT_EQ(exit_code_of(summarized(answers)), kFound);
}

TEST(Nodes, OfAnotherBuildOrOnOneMachineAreProblems) {
  std::vector<NodeAnswer> answers{sound("n1"), sound("n2"), sound("n3")};
  answers[2].report->build.commit = "def";
  EXPECT_THAT(text_of(answers), HasSubstr("problem  another build on n3\n"));
  EXPECT_THAT(text_of(answers), HasSubstr("commit \"abc\" and \"def\""));
  EXPECT_EQ(exit_code_of(summarized(answers)), kFound);
  answers = {sound("n1"), sound("n2"), sound("n3")};
  answers[2].report->machine.boot_id = "boot-n1";
  EXPECT_THAT(text_of(answers), HasSubstr("problem  n1, n3 are one machine\n"));
  EXPECT_EQ(exit_code_of(summarized(answers)), kFound);
}

TEST(Nodes, ThatTheConstraintExcludesAreNoneOfTheRun) {
  std::vector<NodeAnswer> answers{sound("n1"), silent("n2")};
  answers[1].not_eligible = true;
  EXPECT_THAT(text_of(answers), HasSubstr("1 of 1 node answered"));
  EXPECT_THAT(text_of(answers), HasSubstr("Without the features of --constraint: n2\n"));
  EXPECT_EQ(exit_code_of(summarized(answers)), kSuccess);
}

TEST(Nodes, CannotCommandATerminalNorFillIt) {
  std::vector<NodeAnswer> answers;
  for (int i = 0; i < 40; ++i) {
    answers.push_back(sound("n" + std::to_string(i)));
    answers.back().report->findings = {problem("governor \x1b[2J" + std::to_string(i))};
  }
  answers[0].report->machine.cpu_model = "\x1b[31m";
  EXPECT_THAT(text_of(answers), Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_of(answers), HasSubstr("; 36 more such figures\n"));
  EXPECT_THAT(text_of(answers), HasSubstr("n6, n7 and 32 more; then"));
}

TEST(Nodes, AreInJsonWithEverything) {
  const auto whole = nlohmann::json::parse(
      nodes_json(summarized({sound("n1"), silent("n2")}), "lockbench submit slurm PRESET"));
  ASSERT_EQ(whole["nodes"].size(), 2u);
  EXPECT_EQ(whole["nodes"][0]["machine"]["governor"], "performance");
  EXPECT_EQ(whole["nodes"][0]["kind"], 1);
  EXPECT_EQ(whole["nodes"][1]["trouble"], "no route to host");
  EXPECT_EQ(whole["kinds"][0]["nodes"], nlohmann::json({"n1"}));
}

TEST(NodeAnswers, OfSeveralNodesMayAlternate) {
  std::string text = "out\tn2\tWelcome to n2\n";
  const std::string printed = doctor_json(*sound("n").report);
  for (std::size_t begin = 0; begin < printed.size();) {
    const std::size_t end = printed.find('\n', begin);
    const std::string line = printed.substr(begin, end - begin) + "\n";
    text += "out\tn1\t" + line;
    text += "out\tn2\t" + line;
    begin = end + 1;
  }
  text += "err\tn1\ta warning\nend\tn1\t3\nend\tn2\t0\n";
  const std::vector<NodeAnswer> answers = parse_answers(text);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].name, "n2");
  EXPECT_EQ(answers[0].report, sound("n").report);
  EXPECT_EQ(answers[1].report, sound("n").report);
}

TEST(NodeAnswers, ThatAreNoneHaveTheReason) {
  const auto trouble = [](const std::string& text) { return parse_answers(text).at(0).trouble; };
  EXPECT_EQ(trouble("err\tn1\tone\nerr\tn1\tlast\nerr\tn1\t\nend\tn1\t255\n"), "last");
  EXPECT_EQ(trouble("end\tn1\t-1\n"), "it did not end in time");
  EXPECT_EQ(trouble("end\tn1\t4\n"), "it printed nothing and ended with exit code 4");
  EXPECT_THAT(trouble("err\tn1\tnot found\nend\tn1\t127\n"),
              testing::MatchesRegex("not found; install lockbench there, or .* --node-program"));
  EXPECT_THAT(trouble("out\tn1\t{\"problems\": 0, \"notes\": 0, \"findings\": []}\nend\tn1\t0\n"),
              HasSubstr("its answer.machine: is missing; it may be an older lockbench"));
  EXPECT_THAT(trouble("out\tn1\t{\"prob\nend\tn1\t0\n"), HasSubstr("not JSON"));
  EXPECT_THAT(parse_answers("no tab\nout\t\t{}\n"), IsEmpty());
}

TEST(SlurmNodes, AreThoseOfTheDefaultPartitionEachOnce) {
  const std::string text =
      "n1|bench*|idle|none\nn1|all|idle|none\nn2|all|idle|none\n"
      "n3|bench*|down*|fan | bearing\n";
  using internal::parse_sinfo;
  EXPECT_THAT(parse_sinfo(text, false),
              ElementsAre(SlurmNode{.name = "n1", .state = "idle", .reason = ""},
                          SlurmNode{.name = "n3", .state = "down*", .reason = "fan | bearing"}));
  EXPECT_EQ(parse_sinfo(text, true).size(), 3u);
  EXPECT_THAT(parse_sinfo("", true), IsEmpty());
}

TEST(SlurmNodes, WithoutAReportHaveTheirState) {
  std::vector<NodeAnswer> answers{silent("n1")};
  answers[0].trouble = "salloc: error: Requested node configuration is not available";
  const std::vector<SlurmNode> nodes{{.name = "n1", .state = "idle", .reason = ""},
                                     {.name = "n2", .state = "down", .reason = "fan"}};
  internal::add_states(nodes, {.partition = "", .constraint = ""}, answers);
  EXPECT_FALSE(answers[0].not_eligible);
  EXPECT_THAT(answers[0].trouble, testing::EndsWith("; Slurm calls it idle"));
  EXPECT_EQ(answers[1].trouble, "it was not asked; Slurm calls it down (fan)");
  internal::add_states(nodes, {.partition = "", .constraint = "fast"}, answers);
  EXPECT_TRUE(answers[0].not_eligible);
  answers[0] = silent("n1");
  answers[0].trouble = "salloc: error: Invalid feature specification";
  internal::add_states(nodes, {.partition = "", .constraint = "fast"}, answers);
  EXPECT_TRUE(answers[0].not_eligible);
  EXPECT_FALSE(answers[1].not_eligible);
}

TEST(Hosts, AreInTheOrderOfTheirFile) {
  std::vector<NodeAnswer> answers{silent("c"), silent("me@b"), silent("a")};
  internal::sort_as({"a", "8/me@b", "c"}, answers);
  EXPECT_EQ(answers[0].name + answers[1].name + answers[2].name, "ame@bc");
}

TEST(Hosts, AreCalledByTheLastWordOfTheirLineIfThatIsClear) {
  std::vector<NodeAnswer> answers{silent("ssh -p 22 me@a"), silent("b")};
  internal::shorten_names(answers);
  EXPECT_EQ(answers[0].name, "me@a");
  answers = {silent("ssh -p 22 a"), silent("ssh -p 23 a")};
  internal::shorten_names(answers);
  EXPECT_EQ(answers[0].name, "ssh -p 22 a");
}

}  // namespace
}  // namespace lockbench
