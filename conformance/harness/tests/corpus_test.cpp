// Scenarios of no clause: how they are read, where they are played, and what they add to results.
#include "conformance/harness/suite/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/wire.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/host/execute.h"

namespace wddm::harness {
namespace {

namespace fs = std::filesystem;

// The fake host does what a scenario's name says.
CorpusScenario named(const std::string& name, bool gpu_virtual = false,
                     const std::string& settings = "default") {
  Scenario scenario;
  scenario.name = name;
  scenario.ops = {{.kind = OpKind::Start}, {.kind = OpKind::Idle}};
  return {std::make_shared<const Scenario>(scenario), gpu_virtual, settings};
}

Configuration configuration(const std::string& text) {
  Configuration one;
  std::string error;
  EXPECT_TRUE(parse_configuration(text, one, error)) << error;
  return one;
}

class Corpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    ASSERT_TRUE(host::load({}, error)) << error;
    folder_ = testing::TempDir() + "corpus";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ + '/' + file) << text;
  }

  // Those of one clause, and behind them those of the corpus.
  std::vector<RunRecord> play(const std::vector<CorpusScenario>& corpus,
                              const SuiteOptions& limits = {}) {
    const Rule* const rules[] = {find_rule("SPLIT-001")};
    SuiteOptions options;
    options.configurations = configurations_;
    options.isolation.timeout_seconds = 1;
    std::vector<RunRecord> records = run_suite(plan(rules, configurations_), options);
    options.most_events = limits.most_events;
    options.most_bad_ends = limits.most_bad_ends;
    options.isolation.jobs = limits.isolation.jobs;
    const auto seen = addressing_seen(records, configurations_.size());
    for (RunRecord& record :
         run_suite(plan_of_corpus(corpus, configurations_, seen, true), options)) {
      records.push_back(std::move(record));
    }
    return records;
  }
  SuiteResult collected(const std::vector<RunRecord>& records, bool unreached_is_red = false) {
    selected_ = {find_rule("SPLIT-001"), find_rule("PAGE-001")};
    CollectOptions options;
    options.selected = selected_;
    options.configurations = configurations_;
    options.corpus_of_selected = of_selected_;
    options.unreached_is_red = unreached_is_red;
    return collect(records, options);
  }
  static const ClauseResult* find(const SuiteResult& result, const std::string& id) {
    const auto found = std::find_if(result.driver.begin(), result.driver.end(),
                                    [&id](const ClauseResult& one) { return one.id == id; });
    return found == result.driver.end() ? nullptr : &*found;
  }

  std::string folder_;
  std::vector<Configuration> configurations_{configuration("default")};
  std::vector<const Rule*> selected_;
  bool of_selected_ = false;
};

TEST_F(Corpus, IsReadInTheOrderOfItsIndex) {
  write("index.tsv", std::string(kCorpusColumns) +
                         "\nb.yaml\tgpu_virtual\tAddressing=1\tf\t1\t9\tx\n"
                         "a.yaml\tpatch_lists\tdefault\tf\t1\t9\tx\n");
  write("a.yaml", "ops:\n- start\n");
  write("b.yaml", "ops:\n- start\n- idle\n");

  std::vector<CorpusScenario> corpus;
  std::string error;
  ASSERT_TRUE(read_corpus(folder_, corpus, error)) << error;

  ASSERT_EQ(corpus.size(), 2u);
  EXPECT_EQ(corpus[0].scenario->name, "b");
  EXPECT_EQ(corpus[0].scenario->ops.size(), 2u);
  EXPECT_TRUE(corpus[0].gpu_virtual);
  EXPECT_EQ(corpus[0].settings, "Addressing=1");
  EXPECT_FALSE(corpus[1].gpu_virtual);
}

TEST_F(Corpus, SaysWhatIsWrongWithIt) {
  const std::string head = std::string(kCorpusColumns) + '\n';
  write("a.yaml", "ops:\n- nothing\n");
  for (const std::string& index : {std::string("a.yaml\n"), head + "a.yaml\tpatch_lists\tdefault\n",
                                   head + "b.yaml\tpatch_lists\tdefault\n",
                                   head + "a.yaml\tanyhow\tdefault\n", head + "a\n"}) {
    write("index.tsv", index);
    std::vector<CorpusScenario> corpus;
    std::string error;
    EXPECT_FALSE(read_corpus(folder_, corpus, error)) << index;
    EXPECT_EQ(error.find(folder_ + "/index.tsv:"), 0u) << error;
  }
  fs::remove(folder_ + "/index.tsv");
  std::vector<CorpusScenario> corpus;
  std::string error;
  EXPECT_FALSE(read_corpus(folder_, corpus, error));
}

TEST_F(Corpus, IsPlayedWhereItsAddressingIs) {
  const std::vector<CorpusScenario> corpus = {named("a"), named("b", true, "Addressing=1")};
  const std::vector<Configuration> two = {configuration("default"), configuration("Addressing=1")};
  const auto played = [&](std::vector<std::optional<bool>> gpu_virtual, bool built_in,
                          std::span<const Configuration> configurations) {
    std::string text;
    for (const RunSpec& spec : plan_of_corpus(corpus, configurations, gpu_virtual, built_in)) {
      text += spec.corpus->name + std::to_string(spec.configuration);
    }
    return text;
  };

  EXPECT_EQ(played({false, true}, true, two), "a0b1") << "in the settings each was found in";
  EXPECT_EQ(played({false, false}, false, two), "a0a1");
  EXPECT_EQ(played({true}, false, std::span(two).first(1)), "b0");
  EXPECT_EQ(played({true}, true, std::span(two).last(1)), "b0");
  EXPECT_EQ(played({std::nullopt}, false, std::span(two).first(1)), "") << "does not run";
}

