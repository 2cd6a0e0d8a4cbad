// What goes through the space of the paging process, as the trace has it: windows of 64 KB pages,
// entries copied between several tables, and context allocations that move.
#include <string>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "reference/trace/copied_entries.h"

namespace wddm::harness {
namespace {

class PagingProcess : public ReplayTest {
 protected:
  void play(const std::string& settings, const std::string& ops) {
    const std::string text =
        "ops:\n- configure: {setting: Addressing, value: 1}\n" + settings + ops;
    EXPECT_TRUE(run(scenario_of(text)).failures.empty());
    EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  }
};

constexpr const char* kPages64K = R"(
- configure: {setting: PageSize64K, value: 1}
- configure: {setting: PageTableUpdateMode, value: 2}
)";
constexpr const char* kPairs = R"(
- configure: {setting: PageSize64K, value: 1}
- configure: {setting: PageTableUpdateMode, value: 2}
- configure: {setting: PageTableLevels, value: 3}
- configure: {setting: DualPte, value: 1}
)";
constexpr const char* kContextAllocations = R"(
- configure: {setting: PageTableUpdateMode, value: 2}
- configure: {setting: ContextAllocations, value: 1}
)";
// What packets of context 1 write before its memory moves, and behind that.
const std::string kFills = R"(
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)";
const std::string kMovesAndAdds = R"(
- move_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)";

TEST_F(PagingProcess, MemoryOf64KbPagesIsShownInSuch) {
  for (const char* const settings : {kPages64K, kPairs}) {
    play(settings, R"(
- create_allocation: {allocation: 1, pages: 48, place: local}
- cpu_write: {allocation: 1, offset: 4096, value: 0x02020202}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
- transfer_chunk: {pages: 24}
- make_resident: {allocation: 1}
- idle
)");
    const auto transfers = seen<ev::TransferBuilt>();
    ASSERT_EQ(transfers.size(), 4u);
    EXPECT_EQ(transfers[0].flags, 2u) << "from system memory";
    EXPECT_EQ(transfers[0].source_page, 4096u);
    EXPECT_EQ(transfers[0].destination_page, 65536u);
    EXPECT_EQ(transfers[1].flags, 1u) << "and back";
    EXPECT_EQ(transfers[2].flags, 0u) << "a part that is no whole pages";
    EXPECT_EQ(transfers[2].destination_page, 4096u);
    EXPECT_EQ(transfers[3].flags, 0u);
  }
}

TEST_F(PagingProcess, WithoutLeavesOf64KbPagesNothingIs) {
  play("- configure: {setting: PageTableUpdateMode, value: 2}\n", R"(
- create_allocation: {allocation: 1, pages: 48, place: local}
- cpu_write: {allocation: 1, offset: 4096, value: 0x02020202}
- make_resident: {allocation: 1}
- idle
)");
  const auto transfers = seen<ev::TransferBuilt>();
  ASSERT_EQ(transfers.size(), 1u);
  EXPECT_EQ(transfers[0].flags, 0u);
  EXPECT_EQ(transfers[0].destination_page, 4096u);
}

TEST_F(PagingProcess, PartsLieAcrossLeavesWhereAScenarioAsksForIt) {
  constexpr std::uint64_t kLeaf = 2 << 20;
  const auto is_across = [](std::uint64_t first, std::uint64_t bytes) {
    return first / kLeaf != (first + bytes - 1) / kLeaf;
  };
  for (const char* const mode : {"0", "1", "2"}) {
    play("- configure: {setting: PageTableUpdateMode, value: " + std::string(mode) + R"(}
- transfer_chunk: {across_leaves: true}
)",
         R"(
- create_allocation: {allocation: 1, pages: 3, place: local}
- cpu_write: {allocation: 1, offset: 4096, value: 0x02020202}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
)");
    const auto transfers = seen<ev::TransferBuilt>();
    EXPECT_EQ(transfers.size(), 2u);
    for (const ev::TransferBuilt& transfer : transfers) {
      EXPECT_TRUE(is_across(transfer.source, transfer.size)) << transfer.source;
      EXPECT_TRUE(is_across(transfer.destination, transfer.size)) << transfer.destination;
      EXPECT_EQ(transfer.source_page, 4096u);
    }
    EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
  }
}

