// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/message_of.h"

namespace lockbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The canonical text of what was written.
template <class Parse>
std::string retold(Parse parse, std::string_view text) {
  const auto value = parse(text);
  return value.ok() ? to_text(*value) : message_of(value.status());
}

TEST(PrimitiveText, RoundTripsWithParametersInOrder) {
  EXPECT_EQ(retold(parse_primitive, "keyed"), "keyed");
  EXPECT_EQ(retold(parse_primitive, "striped:stripes=64,lock=std"), "striped:lock=std,stripes=64");
  EXPECT_EQ(parse_primitive("striped:stripes=64,lock=std"),
            parse_primitive("striped:lock=std,stripes=64"));
  EXPECT_EQ(parameters_text(parse_primitive("striped:stripes=64,lock=std").value()),
            "lock=std,stripes=64");
  EXPECT_EQ(parameters_text(parse_primitive("keyed").value()), "");
}

TEST(PrimitiveText, TellsWhatIsWrong) {
  EXPECT_THAT(message_of(parse_primitive("")), StartsWith("'' is not a primitive; write a name"));
  EXPECT_THAT(message_of(parse_primitive("a b")), StartsWith("'a b' is not a primitive"));
  EXPECT_THAT(message_of(parse_primitive("striped:")),
              StartsWith("'' in 'striped:' is not a parameter; write parameter=value"));
  EXPECT_THAT(message_of(parse_primitive("striped:64")), StartsWith("'64' in 'striped:64'"));
  EXPECT_THAT(message_of(parse_primitive("striped:lock=")), StartsWith("'lock=' in"));
  EXPECT_THAT(message_of(parse_primitive("striped:lock=a=b")), StartsWith("'lock=a=b' in"));
  EXPECT_EQ(message_of(parse_primitive("striped:lock=std,lock=absl")),
            "'striped:lock=std,lock=absl' gives 'lock' twice; give it once");
}

TEST(WorkloadText, RoundTrips) {
  for (const char* text : {"counter", "nested:mixed_lock_unlock", "checkout:second_lease"}) {
    EXPECT_EQ(retold(parse_workload, text), text);
  }
  EXPECT_THAT(message_of(parse_workload("nested:")), StartsWith("'nested:' is not a workload"));
  EXPECT_THAT(message_of(parse_workload("a:b:c")), StartsWith("'a:b:c' is not a workload"));
}

TEST(ShareText, RoundTrips) {
  for (const char* text : {"0%", "1%", "7%", "0.1%", "33.3%", "100%"}) {
    const auto share = parse_share(text).value();
    EXPECT_EQ(share_text(share), text);
    EXPECT_EQ(parse_share(share_text(share)).value(), share);
  }
  EXPECT_EQ(parse_share("0").value(), 0.0);
  EXPECT_EQ(parse_share("50%").value(), 0.5);
}

TEST(ShareText, TellsWhatIsWrong) {
  for (const char* text : {"", "%", "1", "0.5", "-1%", "101%", "1%%", "one%", "nan%"}) {
    EXPECT_EQ(message_of(parse_share(text).status()),
              "'" + std::string(text) + "' is not a share; write 0 to 100 percent, as 1%");
  }
  EXPECT_EQ(message_of(parse_share("95").status()),
            "'95' is not a share; write 0 to 100 percent, as 95%");
}

TEST(WorkText, RoundTripsInOneForm) {
  EXPECT_EQ(retold(parse_work, "0"), "0");
  EXPECT_EQ(retold(parse_work, "spin:0"), "0");
  EXPECT_EQ(retold(parse_work, "sleep:0ms"), "0");
  EXPECT_EQ(retold(parse_work, "touch:0"), "0");
  EXPECT_EQ(retold(parse_work, "200ns"), "200ns");
  EXPECT_EQ(retold(parse_work, "spin:200ns"), "200ns");
  EXPECT_EQ(retold(parse_work, "sleep:100ms"), "sleep:100ms");
  EXPECT_EQ(retold(parse_work, "touch:8"), "touch:8");
  EXPECT_EQ(retold(parse_work, "exp:1us"), "exp:1us");
  EXPECT_EQ(retold(parse_work, "sleep:exp:1ms"), "sleep:exp:1ms");
  EXPECT_EQ(retold(parse_work, "mix:10ns/1us/20ns"), "mix:10ns/1us/20ns");
  EXPECT_EQ(retold(parse_work, "sleep:mix:10us/1ms"), "sleep:mix:10us/1ms");
  EXPECT_EQ(parse_work("mix:10ns/30ns")->duration, Nanoseconds(20));
  EXPECT_EQ(retold(parse_work, "mix:0/0"), "0");
  EXPECT_EQ(to_text(Work::Kind::kSleep), "sleep");
}

