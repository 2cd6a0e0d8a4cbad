// Judging: what fires is explained, and a trace that isn't sound is not judged at all.
#include "conformance/harness/judge/judge.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstring>
#include <memory>

#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/judge/wire.h"
#include "conformance/host/nt/core/kernel.h"
#include "reference/trace/trace_file.h"

namespace wddm::harness {
namespace {

constexpr std::uint32_t kEvents = 64;
constexpr std::uint32_t kBlobs = 1024;

class Storage {
 public:
  Storage()
      : bytes_(static_cast<std::byte*>(
            std::aligned_alloc(64, (trace_storage_bytes(kEvents, kBlobs) + 63) / 64 * 64))),
        writer(TraceWriter::create(bytes_, kEvents, kBlobs)) {}
  ~Storage() { std::free(bytes_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  template <class Payload>
  void add(const Payload& payload, const std::string& blob = "") {
    writer.add(payload, 0, 0, 0, blob.data(), blob.size());
  }
  Judged judged(const JudgeOptions& options = {}) const {
    return judge_storage(bytes_, kEvents, kBlobs, scenario(), options);
  }
  Trace trace() const { return Trace(bytes_, kEvents, kBlobs); }
  bool is_sound() const { return sound(bytes_, kEvents, kBlobs); }
  std::byte* event(std::size_t index) {
    return bytes_ + sizeof(TraceStorage) + index * sizeof(Event);
  }
  TraceStorage& head() { return *reinterpret_cast<TraceStorage*>(bytes_); }

  static Scenario scenario() {
    Scenario scenario;
    scenario.ops = {{.kind = OpKind::Start}, {.kind = OpKind::Preempt, .a = 1}};
    scenario.lines = {3, 7};
    return scenario;
  }

 private:
  std::byte* bytes_;

 public:
  TraceWriter writer;
};

void fill(Storage& storage) {
  storage.add(ev::Running{.start = 1});
  storage.writer.op = 1;
  storage.add(ev::OpStarted{.kind = 42});
  storage.add(ev::MemoryDiffers{.expected = 1, .seen = 2});
  storage.add(ev::MemoryDiffers{.expected = 3, .seen = 4});
  storage.add(ev::Finding{.kind = static_cast<std::uint32_t>(nt::FindingKind::PoolOverrun)},
              "tag\x01");
}

TEST(Judge, AFailureIsExplained) {
  Storage storage;
  fill(storage);

  const Judged judged = storage.judged();

  ASSERT_EQ(judged.failures.size(), 2u);
  const Failure& failure = judged.failures[0];
  EXPECT_EQ(failure.id, "SPLIT-001");
  EXPECT_EQ(failure.event, 2u);
  EXPECT_EQ(failure.op, 1u);
  EXPECT_EQ(failure.line, 7u);
  EXPECT_EQ(failure.op_text, "preempt: {node: 1}");
  EXPECT_EQ(failure.expected, "memory holds 1");
  EXPECT_EQ(failure.seen, "it holds 2");
  EXPECT_EQ(failure.more, 1u);
  ASSERT_EQ(failure.chain.size(), 2u);
  const std::vector<std::string> chain = chain_of(failure, StoredTrace(judged.trace));
  EXPECT_NE(chain[0].find("#0 op=- thread=0 cpu=0 irql=0 Running"), std::string::npos);
  EXPECT_NE(chain[1].find("#2 op=1 thread=0 cpu=0 irql=0 MemoryDiffers"), std::string::npos);
  EXPECT_EQ(chain, chain_of(failure, storage.trace()));
}

// The first op brings the adapter up: it is not the op that the driver has trouble with.
TEST(Judge, WhatABringUpShowsIsSaidToBeOfIt) {
  Storage storage;
  storage.writer.op = 1;
  storage.add(ev::OpStarted{.kind = 42});
  storage.add(ev::Finding{.kind = static_cast<std::uint32_t>(nt::FindingKind::BadHandle)}, "early");
  storage.add(ev::Running{.start = 1});
  storage.add(ev::Finding{.kind = static_cast<std::uint32_t>(nt::FindingKind::BadParameter)},
              "late");

  const Judged judged = storage.judged();

  ASSERT_EQ(judged.failures.size(), 2u);
  EXPECT_EQ(judged.failures[0].op, 1u);
  EXPECT_EQ(judged.failures[0].op_text, "preempt: {node: 1}  # while the adapter is brought up");
  EXPECT_EQ(judged.failures[1].op_text, "preempt: {node: 1}");
}

TEST(Judge, WhatTheBringUpWasRefusedStopsNoOp) {
  Storage storage;
  storage.writer.op = 1;
  const auto kind = static_cast<std::uint32_t>(OpKind::MapAperture);
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::QueryAdapterInfo),
                              .status = 0xC000000D});
  storage.add(ev::Running{.start = 1});
  storage.add(ev::OpSkipped{.kind = kind}, "nothing is mapped");

