// What generated scenarios reach on the built-in driver with GPU virtual addresses: each event is
// one that the families of address spaces and page tables exist for.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "conformance/harness/suite/configurations.h"
#include "conformance/rules/rule.h"
#include "fuzz/generators/generate.h"
#include "fuzz/generators/tests/one_replayer.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kSeeds = 150;
// DXGK_UPDATEPAGETABLEFLAGS::Use64KBPages, DXGK_OPERATION_VIRTUAL_TRANSFER.
constexpr std::uint32_t kUse64KBPages = 8, kVirtualTransfer = 8;

struct Reached {
  std::uint32_t grown = 0, shrunk = 0, moved = 0, evicted = 0, large_pages = 0;
  std::uint32_t faults = 0, ended_by_fault = 0;
  std::uint32_t equal_addresses = 0, windows = 0;
  std::uint32_t hurried = 0, hurried_faults = 0;  // buffers that nobody waited for paging with
  std::uint32_t peers = 0, peers_of_others = 0;   // leaves of the first GPU of a link, of others
  std::uint64_t leaf_addresses = 0;               // bits that some leaf's first address has
  std::uint32_t caught = 0;  // scenarios in which the clause of the fault fails
};

void count_tables(const Trace& trace, Reached& reached) {
  std::map<std::uint64_t, std::set<std::uint32_t>> processes_at;
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.level != 0 || update.process == kSystemProcessNumber) continue;
    reached.leaf_addresses |= update.first_va;
    const bool valid = [&] {
      for (const auto& entry : trace.blob<EntryRecord>(trace.events()[index])) {
        if ((entry.flags & entry_flag::kValid) != 0) return true;
      }
      return false;
    }();
    if (!valid) continue;
    reached.large_pages += (update.flags & kUse64KBPages) != 0;
    processes_at[update.first_va].insert(update.process);
  }
  reached.equal_addresses += std::any_of(processes_at.begin(), processes_at.end(),
                                         [](const auto& at) { return at.second.size() > 1; });
  for (const std::uint32_t index : trace.of<ev::TableMoved>()) {
    const auto moved = trace.at<ev::TableMoved>(index);
    (moved.gone != 0 ? reached.evicted : reached.moved) += 1;
  }
}

void count_roots(const Trace& trace, Reached& reached) {
  std::map<std::uint32_t, std::uint32_t> entries_of;
  for (const std::uint32_t index : trace.of<ev::RootSet>()) {
    const auto set = trace.at<ev::RootSet>(index);
    const auto [before, is_new] = entries_of.try_emplace(set.context, set.entries);
    reached.grown += set.entries > before->second;
    reached.shrunk += set.entries < before->second;
    before->second = set.entries;
  }
}

// A transfer in parts is several operations of one op for one allocation.
void count_windows(const Trace& trace, Reached& reached) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> parts;
  for (const std::uint32_t index : trace.of<ev::PagingDone>()) {
    const auto done = trace.at<ev::PagingDone>(index);
    if (done.operation != kVirtualTransfer) continue;
    reached.windows += ++parts[{trace.events()[index].op, done.allocation}] == 2;
  }
}

void count_hurried(const Trace& trace, Reached& reached) {
  std::set<std::uint32_t> renders, packets;
  for (const std::uint32_t index : trace.of<ev::NotAwaited>()) {
    renders.insert(trace.at<ev::NotAwaited>(index).render);
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging == 0 && renders.contains(submitted.render)) {
      packets.insert(submitted.packet);
    }
  }
  reached.hurried += static_cast<std::uint32_t>(packets.size());
  for (const std::uint32_t index : trace.of<ev::PageFaultReported>()) {
    reached.hurried_faults += packets.contains(trace.at<ev::PageFaultReported>(index).packet);
  }
}

// Leaves of one GPU that lead to memory of another: of the first to others, and the other way
// round.
void count_peers(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.level != 0 || update.process == kSystemProcessNumber) continue;
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    const bool of_peer = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
      const std::uint32_t kind = entry.flags & (entry_flag::kValid | entry_flag::kSystem);
      return kind == entry_flag::kValid && entry.adapter != update.physical_adapter;
    });
    if (of_peer) ++(update.physical_adapter == 0 ? reached.peers : reached.peers_of_others);
  }
}

void count(const Trace& trace, Reached& reached) {
  count_hurried(trace, reached);
  count_peers(trace, reached);
  count_tables(trace, reached);
  count_roots(trace, reached);
  count_windows(trace, reached);
  reached.faults += static_cast<std::uint32_t>(trace.of<ev::PageFaultReported>().size());
  for (const std::uint32_t index : trace.of<ev::DeviceInError>()) {
    reached.ended_by_fault += trace.at<ev::DeviceInError>(index).cause == 0;
  }
}

