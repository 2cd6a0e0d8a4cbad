// Every two settings of the built-in driver with GPU virtual addresses together: what no
// configuration of the clauses joins.
//
// Each setting has one value that is not its default, with what it needs beside it. A few scenarios
// go through most of what the host does with a driver; nothing fires there, and whatever is skipped
// stands in a table with its reason. Left out: three settings at once, and several values of one.
#include <algorithm>
#include <cstring>
#include <string>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

// Those of a link need page tables in the memory of its GPUs, which needs updates by the GPU.
constexpr const char* kSettings[] = {
    "PageTableLevels=3",
    "PageTableUpdateMode=1",
    "PageTableUpdateMode=2",
    "PageTableUpdateMode=2,PageTableSegment=0",
    "PageSize64K=1",
    "DualPte=1",
    "LargePages=1",
    "InvalidTlbEntriesCached=1",
    "UpdatesNeedIdle=1",
    "ExplicitInvalidation=1",
    "CpuHostAperture=1,PagingTableSegment=3,PageTableUpdateMode=2",
    "NotifyResidency=1",
    "AccessedPhysically=1",
    "MapAperture2=1",
    "ReservedRanges=1",
    "ContextAllocations=1",
    "ContextAllocations=2",
    "IoMmu=1",
    "IoMmu=2",
    "IndexBits=5",
    "HighSegment=1,PageTableSegment=3,PageTableUpdateMode=2,PageTableLevels=3",
    "LinkedAdapters=2,PageTableUpdateMode=2,PageTableLevels=3",
    "PreemptionAware=0",
    "PagingNode=1",
    "ComputeOnly=1",
    "SegmentLayout=1",
};

// Contents come, move and go in two processes; tables do; work is stopped; the adapter starts
// twice.
constexpr const char* kOneGpu = R"(
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1, node: 1}
- create_allocation: {allocation: 1, pages: 3}
- create_allocation: {allocation: 2, pages: 20, place: local}
- create_allocation: {allocation: 3, pages: 2, place: aperture, device: 1}
- cpu_write: {allocation: 3, offset: 4096, value: 0x0A0B0C0D}
- map_address: {allocation: 2, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x11223344}
- copy: {slot: 2, source: 1, offset: 65536, source_offset: 4096, size: 4096}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x55667788}
- spin: {units: 200}
- advance: {units: 30}
- preempt: {node: 1}
- idle
- move: {allocation: 1}
- evict_tables: {device: 0}
- evict: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 65536, value: 5}
- idle
- free_address: {allocation: 2}
- destroy_device: {device: 1}
- evict: {allocation: 1}
- power_cycle
- stop
- start
)";

// Work of either GPU of a link in the memory of both.
constexpr const char* kTwoGpus = R"(
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3}
- create_allocation: {allocation: 2, pages: 3, physical_adapter: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- bind: {slot: 2, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 12288}
- idle
- move: {allocation: 2}
- evict: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 8192, source_offset: 0, size: 4096}
- idle
)";

// What is not played, and why: both names stand in the settings, and this in what the host says.
struct NotPlayed {
  const char* one;
  const char* other;
  const char* why;
};
constexpr NotPlayed kNotPlayed[] = {
    // The tables of a link lie in the memory of its GPUs, and are alike on all of them.
    {"PageTableSegment=0", "LinkedAdapters", "where they lie in the memory of its GPUs"},
    {"HighSegment", "LinkedAdapters", "where all of its GPUs have the same"},
    {"IoMmu=2", "", "the page tables are the CPU's"},
    // 24 tables of 32 entries lead to the windows of the paging process.
    {"PageTableUpdateMode=1", "IndexBits=5", "more page tables than are mapped"},
};

class PairwiseSettings : public ReplayTest {
 protected:
  void play(const std::string& settings) {
    play(settings, kOneGpu);
    if (settings.find("LinkedAdapters") != std::string::npos) play(settings, kTwoGpus);
  }
  // What fires, breaks or is skipped where all these settings are in force; a line each.
  std::string wrong_;

 private:
  void play(const std::string& settings, const char* text) {
    Configuration configuration;
    std::string error;
    ASSERT_TRUE(parse_configuration(settings, configuration, error)) << error;
    const Judged& judged = run(with_settings(scenario_of(text), configuration.settings));
    for (const Failure& failure : judged.failures) wrong_ += settings + ": " + failure.id + "\n";
    for (const std::string& why : {judged.start_trouble, judged.stopped}) {
      if (!why.empty()) wrong_ += settings + ": " + why + "\n";
    }
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::OpSkipped>()) {
      const std::string why(trace.blob_text(trace.events()[index]));
      if (is_in_table(settings, why)) return;  // and what follows from it
      wrong_ += settings + ": skipped, " + why + "\n";
    }
  }
  static bool is_in_table(const std::string& settings, const std::string& why) {
    const auto says = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    return std::any_of(std::begin(kNotPlayed), std::end(kNotPlayed), [&](const NotPlayed& one) {
      return says(settings, one.one) && says(settings, one.other) && says(why, one.why);
    });
  }
};

// The first name counts: a setting has one value.
bool are_one_setting(const char* one, const char* other) {
  const std::size_t length = std::strcspn(one, "=");
  return length == std::strcspn(other, "=") && std::strncmp(one, other, length) == 0;
}

TEST_F(PairwiseSettings, NothingFires) {
  for (const char* const& one : kSettings) {
    play(std::string("Addressing=1,") + one);
    for (const char* const* other = &one + 1; other != std::end(kSettings); ++other) {
      if (!are_one_setting(one, *other)) play(std::string("Addressing=1,") + one + "," + *other);
    }
  }
  EXPECT_EQ(wrong_, "");
}

}  // namespace
}  // namespace wddm::harness
