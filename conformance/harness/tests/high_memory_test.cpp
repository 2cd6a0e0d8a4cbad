// Memory and addresses beyond 4 GB: the built-in driver with a segment that the CPU does not see,
// whose offsets have more than 32 bits, and command buffers at such addresses. Drivers that keep 32
// bits of either are found.
#include <algorithm>
#include <string>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

constexpr const char* kHighWork = R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
- configure: {setting: HighSegment, value: 1}
- configure: {setting: PageTableSegment, value: 3}
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x11223344}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 4096, size: 4096}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4096, value: 5}
- idle
- evict: {allocation: 1}
- idle
- stop
)";

class HighMemory : public ReplayTest {
 protected:
  template <class Kind>
  void expect_found() {
    const Fault fault = fault_of<Kind>();
    EXPECT_FALSE(run(scenario_of(kHighWork), &fault).failures.empty());
  }
};

TEST_F(HighMemory, IsReadBackByPaging) {
  EXPECT_TRUE(run(scenario_of(kHighWork)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::Finding>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
  EXPECT_EQ(count<ev::WalkAstray>(), 0u);
  bool high_commands = false, high_pages = false;
  for (const std::uint32_t index : replayer_.trace().of<ev::Submitted>()) {
    high_commands |= replayer_.trace().at<ev::Submitted>(index).address >> 32 != 0;
  }
  for (const std::uint32_t index : replayer_.trace().of<ev::RootSet>()) {
    high_pages |= replayer_.trace().at<ev::RootSet>(index).place >> 32 != 0;
  }
  EXPECT_TRUE(high_commands);
  EXPECT_TRUE(high_pages);
}

class ShortCommandAddress final : public Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL cut = *submit;
    cut.DmaBufferVirtualAddress = static_cast<UINT>(submit->DmaBufferVirtualAddress);
    return Interposer::SubmitCommandVirtual(adapter, &cut);
  }
};

TEST_F(HighMemory, AddressesOfCommandBuffersHaveMoreThan32Bits) {
  expect_found<ShortCommandAddress>();
}

class ShortRootOffset final : public Interposer {
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE cut = *set;
    cut.Address.SegmentOffset = static_cast<UINT>(set->Address.SegmentOffset);
    Interposer::SetRootPageTable(adapter, &cut);
  }
};

TEST_F(HighMemory, OffsetsOfRootsHaveMoreThan32Bits) {
  expect_found<ShortRootOffset>();
}

// Frames of entries, at the leaves or above them.
template <bool kLeaves>
class ShortFrames final : public Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& update = build->UpdatePageTable;
    const bool concerned = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                           (update.PageTableLevel == 0) == kLeaves;
    if (!concerned) return Interposer::BuildPagingBuffer(adapter, build);
    const UINT count = update.Flags.Repeat ? 1 : update.NumPageTableEntries;
    std::vector<DXGK_PTE> cut(update.pPageTableEntries, update.pPageTableEntries + count);
    for (DXGK_PTE& entry : cut) {
      if (entry.Segment != 0) entry.PageAddress &= 0xFFFFF;
    }
    DXGK_PTE* const asked = update.pPageTableEntries;
    update.pPageTableEntries = cut.data();
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    update.pPageTableEntries = asked;
    return status;
  }
};

TEST_F(HighMemory, FramesOfPagesHaveMoreThan20Bits) {
  expect_found<ShortFrames<true>>();
}

TEST_F(HighMemory, FramesOfTablesHaveMoreThan20Bits) {
  expect_found<ShortFrames<false>>();
}

class ShortTableAddress final : public Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& update = build->UpdatePageTable;
    const bool concerned = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                           update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    if (!concerned) return Interposer::BuildPagingBuffer(adapter, build);
    UINT64& offset = update.PageTableAddress.GpuPhysical.SegmentOffset;
    const UINT64 asked = offset;
    offset = static_cast<UINT>(asked);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    offset = asked;
    return status;
  }
};

TEST_F(HighMemory, OffsetsOfTablesHaveMoreThan32Bits) {
  expect_found<ShortTableAddress>();
}

// Ranges of a client, at one bit that 32 bits do not have.
class ShortFlush final : public Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_FLUSH_TLB) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& flush = build->FlushTlb;
    const auto asked = flush;
    flush.StartVirtualAddress = static_cast<UINT>(asked.StartVirtualAddress);
    flush.EndVirtualAddress = static_cast<UINT>(asked.EndVirtualAddress);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    flush = asked;
    return status;
  }
};

TEST_F(HighMemory, FlushedAddressesHaveMoreThan32Bits) {
  Configuration configuration;
  std::string error;
  ASSERT_TRUE(parse_configuration("Addressing=1,PageTableLevels=4,PageTableUpdateMode=2",
                                  configuration, error))
      << error;
  const Fault fault = fault_of<ShortFlush>();
  EXPECT_TRUE(fires_in_its_own("VPAGE-004", configuration.settings, &fault));
}

// -- contents, of which nothing is paged out: the device reads them

constexpr const char* kStays = R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: PageTableLevels, value: 4}
- configure: {setting: PageTableUpdateMode, value: 2}
- configure: {setting: HighSegment, value: 1}
- configure: {setting: PageTableSegment, value: 3}
- start
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11223344}
- idle
- create_context: {context: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 4096, size: 4096, value: 0x55667788}
- idle
)";

class Contents : public HighMemory {
 protected:
  template <class Kind>
  bool finds(const char* id) {
    const Fault fault = fault_of<Kind>();
    return says(run(scenario_of(kStays), &fault), id);
  }
};

TEST_F(Contents, AreAsPredicted) {
  EXPECT_TRUE(run(scenario_of(kStays)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
}

struct LosesABitOfThePattern final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_FILL) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const UINT asked = build->FillVirtual.FillPattern;
    build->FillVirtual.FillPattern = asked & ~4u;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->FillVirtual.FillPattern = asked;
    return status;
  }
};

TEST_F(Contents, AFillIsBlamedWhereItFills) {
  EXPECT_TRUE(finds<LosesABitOfThePattern>("VPAGE-001"));
}

TEST_F(Contents, CommandsAreBlamedWhereTheyWrite) {
  EXPECT_TRUE(finds<RunsNothing>("SUBMIT-015"));
}

}  // namespace
}  // namespace wddm::harness