  EXPECT_EQ(storage.judged().obstacles,
            std::vector<std::string>{"map_aperture: nothing is mapped"});
}

TEST(Judge, WhatWasSkippedIsSaidOnceAndWithWhatADdiReturned) {
  Storage storage;
  storage.writer.op = 1;
  const auto kind = static_cast<std::uint32_t>(OpKind::CreateAllocation);
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::OpSkipped{.kind = kind}, "no client");
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::OpSkipped{.kind = kind}, "no client");
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::CreateAllocation),
                              .status = 0xC000000D});
  storage.add(ev::OpSkipped{.kind = kind}, "the driver refused");

  EXPECT_EQ(storage.judged().obstacles,
            (std::vector<std::string>{
                "create_allocation: no client",
                "create_allocation: DxgkDdiCreateAllocation returned STATUS_INVALID_PARAMETER"}));
}

TEST(Judge, WhatADdiWasRefusedItselfIsSaidWithIt) {
  Storage storage;
  const auto kind = static_cast<std::uint32_t>(OpKind::CreateContext);
  constexpr auto kCreate = static_cast<std::uint32_t>(DdiId::CreateContext);
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::DdiEntered{.ddi = kCreate});
  storage.add(ev::CallbackCalled{
      .callback = static_cast<std::uint32_t>(CallbackId::UpdateContextAllocation),
      .result = 0xC00000BB});
  storage.add(ev::DdiReturned{.ddi = kCreate, .status = 0xC0000017});
  storage.add(ev::OpSkipped{.kind = kind}, "the driver refused");

  EXPECT_EQ(storage.judged().obstacles,
            (std::vector<std::string>{
                "create_context: DxgkDdiCreateContext returned STATUS_NO_MEMORY, behind "
                "STATUS_NOT_SUPPORTED of DxgkCbUpdateContextAllocation"}));
}

TEST(Judge, WhatADdiDidAfterAllIsNotTheReason) {
  Storage storage;
  storage.writer.op = 1;
  const auto kind = static_cast<std::uint32_t>(OpKind::CreateAllocation);
  const auto ddi = static_cast<std::uint32_t>(DdiId::GetStandardAllocationDriverData);
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::DdiReturned{.ddi = ddi, .status = 0xC0000002});
  storage.add(ev::DdiReturned{.ddi = ddi});
  storage.add(ev::OpSkipped{.kind = kind}, "VidMm refuses it");

  EXPECT_EQ(storage.judged().obstacles,
            std::vector<std::string>{"create_allocation: VidMm refuses it"});
}

TEST(Judge, AKernelFindingHasANameOfItsOwn) {
  Storage storage;
  fill(storage);

  const Failure finding = storage.judged().failures[1];

  EXPECT_EQ(finding.id, "NT-PoolOverrun");
  EXPECT_EQ(finding.seen, "tag\\x01");
}

TEST(Judge, AKernelFindingIsExplainedAtEachPlace) {
  Storage storage;
  constexpr auto kAssertion = static_cast<std::uint32_t>(nt::FindingKind::Assertion);
  for (const char* const seen :
       {"x (Node::render+0x1)", "x (Node::stop+0x1)", "x (Node::render+0x1)"})
    storage.add(ev::Finding{.kind = kAssertion}, seen);

  const std::vector<Failure> found = storage.judged().failures;

  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].more, 1u);
  EXPECT_EQ(found[1].seen, "x (Node::stop+0x1)");
}

// Many scenarios use a second node where there is one.
TEST(Judge, WhatIsNotThereIsTheReasonWhereNothingElseIs) {
  const auto obstacles = [](bool client_lacks_it) {
    Storage storage;
    storage.writer.op = 1;
    const auto skip = [&storage](OpKind kind, const char* why) {
      storage.add(ev::OpStarted{.kind = static_cast<std::uint32_t>(kind)});
      storage.add(ev::OpSkipped{.kind = static_cast<std::uint32_t>(kind)}, why);
    };
    skip(OpKind::CreateContext, "no such node");
    if (client_lacks_it) skip(OpKind::Render, "the client has no counterpart");
    skip(OpKind::Render, "no such context");
    return storage.judged().obstacles;
  };
  EXPECT_EQ(obstacles(false),
            (std::vector<std::string>{"create_context: no such node", "render: no such context"}));
  EXPECT_EQ(obstacles(true).front(), "render: the client has no counterpart");
}

TEST(Judge, WhatIsDoneAlreadyStandsInNobodysWay) {
  Storage storage;
  storage.writer.op = 1;
  const auto kind = static_cast<std::uint32_t>(OpKind::MakeResident);
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::OpSkipped{.kind = kind}, "it is resident");
  storage.add(ev::OpStarted{.kind = kind});
  storage.add(ev::OpSkipped{.kind = kind}, "nothing can make room for it");

  EXPECT_EQ(storage.judged().obstacles,
            std::vector<std::string>{"make_resident: nothing can make room for it"});
}