TEST_F(PagingProcess, TablesLeaveAndAreBackWhileAPacketIsStopped) {
  play("- configure: {setting: PageTableUpdateMode, value: 2}\n",
       "- create_context: {context: 1}" + kFills + R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 1, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 50}
- evict_tables: {device: 0}
- advance: {units: 400}
- idle
)");
  const Trace& trace = replayer_.trace();
  std::uint32_t stopped = kNone, gone = kNone, resumed = kNone;
  for (const std::uint32_t index : trace.of_any<ev::PacketEnded, ev::TableMoved, ev::Submitted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PacketEnded) {
      const auto ended = trace.at<ev::PacketEnded>(index);
      if (ended.fate == static_cast<std::uint32_t>(PacketFate::Preempted)) stopped = index;
    } else if (event.kind == EventKind::Submitted) {
      if (trace.at<ev::Submitted>(index).paging == 0) resumed = index;
    } else if (stopped != kNone && trace.at<ev::TableMoved>(index).gone != 0 && gone == kNone) {
      gone = index;
    }
  }
  ASSERT_NE(stopped, kNone);
  ASSERT_NE(gone, kNone);
  EXPECT_LT(stopped, gone);
  EXPECT_LT(gone, resumed);
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
  EXPECT_TRUE(seen<ev::PageFaultReported>().empty());
}

TEST_F(PagingProcess, TilesOfTwoLeavesAreCopiedInOneCall) {
  play(R"(
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
)",
       R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_allocation: {allocation: 2, pages: 16, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x400000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 506, from: 0, pages: 16}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 506, from: 0, pages: 16}
- idle
)");
  const auto copied = seen<ev::EntriesCopied>();
  ASSERT_GE(copied.size(), 2u);
  const ev::EntriesCopied &first = copied[copied.size() - 2], &second = copied.back();
  EXPECT_EQ(first.ranges, 2u);
  EXPECT_EQ(first.to_first, 506u);
  EXPECT_EQ(first.count, 6u);
  EXPECT_EQ(second.range, 1u);
  EXPECT_EQ(second.to_first, 0u);
  EXPECT_EQ(second.count, 10u);
  EXPECT_EQ(second.decoys, 1u);
  EXPECT_EQ(second.behind, 0u);
  for (const ev::EntriesCopied& range : copied) {
    EXPECT_EQ(range.read, range.count);
    EXPECT_EQ(range.unlike + range.outside, 0u);
  }
}

TEST_F(PagingProcess, TilesOfAProcessAreCopiedInIt) {
  play(R"(
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
)",
       R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2000000, size: 0x800000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 504, from: 0, pages: 16}
- update_address: {allocation: 1, kind: map, to: 1020, from: 0, pages: 16}
- update_address: {allocation: 1, kind: copy, to: 1020, from: 504, pages: 16}
- update_address: {allocation: 1, kind: copy, to: 504, from: 0, pages: 4}
- idle
)");
  const auto copied = seen<ev::EntriesCopied>();
  ASSERT_GE(copied.size(), 5u);
  struct Range {
    std::uint32_t from, to, count, ranges;
  };
  // The table in the middle is source and destination. What leads nowhere is copied too.
  const std::vector<Range> wanted = {
      {504, 508, 4, 3}, {508, 0, 4, 3}, {0, 4, 8, 3}, {0, 504, 2, 2}, {2, 506, 2, 2}};
  const auto at = replayer_.trace().of<ev::EntriesCopied>();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t index = copied.size() - wanted.size() + i;
    const ev::EntriesCopied& range = copied[index];
    EXPECT_EQ(range.from_first, wanted[i].from) << i;
    EXPECT_EQ(range.to_first, wanted[i].to) << i;
    EXPECT_EQ(range.count, wanted[i].count) << i;
    EXPECT_EQ(range.ranges, wanted[i].ranges) << i;
    EXPECT_EQ(range.read, range.count) << i;
    EXPECT_EQ(range.unlike + range.outside, 0u) << i;
    const auto where = replayer_.trace().blob<CopiedFrom>(replayer_.trace().events()[at[index]]);
    ASSERT_EQ(where.size(), 1u);
    EXPECT_EQ(where.front().source_process, range.process) << i;
  }
}

// When entries are written a source that overlaps is not there any more.
TEST_F(PagingProcess, TilesThatOverlapAreCopiedFromTheirPool) {
  play(R"(
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
)",
       R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 8}
- update_address: {allocation: 1, kind: copy, to: 1, from: 0, pages: 8}
- idle
)");
  const auto all_copied = replayer_.trace().of<ev::EntriesCopied>();
  ASSERT_FALSE(all_copied.empty());
  for (const std::uint32_t index : all_copied) {
    for (const CopiedFrom& from :
         replayer_.trace().blob<CopiedFrom>(replayer_.trace().events()[index])) {
      EXPECT_GE(from.source_process, kPrivilegedSpaceNumber);
    }
  }
}