TEST(WorkText, TellsWhatIsWrong) {
  EXPECT_EQ(message_of(parse_work("nap:100ms")),
            "'nap:100ms' is no kind of work; write 0, 200ns, spin:200ns, sleep:100ms, exp:1us, "
            "sleep:exp:1ms, mix:1us/5us or touch:8");
  EXPECT_THAT(message_of(parse_work("sleep")), StartsWith("'sleep' is no kind of work"));
  EXPECT_THAT(message_of(parse_work("sleep:100")), StartsWith("'100' has no unit"));
  EXPECT_THAT(message_of(parse_work("-1us")), StartsWith("'-1us' is negative"));
  EXPECT_THAT(message_of(parse_work("5")), StartsWith("'5' has no unit"));
  EXPECT_THAT(message_of(parse_work("")), StartsWith("'' is not a duration"));
  EXPECT_THAT(message_of(parse_work("mix:10ns//20ns")), StartsWith("'' is not a duration"));
  EXPECT_EQ(message_of(parse_work("touch:100000")), "100000 is out of range: 0 to 65536");
}

TEST(KeyDistributionText, RoundTrips) {
  for (const char* text : {"uniform", "zipf:0.99", "zipf:1.25", "hot:0.1,0.9",
                           "assigned:6,2,5,3,2,3", "assigned:0", "own"}) {
    EXPECT_EQ(retold(parse_key_distribution, text), text);
  }
  EXPECT_EQ(retold(parse_key_distribution, "zipf"), "zipf:0.99");
}

TEST(KeyDistributionText, TellsWhatIsWrong) {
  EXPECT_EQ(message_of(parse_key_distribution("zip:1")),
            "unknown key distribution 'zip'; did you mean 'zipf'?");
  EXPECT_EQ(message_of(parse_key_distribution("zipf:11")), "'11' is not a number from 0 to 10");
  for (const char* text : {"hot", "hot:0.1", "hot:0,0.9", "hot:0.1,1", "hot:a,b", "hot:.1,.2,.3"}) {
    EXPECT_THAT(message_of(parse_key_distribution(text)), HasSubstr("wants a fraction of the keys"))
        << text;
  }
  EXPECT_THAT(message_of(parse_key_distribution("assigned:6,x")),
              StartsWith("'x' is not a whole number"));
  EXPECT_THAT(message_of(parse_key_distribution("assigned:4294967296")),
              StartsWith("4294967296 is out of range: 0 to 4294967295; 'assigned' wants"));
  EXPECT_THAT(message_of(parse_key_distribution("assigned")), HasSubstr("as assigned:6,2,5"));
  EXPECT_EQ(message_of(parse_key_distribution("uniform:3")),
            "'uniform:3': uniform has no parameter; write uniform");
  EXPECT_EQ(message_of(parse_key_distribution("own:3")),
            "'own:3': own has no parameter; write own");
}

TEST(NameText, RoundTripsAndSuggests) {
  for (const char* text : {"timed", "fixed", "micro"}) EXPECT_EQ(retold(parse_mode, text), text);
  for (const char* text : {"u64", "string"}) EXPECT_EQ(retold(parse_key_type, text), text);
  EXPECT_EQ(message_of(parse_mode("time")), "unknown mode 'time'; did you mean 'timed'?");
  EXPECT_EQ(message_of(parse_key_type("int")), "unknown key type 'int'; there are: u64, string");
}

TEST(PinningText, AcceptsNamesAndProcessors) {
  for (const char* text : {"none", "compact", "scatter", "one-core", "0", "0,2,4-7"}) {
    EXPECT_EQ(parse_pinning(text).value(), text);
  }
  for (const char* text : {"", "0,", "7-4", "1-", "a", "99999", "0,one-core"}) {
    EXPECT_THAT(message_of(parse_pinning(text)),
                HasSubstr("write none, compact, scatter, one-core, kind:fast"))
        << text;
  }
}

}  // namespace
}  // namespace lockbench