TEST(Judge, WithoutALogNothingRestsOnOne) {
  const Rule& by_log = *find_rule("PAGE-001");
  EXPECT_STREQ(evidence_of(by_log, true), "device log");
  EXPECT_STREQ(evidence_of(by_log, false), "boundary and memory");
  EXPECT_STREQ(evidence_of(*find_rule("SPLIT-001"), false), "memory");
}

TEST(Judge, CountsWhatChecksReached) {
  Storage storage;
  fill(storage);

  const Judged judged = storage.judged();

  ASSERT_EQ(judged.rules.size(), all_rules().size());
  EXPECT_STREQ(all_rules()[0]->id, "SPLIT-001");
  EXPECT_EQ(judged.rules[0].reached, 3u);  // one op, two failures
  EXPECT_EQ(judged.rules[1].not_applicable, "no client: nothing can be rendered");
}

TEST(Judge, AVerdictSaysAllOfIt) {
  Storage storage;
  fill(storage);
  const Judged judged = storage.judged();
  const Failure& failure = judged.failures[0];

  const std::string text =
      print_verdict(failure, find_rule("SPLIT-001"),
                    {"scenario of SPLIT-001", "PreemptionAware=0", "wddmcheck repro x.yaml"},
                    chain_of(failure, StoredTrace(judged.trace)));

  for (const char* part :
       {"SPLIT-001 does not hold: Memory is as predicted\n", "in        scenario of SPLIT-001\n",
        "settings  PreemptionAware=0\n", "op        1  preempt: {node: 1}  (line 7)\n",
        "expected  memory holds 1\n", "seen      it holds 2\n", "more      1 further times\n",
        "events    #0 op=- ", "            #2 op=1 ", "sources   a made-up document, section 1\n",
        "evidence  memory\n", "again     wddmcheck repro x.yaml\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

TEST(Judge, AStartWithoutADevicePointsAtIt) {
  const auto trouble = [](std::uint32_t device) {
    Storage storage;
    storage.add(ev::PlugInsLoaded{.device = device});
    storage.add(ev::EntryReturned{.initialize_calls = 1, .version = 0x5023});
    storage.add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice),
                                .status = 0xC0000182});
    return storage.judged().start_trouble;
  };
  EXPECT_EQ(trouble(1), "DxgkDdiStartDevice returned STATUS_DEVICE_CONFIGURATION_ERROR");
  EXPECT_NE(trouble(0).find("(--device)"), std::string::npos) << trouble(0);
}

TEST(Judge, AnEventThatIsNotKeptIsNamedByItsNumber) {
  Failure failure;
  failure.chain = {3, 4};

  EXPECT_EQ(chain_of(failure, StoredTrace()),
            (std::vector<std::string>{"#3 (not kept)", "#4 (not kept)"}));
}

TEST(Judge, WhatIsNoTraceIsReadAsOneWithoutEvents) {
  EXPECT_TRUE(StoredTrace("scribbled over").numbers().empty());
}

TEST(Judge, KeepsTheTraceOnlyIfSomethingFailedOrItIsWanted) {
  Storage quiet;
  quiet.add(ev::Ended{});
  Storage firing;
  fill(firing);

  EXPECT_EQ(quiet.judged().trace, "");
  EXPECT_NE(quiet.judged({.keep = KeepTrace::Whole}).trace, "");
  EXPECT_EQ(firing.judged({.keep = KeepTrace::Never}).trace, "");
  StoredTrace stored;
  std::string error;
  ASSERT_TRUE(stored.read(firing.judged().trace, error)) << error;
  EXPECT_EQ(stored.numbers().size(), 5u);
}

TEST(Sound, WhatTheWriterWroteIsSound) {
  Storage storage;
  fill(storage);

  EXPECT_TRUE(storage.is_sound());
}

TEST(Sound, EveryDamageOfStructureIsSeen) {
  const auto damaged = [](auto damage) {
    Storage storage;
    fill(storage);
    damage(storage);
    return !storage.is_sound() && storage.judged().scribbled;
  };
  const std::uint16_t no_kind = 60000;

  EXPECT_TRUE(damaged([](Storage& s) { s.head().events = kEvents + 1; }));
  EXPECT_TRUE(damaged([](Storage& s) { s.head().events = 10; })) << "events that are all zero";
  EXPECT_TRUE(damaged([](Storage& s) { s.head().event_capacity = 1u << 30; }));
  EXPECT_TRUE(damaged([](Storage& s) { s.head().blob_capacity = 1u << 30; }));
  EXPECT_TRUE(damaged([](Storage& s) { s.head().blob_bytes = kBlobs + 8; }));
  EXPECT_TRUE(damaged([&](Storage& s) { std::memcpy(s.event(1), &no_kind, 2); }));
  EXPECT_TRUE(damaged([](Storage& s) { std::memset(s.event(1) + 40, 1, 1); })) << "unused payload";
  EXPECT_TRUE(damaged([](Storage& s) { std::memset(s.event(4) + 8, 0xff, 4); })) << "blob offset";
  EXPECT_TRUE(damaged([](Storage& s) { std::memset(s.event(4) + 12, 0xff, 4); })) << "blob length";
}