TEST_F(Corpus, WhatFiresInItCountsForItsClauseOnce) {
  const SuiteResult result = collected(play({named("fire"), named("quiet"), named("fire")}));

  const ClauseResult* const split = find(result, "SPLIT-001");
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(split->kind, ResultKind::Fail);
  ASSERT_EQ(split->failures.size(), 1u);
  EXPECT_EQ(split->failures[0].record, 2u);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Corpus, WhatFiredInAScenarioOfAClauseStaysWhatIsReported) {
  const std::string path = testing::TempDir() + "driver.txt";
  std::ofstream(path) << "control: fire\n";
  std::string error;
  ASSERT_TRUE(host::load({path, "", ""}, error)) << error;

  const SuiteResult result = collected(play({named("fire")}));

  ASSERT_EQ(find(result, "SPLIT-001")->failures.size(), 1u);
  EXPECT_EQ(find(result, "SPLIT-001")->failures[0].record, 1u);
}

TEST_F(Corpus, HowItEndsIsAResultOfItsOwnAndOne) {
  const SuiteResult result = collected(play({named("crash"), named("hang"), named("raise")}));

  ASSERT_NE(find(result, "CRASH"), nullptr);
  EXPECT_EQ(find(result, "CRASH")->kind, ResultKind::Crash);
  EXPECT_EQ(find(result, "CRASH")->ended_badly, std::vector<std::size_t>{2});
  EXPECT_EQ(find(result, "CRASH")->reason.find("crash of the corpus: op 0 (start): SIGSEGV"), 0u);
  ASSERT_NE(find(result, "HANG"), nullptr);
  EXPECT_EQ(find(result, "HANG")->kind, ResultKind::Hang);
  EXPECT_EQ(find(result, "SPLIT-001")->kind, ResultKind::Pass);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Corpus, WhatOnlyItReachesPassesAndSaysSo) {
  const std::vector<CorpusScenario> reaching = [] {
    CorpusScenario entry = named("unaware");
    Scenario scenario = *entry.scenario;
    scenario.ops.insert(scenario.ops.begin(),
                        {.kind = OpKind::Configure,
                         .a = static_cast<std::uint8_t>(Setting::PreemptionAware),
                         .x = 0});
    entry.scenario = std::make_shared<const Scenario>(scenario);
    return std::vector{entry};
  }();
  const std::vector<RunRecord> records = play(reaching);

  const SuiteResult result = collected(records);
  EXPECT_EQ(find(result, "PAGE-001")->kind, ResultKind::Pass);
  EXPECT_EQ(find(result, "PAGE-001")->reason,
            "only scenarios of the corpus came to what it judges");
  EXPECT_EQ(find(collected(records, true), "PAGE-001")->kind, ResultKind::Fail)
      << "on the built-in driver a clause reaches its check itself";
}

TEST_F(Corpus, UnderASelectionOnlySelectedClausesFail) {
  of_selected_ = true;

  const SuiteResult result = collected(play({named("fire-os"), named("find")}));

  EXPECT_TRUE(result.host.empty());
  EXPECT_TRUE(result.harness.empty());
  EXPECT_NE(find(result, "NT-PoolOverrun"), nullptr) << "nobody can select a finding";
}

TEST_F(Corpus, EndsAtItsLimitsWhateverTheJobs) {
  const std::vector<CorpusScenario> corpus = {named("a"),     named("crash"), named("b"),
                                              named("abort"), named("c"),     named("d")};
  for (const unsigned jobs : {1u, 4u}) {
    SuiteOptions limits;
    limits.isolation.jobs = jobs;
    limits.most_bad_ends = 2;
    const auto records = play(corpus, limits);
    EXPECT_EQ(records[5].run.outcome.kind, OutcomeKind::Crashed);
    EXPECT_EQ(records[6].run.outcome.kind, OutcomeKind::NotRun);
    EXPECT_NE(records[6].run.outcome.about, "");

    limits.most_bad_ends = 3;
    EXPECT_EQ(play(corpus, limits)[7].run.outcome.kind, OutcomeKind::Finished);

    limits.most_bad_ends = 0;
    limits.most_events = records[2].run.judged.events + 1;
    const auto fewer = play(corpus, limits);
    EXPECT_EQ(fewer[3].run.outcome.kind, OutcomeKind::Crashed);
    EXPECT_EQ(fewer[4].run.outcome.kind, OutcomeKind::NotRun);
  }
}

TEST_F(Corpus, AJournalHoldsWhatWasPlayed) {
  const std::vector<RunRecord> records = play({named("quiet"), named("fire")});

  RunRecord read;
  ASSERT_TRUE(record_from_line(record_to_line(records[3]), read));
  EXPECT_EQ(read.spec.rule, nullptr);
  EXPECT_EQ(read.spec.number, 1u);
  EXPECT_EQ(read.spec.corpus->name, "fire");
  EXPECT_EQ(read.spec.corpus->ops, records[3].spec.corpus->ops);
  EXPECT_EQ(record_to_line(read), record_to_line(records[3]));
  RunSpec begun;
  ASSERT_TRUE(spec_from_line(spec_to_line(records[3].spec), begun));
  EXPECT_EQ(begun.corpus->name, "fire");
  EXPECT_FALSE(spec_from_line("{\"begun\":\"SPLIT-001\"}", begun));
}

}  // namespace
}  // namespace wddm::harness