TEST_F(PagingProcess, AContextsMemoryMovesAndTakesItsContentsAlong) {
  play(kContextAllocations, "- create_context: {context: 1}" + kFills + kMovesAndAdds +
                                "- move_context: {context: 1}\n- idle\n");
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[0].context, 1u);
  EXPECT_NE(moves[0].from, moves[0].to);
  EXPECT_EQ(moves[1].from, moves[0].to);
  const auto looks = seen<ev::FormerPlaceLooked>();
  ASSERT_EQ(looks.size(), 2u) << "at the second move and at the end";
  EXPECT_EQ(looks[0].changed + looks[1].changed, 0u);
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

// No notice says where it is in system memory, and the next packet finds it elsewhere than before.
TEST_F(PagingProcess, AContextsMemoryIsEvictedAndComesBackForItsPacket) {
  play(kContextAllocations, "- create_context: {context: 1}" + kFills +
                                "- move_context: {context: 1, evict: true}\n- idle\n" + R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)");
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[0].evicted, 1u);
  EXPECT_EQ(moves[0].segment, 0u);
  EXPECT_EQ(moves[1].evicted, 0u);
  EXPECT_NE(moves[1].segment, 0u);
  EXPECT_NE(moves[1].to, moves[0].from);
  EXPECT_EQ(moves[0].unlike + moves[1].unlike, 0u);
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

// Its root moves meanwhile: what is written then is in system memory.
TEST_F(PagingProcess, AContextsMemoryIsUpdatedWhileItIsEvicted) {
  play(kContextAllocations, "- create_context: {context: 1}" + kFills + R"(
- move_context: {context: 1, evict: true}
- move_table: {allocation: 1, level: 5}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)");
  EXPECT_EQ(seen<ev::ContextAllocationMoved>().size(), 2u);
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

// Nothing is copied there: another place of the aperture shows the same pages.
TEST_F(PagingProcess, AContextsMemoryInTheApertureIsShownElsewhere) {
  play(R"(
- configure: {setting: PageTableUpdateMode, value: 2}
- configure: {setting: ContextAllocations, value: 2}
)",
       "- create_context: {context: 1}" + kFills + kMovesAndAdds +
           "- move_context: {context: 1, evict: true}\n" + R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- power_cycle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)");
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 5u) << "it leaves for the loss of power, too";
  EXPECT_NE(moves[0].from, moves[0].to);
  EXPECT_NE(moves[0].segment, 0u);
  EXPECT_EQ(moves[1].evicted, 1u);
  EXPECT_NE(moves[2].to, moves[1].from);
  for (const auto& move : moves) EXPECT_EQ(move.unlike, kNone);
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
}

// Contexts that page are gone by then, and so are those whose memory it was.
TEST_F(PagingProcess, EntriesOfContextsMemoryGoWithTheTables) {
  play(kContextAllocations, "- create_context: {context: 1}" + kFills + "- stop\n");
  std::uint32_t mapped = 0;
  for (const auto& answered : seen<ev::AddressAnswered>()) {
    const auto request = static_cast<AddressRequest>(answered.request);
    mapped += request == AddressRequest::MapContextAllocation && answered.refused == 0;
  }
  EXPECT_NE(mapped, 0u);
  bool devices_end = false;
  for (const auto& entered : seen<ev::DdiEntered>()) {
    const auto ddi = static_cast<DdiId>(entered.ddi);
    devices_end |= ddi == DdiId::DestroyDevice;
    EXPECT_FALSE(devices_end && ddi == DdiId::BuildPagingBuffer);
  }
  EXPECT_TRUE(devices_end);
}

// Each GPU of a link has its own instance of the tables, and all say the same.
TEST_F(PagingProcess, EveryGpuOfALinkHasTheAddressOfContextsMemory) {
  play(kContextAllocations + std::string("- configure: {setting: LinkedAdapters, value: 2}\n"),
       R"(
- create_context: {context: 0}
- physical_adapter: {index: 1}
- create_context: {context: 1}
)" + kFills +
           kMovesAndAdds);
  EXPECT_EQ(seen<ev::ContextAllocationMoved>().size(), 1u);
  EXPECT_FALSE(seen<ev::InstanceCompared>().empty()) << "LDA-004";
}

TEST_F(PagingProcess, WithoutNoticesItStays) {
  EXPECT_TRUE(run(scenario_of(R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: PageTableUpdateMode, value: 2}
- create_context: {context: 1}
- move_context: {context: 1}
- idle
)"))
                  .failures.empty());
  EXPECT_TRUE(seen<ev::ContextAllocationMoved>().empty());
  EXPECT_EQ(seen<ev::OpSkipped>().size(), 1u);
}

}  // namespace
}  // namespace wddm::harness