TEST(Wire, AJudgementArrivesAsItWasSent) {
  Storage storage;
  fill(storage);
  const Judged sent = storage.judged();

  Judged received;
  ASSERT_TRUE(from_wire(to_wire(sent), received));

  EXPECT_EQ(to_wire(received), to_wire(sent));
  EXPECT_EQ(received.failures[0].chain, sent.failures[0].chain);
  EXPECT_EQ(received.trace, sent.trace);
  EXPECT_FALSE(from_wire("{}", received));
  EXPECT_EQ(received.platform.started, sent.platform.started);
}

template <class T>
void set(T& field) {
  if constexpr (requires { field.value; }) {
    field.value = 5;
  } else {
    field = T{1};
  }
}
void set(std::vector<PlatformSegment>& segments) {
  PlatformSegment& segment = segments.emplace_back();
#define WDDM_SEGMENT_FIELDS
#define FIELD(type, name, about) set(segment.name);
#include "reference/platform.def"
#undef FIELD
#undef WDDM_SEGMENT_FIELDS
}

TEST(Wire, EveryFieldOfThePlatformArrives) {
  Judged sent;
#define WDDM_PLATFORM_FIELDS
#define FIELD(type, name, about) \
  set(sent.platform.name);       \
  EXPECT_NE(sent.platform.name, type{}) << about;
#include "reference/platform.def"
#undef FIELD
#undef WDDM_PLATFORM_FIELDS

  Judged received;
  ASSERT_TRUE(from_wire(to_wire(sent), received));

  EXPECT_TRUE(received.platform == sent.platform) << to_wire(received);
  EXPECT_TRUE(received.platform.segments == sent.platform.segments);
}

// Of a platform that nothing is known of.
std::vector<RuleOutcome> outcomes_of_all_clauses() {
  std::vector<RuleOutcome> outcomes;
  for (const Rule* rule : all_rules()) {
    const NotApplicable reason = rule->applies(Platform{});
    outcomes.push_back(reason ? RuleOutcome{reason, 0} : RuleOutcome{"", 3});
  }
  return outcomes;
}

TEST(Wire, ReasonsAreThoseThatClausesGive) {
  Judged sent;
  sent.rules = outcomes_of_all_clauses();
  const auto without = std::ranges::count(sent.rules, 3u, &RuleOutcome::reached);
  ASSERT_LT(without, std::ssize(sent.rules)) << "some do not apply";

  Judged received;
  ASSERT_TRUE(from_wire(to_wire(sent), received));

  for (std::size_t i = 0; i < sent.rules.size(); ++i) {
    EXPECT_EQ(received.rules[i].not_applicable, sent.rules[i].not_applicable);
    EXPECT_EQ(received.rules[i].reached, sent.rules[i].reached);
  }
}

TEST(Wire, OutcomesOfOlderJournalsArrive) {
  const auto reason_in = [](const nlohmann::json& rules) {
    auto json = nlohmann::json::parse(to_wire(Judged{}));
    json["rules"] = rules;
    Judged received;
    if (!from_wire(json.dump() + '\n', received)) return std::string("refused");
    return std::string(received.rules.at(0).not_applicable);
  };

  EXPECT_EQ(reason_in({"no client", 3}), "no client");
  EXPECT_EQ(reason_in({{"outcomes", {-1, 3}}, {"reasons", {"no client"}}}), "no client");
  EXPECT_EQ(reason_in({{"outcomes", {-2}}, {"reasons", {"no client"}}}), "refused");
  EXPECT_EQ(reason_in({3, 3}), "");
  for (const char* const text : {"3", "3 x ", "3 99999999999999999999 ", " "}) {
    EXPECT_EQ(reason_in(text), "refused") << text;
  }
}

TEST(Wire, AnythingElseIsRefused) {
  Judged judged;
  EXPECT_FALSE(from_wire("", judged));
  EXPECT_FALSE(from_wire("{}", judged));
  EXPECT_FALSE(from_wire("[1,2", judged));
}

TEST(Printable, LeavesTextAndEscapesTheRest) {
  EXPECT_EQ(printable("plain\ttext\n"), "plain\ttext\n");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of one terminal";
}

}  // namespace
}  // namespace wddm::harness
