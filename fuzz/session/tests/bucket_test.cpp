#include "fuzz/session/bucket.h"

#include <gtest/gtest.h>

namespace wddm::fuzz {
namespace {

harness::Failure failure(std::string id, std::uint32_t event, std::uint32_t op) {
  harness::Failure made;
  made.id = std::move(id);
  made.event = event;
  made.op = op;
  return made;
}

harness::RunOutcome ended(harness::OutcomeKind kind, std::string about) {
  harness::RunOutcome run;
  run.outcome = {kind, std::move(about), ""};
  return run;
}

const Scenario kScenario{.name = {},
                         .about = {},
                         .ops = {{.kind = OpKind::CreateContext}, {.kind = OpKind::Idle}},
                         .lines = {}};

using Buckets = std::vector<std::string>;

TEST(Bucket, IsTheClauseThatFailedFirstAndItsOp) {
  harness::RunOutcome run = ended(harness::OutcomeKind::Finished, "");
  run.judged.failures = {failure("PAGE-005", 9, 1), failure("SPLIT-005", 4, 0)};

  EXPECT_EQ(bucket_of(run, kScenario), "SPLIT-005-create_context");
}

TEST(Bucket, EveryFailureHasOneInTheOrderOfTheTrace) {
  harness::Judged judged;
  judged.failures = {failure("PAGE-005", 9, 1), failure("SPLIT-005", 4, 0),
                     failure("PAGE-005", 12, 1)};

  EXPECT_EQ(buckets_of(judged, kScenario), (Buckets{"SPLIT-005-create_context", "PAGE-005-idle"}));
}

TEST(Bucket, HowARunEndedComesAfterItsFailures) {
  harness::Judged judged;
  judged.failures = {failure("PAGE-005", 9, 1)};
  judged.hung = judged.truncated = true;

  EXPECT_EQ(buckets_of(judged, kScenario), (Buckets{"PAGE-005-idle", "HANG", "OVERFLOW"}));
}

TEST(Bucket, ATraceWrittenOverIsOne) {
  harness::Judged judged;
  judged.scribbled = true;

  EXPECT_EQ(buckets_of(judged, kScenario), Buckets{"SCRIBBLE"});
}

TEST(Bucket, OfAClauseThatIsNamedNeedNotBeTheFirst) {
  harness::RunOutcome run = ended(harness::OutcomeKind::Finished, "");
  run.judged.failures = {failure("PAGE-005", 9, 1), failure("SPLIT-005", 4, 0)};

  EXPECT_EQ(bucket_of_clause(run, kScenario, "PAGE-005"), "PAGE-005-idle");
  EXPECT_EQ(bucket_of_clause(run, kScenario, "PAGE-006"), "");
  EXPECT_EQ(failure_of_bucket(run.judged, kScenario, "PAGE-005-idle"), &run.judged.failures[0]);
  EXPECT_EQ(failure_of_bucket(run.judged, kScenario, "PAGE-005-end"), nullptr);
}

TEST(Bucket, OutsideOfOpsIsTheEnd) {
  harness::Judged judged;
  judged.failures = {failure("NT-PoolLeak", 9, kNoOp)};

  EXPECT_EQ(buckets_of(judged, kScenario), Buckets{"NT-PoolLeak-end"});
}

TEST(Bucket, OfAQuietRunIsEmpty) {
  EXPECT_EQ(buckets_of(harness::Judged{}, kScenario), Buckets{});
  EXPECT_EQ(bucket_of(ended(harness::OutcomeKind::Finished, ""), kScenario), "");
  EXPECT_EQ(bucket_of(ended(harness::OutcomeKind::NotRun, "stopped"), kScenario), "");
}

TEST(Bucket, ACrashIsKnownByItsPlace) {
  const auto crash = ended(harness::OutcomeKind::Crashed,
                           "SIGSEGV in DxgkDdiPatch (write_address < Patch), last kernel service "
                           "KeAcquireSpinLock");

  EXPECT_EQ(bucket_of(crash, kScenario), "CRASH-SIGSEGV-in-DxgkDdiPatch-write-address-Patch");
}

TEST(Bucket, ACrashThatEndedOnlyItsRunIsKnownByItsPlaceToo) {
  harness::Judged judged;
  judged.crashed = true;
  judged.stopped = "SIGSEGV in DxgkDdiPatch (write_address), last kernel service none";

  EXPECT_EQ(buckets_of(judged, kScenario), Buckets{"CRASH-SIGSEGV-in-DxgkDdiPatch-write-address"});
  EXPECT_TRUE(is_of_an_end(buckets_of(judged, kScenario).front()));
  EXPECT_FALSE(is_of_an_end("PAGE-005-idle"));
}

TEST(Bucket, ABugCheckIsKnownByItsCode) {
  const auto check = ended(harness::OutcomeKind::BugChecked, "KeBugCheckEx(0x119, 0x1, 0x2, 0, 0)");

  EXPECT_EQ(bucket_of(check, kScenario), "BUGCHECK-0x119");
}

TEST(Bucket, EndsOfOtherKindsAreNamedByTheirWord) {
  EXPECT_EQ(bucket_of(ended(harness::OutcomeKind::Hung, "nothing can run"), kScenario), "HANG");
  EXPECT_EQ(bucket_of(ended(harness::OutcomeKind::Scribbled, ""), kScenario), "SCRIBBLE");
}

TEST(Bucket, IsShownBesideOtherFailures) {
  auto run = ended(harness::OutcomeKind::Finished, "");
  run.judged.failures = {failure("SPLIT-005", 4, 0), failure("PAGE-005", 9, 1)};

  EXPECT_TRUE(shows(run, kScenario, "PAGE-005-idle"));
  EXPECT_FALSE(shows(run, kScenario, "PAGE-005-create_context"));
}

TEST(Bucket, TellsItsClause) {
  EXPECT_EQ(clause_of_bucket("SPLIT-005-idle"), "SPLIT-005");
  EXPECT_EQ(clause_of_bucket("NT-PoolLeak-end"), "NT-PoolLeak");
  EXPECT_EQ(clause_of_bucket("CRASH-SIGSEGV-in-DxgkDdiPatch"), "CRASH");
  EXPECT_EQ(clause_of_bucket("HANG"), "HANG");
}

TEST(FindingName, IsWhatIsExpectedWhereverItShowsAndWithWhateverNumbers) {
  harness::Judged judged;
  judged.failures = {failure("PAGE-005", 9, 1), failure("PAGE-005", 12, 0)};
  judged.failures[0].expected = "pages 4 to 0x1f: hold what was written, of A3 and B";
  judged.failures[1].expected = "pages 7 to 99: hold what was written, of A12 and B";

  const std::string name = finding_of_bucket(judged, kScenario, "PAGE-005-idle");

  EXPECT_EQ(name, "PAGE-005-pages-to-hold-what-was-written-of-and-B");
  EXPECT_EQ(finding_of_bucket(judged, kScenario, "PAGE-005-create_context"), name);
  EXPECT_EQ(clause_of_bucket(name), "PAGE-005");
}

TEST(FindingName, TellsTwoExpectationsOfAClauseApart) {
  harness::Judged judged;
  judged.failures = {failure("PAGE-005", 9, 1), failure("PAGE-005", 12, 0)};
  judged.failures[0].expected = "one thing";
  judged.failures[1].expected = "another";

  EXPECT_NE(finding_of_bucket(judged, kScenario, "PAGE-005-idle"),
            finding_of_bucket(judged, kScenario, "PAGE-005-create_context"));
}

TEST(FindingName, OfAKernelFindingIsItsOwnAndOfAnEndItsBucket) {
  harness::Judged judged;
  judged.failures = {failure("NT-PoolLeak", 9, kNoOp)};

  EXPECT_EQ(finding_of_bucket(judged, kScenario, "NT-PoolLeak-end"), "NT-PoolLeak");
  EXPECT_EQ(finding_of_bucket(judged, kScenario, "HANG"), "HANG");
}

TEST(FindingName, OfAKernelFindingIsOfItsPlace) {
  harness::Judged judged;
  judged.failures = {failure("NT-Assertion", 9, 1), failure("NT-Assertion", 10, 1)};
  judged.failures[0].seen = "Assertion: false (node.cpp:7) (Node::render+0x2f1)";
  judged.failures[1].seen = "Assertion: false (node.cpp:9) (Node::stop+0x1)";

  EXPECT_EQ(buckets_of(judged, kScenario),
            (Buckets{"NT-Assertion-Node-render-idle", "NT-Assertion-Node-stop-idle"}));
  EXPECT_EQ(finding_of_bucket(judged, kScenario, "NT-Assertion-Node-stop-idle"),
            "NT-Assertion-Node-stop");
  EXPECT_EQ(clause_of_bucket("NT-Assertion-Node-stop-idle"), "NT-Assertion");
}

TEST(Bucket, IsAFileName) {
  const auto crash = ended(harness::OutcomeKind::Crashed, "../../x: in /etc 'y'");

  EXPECT_EQ(bucket_of(crash, kScenario), "CRASH-x-in-etc-y");
}

}  // namespace
}  // namespace wddm::fuzz