// Scenarios of a family in a configuration, with the seeded fault of a clause or none.
Reached reached_by(Family family, const std::string& settings, const char* fault = nullptr,
                   std::uint32_t linked = 1) {
  harness::Replayer& replayer = one_replayer();
  std::string error;
  harness::Configuration configuration;
  EXPECT_TRUE(harness::parse_configuration(settings, configuration, error)) << error;
  GeneratorOptions options;
  options.machine.gpu_virtual = 1;
  options.machine.linked = linked;
  Reached reached;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    Scenario scenario;
    scenario.ops = generate(family, random, options);
    harness::RunRequest request{.scenario = &scenario, .settings = configuration.settings};
    if (fault != nullptr) request.fault = &find_rule(fault)->fault;
    const harness::Judged& judged = replayer.run(request);
    count(replayer.trace(), reached);
    reached.caught +=
        std::any_of(judged.failures.begin(), judged.failures.end(),
                    [&](const auto& failure) { return fault != nullptr && failure.id == fault; });
    if (fault != nullptr || (judged.failures.empty() && judged.harness.empty())) continue;
    ADD_FAILURE() << (judged.failures.empty() ? judged.harness[0] : judged.failures[0].id)
                  << " in scenario " << seed << " of " << family_name(family) << " with "
                  << settings << "\n"
                  << print_scenario(scenario);
  }
  return reached;
}

// Of two levels in video memory the root is resized.
constexpr const char* kTwoLevels = "Addressing=1,PageTableUpdateMode=2";
constexpr const char* kFourLevels = "Addressing=1,PageTableLevels=4,PageTableUpdateMode=2";
constexpr const char* kLinked =
    "Addressing=1,PageTableLevels=3,PageTableUpdateMode=2,LinkedAdapters=2";
constexpr const char* kPages64K = "Addressing=1,PageSize64K=1,PageTableUpdateMode=2";

TEST(ReachGpuVirtual, AddressSpaces) {
  const Reached reached = reached_by(Family::AddressSpaces, kTwoLevels);
  EXPECT_GT(reached.grown, 30u);
  EXPECT_GT(reached.shrunk, 10u);
  EXPECT_GT(reached.faults, 4u);
  EXPECT_GT(reached.ended_by_fault, 4u);
  EXPECT_GT(reached.equal_addresses, 15u);
  EXPECT_GT(reached.windows, 15u);
}

TEST(ReachGpuVirtual, PageTables) {
  const Reached reached = reached_by(Family::PageTables, kTwoLevels);
  EXPECT_GT(reached.moved, 100u);
  EXPECT_GT(reached.evicted, 100u);
  EXPECT_GT(reached.grown, 20u);
  EXPECT_GT(reached.shrunk, 5u);
}

TEST(ReachGpuVirtual, SpacesAreSparseOverAllBitsOfTheirAddresses) {
  const Reached reached = reached_by(Family::AddressSpaces, kFourLevels);
  for (unsigned bit = 21; bit < 48; ++bit) {
    EXPECT_NE(reached.leaf_addresses >> bit & 1, 0u) << bit;
  }
}

TEST(ReachGpuVirtual, ClientsThatDoNotWait) {
  for (const Family family : {Family::AddressSpaces, Family::PageTables}) {
    const Reached reached = reached_by(family, kFourLevels);
    EXPECT_GT(reached.hurried, 5u) << family_name(family);
    EXPECT_GT(reached.hurried_faults, 0u) << family_name(family);
  }
}

TEST(ReachGpuVirtual, MemoryOfTheOtherGpu) {
  for (const Family family : {Family::AddressSpaces, Family::PageTables}) {
    const Reached reached = reached_by(family, kLinked, nullptr, 2);
    EXPECT_GT(reached.peers, 20u) << family_name(family);
    EXPECT_GT(reached.peers_of_others, 20u) << family_name(family);
  }
}

TEST(ReachGpuVirtual, PagesOf64KB) {
  EXPECT_GT(reached_by(Family::PageTables, kPages64K).large_pages, 10u);
}

// Accesses that go wrong where the flush is left out.
TEST(ReachGpuVirtual, StaleTranslations) {
  EXPECT_GT(reached_by(Family::PageTables, kTwoLevels, "VPAGE-004").caught, 6u);
  EXPECT_GT(reached_by(Family::AddressSpaces, kFourLevels, "VPAGE-004").caught, 4u);
}

}  // namespace
}  // namespace wddm::fuzz
