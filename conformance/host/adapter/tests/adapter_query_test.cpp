// QueryAdapterInfo: what is asked in which form, and which answers count.
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

using Types = std::vector<UINT>;

class AdapterQuery : public HostTest {
 protected:
  void start() {
    on_machine([&](World& world) {
      ASSERT_TRUE(world.adapter.bring_up());
      segments = world.adapter.segments();
      nodes = world.adapter.nodes();
      slots = world.adapter.slots();
      paging_bytes = world.adapter.paging_buffer_bytes();
    });
  }
  // Of a segment of so many pages that begins where the driver holds so many.
  SegmentWindow window_in_memory_of_the_driver(std::uint64_t held, std::uint64_t pages) {
    on_machine([&](World& world) {
      const memory::Frame first =
          memory::frames_allocate_contiguous(held, memory::FrameOwner::Driver, ~0ull);
      driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
      driver.segments[0].Size = pages * 4096;
      driver.segments[0].Flags.CpuVisible = 1;
      ASSERT_TRUE(world.adapter.bring_up());
    });
    return static_cast<SegmentWindow>(seen<ev::SegmentReported>().at(0).window);
  }
  std::vector<SegmentDescription> segments;
  std::uint32_t nodes = 0, slots = 0, paging_bytes = 0;
};

TEST_F(AdapterQuery, SegmentsAreAskedForInTwoCalls) {
  start();

  EXPECT_EQ(driver.queries,
            (Types{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_QUERYSEGMENT4, DXGKQAITYPE_QUERYSEGMENT4}));
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].base, FakeDriver::kLocalBase);
  EXPECT_EQ(segments[1].size, FakeDriver::kAperturePages * 4096);
  EXPECT_TRUE(segments[1].flags.Aperture);
  const auto reported = seen<ev::SegmentsReported>();
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_EQ(reported[0].count, 2u);
  EXPECT_EQ(reported[0].stray, 0u);
  EXPECT_EQ(reported[1].asked, 2u);
}

TEST_F(AdapterQuery, WhatTheFirstCallMayNotWriteIsStray) {
  driver.on_query = [](const DXGKARG_QUERYADAPTERINFO& query) {
    if (query.Type != DXGKQAITYPE_QUERYSEGMENT4) return;
    auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
    if (out.pSegmentDescriptor == nullptr) out.PagingBufferPrivateDataSize = 0x0101;
  };

  start();

  EXPECT_EQ(seen<ev::SegmentsReported>().at(0).stray, 2u);
}

TEST_F(AdapterQuery, ShorterSecondAnswerIsRecorded) {
  driver.on_query = [](const DXGKARG_QUERYADAPTERINFO& query) {
    if (query.Type != DXGKQAITYPE_QUERYSEGMENT4) return;
    auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
    if (out.pSegmentDescriptor != nullptr) out.NbSegment = 1;
  };

  start();

  const auto reported = seen<ev::SegmentsReported>();
  ASSERT_EQ(reported.size(), 2u);
  EXPECT_EQ(reported[1].asked, 2u);
  EXPECT_EQ(reported[1].count, 1u);
}

TEST_F(AdapterQuery, WritesBesideTheArrayAreSeen) {
  driver.on_query = [](const DXGKARG_QUERYADAPTERINFO& query) {
    if (query.Type != DXGKQAITYPE_QUERYSEGMENT4) return;
    auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
    if (out.pSegmentDescriptor == nullptr) return;
    reinterpret_cast<std::uint8_t*>(out.pSegmentDescriptor)[-1] ^= 0xff;
  };

  start();

  const auto damage = seen<ev::GuardDamaged>();
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].area, static_cast<std::uint32_t>(GuardArea::SegmentList));
  EXPECT_EQ(damage[0].first, -1);
  EXPECT_EQ(damage[0].bytes, 1u);
}

TEST_F(AdapterQuery, DriverWithoutSegmentsIsNotAskedAgain) {
  driver.segments.clear();

  start();

  EXPECT_EQ(driver.queries, (Types{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_QUERYSEGMENT4}));
  EXPECT_TRUE(segments.empty());
}

TEST_F(AdapterQuery, MoreSegmentsThanAnyAdapterHasAreNotBelieved) {
  driver.segments.resize(33);

  start();

  EXPECT_EQ(driver.queries.size(), 2u);
  EXPECT_TRUE(segments.empty());
}

TEST_F(AdapterQuery, OlderFormIsAskedWhereTheNewestIsUnknown) {
  driver.knows_segment4 = false;

  start();

  EXPECT_EQ(driver.queries,
            (Types{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_QUERYSEGMENT4, DXGKQAITYPE_QUERYSEGMENT3}));
}

TEST_F(AdapterQuery, DriversOfWddm12AreAskedInTheirForm) {
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;

  start();

  EXPECT_EQ(driver.queries, (Types{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_QUERYSEGMENT3}));
}

TEST_F(AdapterQuery, DriversOfWddm1AreAskedInTheirForm) {
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_WIN7;

  start();

  EXPECT_EQ(driver.queries, (Types{DXGKQAITYPE_DRIVERCAPS, DXGKQAITYPE_QUERYSEGMENT}));
}

TEST_F(AdapterQuery, WhoReportsNoSlotsIsLentThem) {
  driver.caps.MaxAllocationListSlotId = 0;

  start();

  EXPECT_EQ(slots, 1u << 24);
  EXPECT_EQ(seen<ev::CapsReported>().at(0).slots, 0u);
}

TEST_F(AdapterQuery, FirstAnswerCounts) {
  on_machine([&](World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    driver.caps.MaxAllocationListSlotId = 5;
    driver.segments.resize(1);
    world.adapter.query();
    EXPECT_EQ(world.adapter.slots(), 16u);
    EXPECT_EQ(world.adapter.segments().size(), 2u);
  });

  const auto caps = seen<ev::CapsReported>();
  ASSERT_EQ(caps.size(), 2u);
  EXPECT_EQ(caps[1].slots, 5u);
  EXPECT_EQ(seen<ev::SegmentsReported>().back().round, 1u);
}

TEST_F(AdapterQuery, NodesAndPagingBuffersStayWithinWhatThereIs) {
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 65;
  driver.paging_bytes = 0x7fffffff;

  start();

  EXPECT_EQ(nodes, 64u);
  EXPECT_EQ(paging_bytes, 1u << 20);
}

TEST_F(AdapterQuery, RefusedCapabilitiesAreThoseOfASmallAdapter) {
  driver.answers[DdiId::QueryAdapterInfo] = STATUS_UNSUCCESSFUL;

  start();

  EXPECT_EQ(nodes, 1u);
  EXPECT_EQ(seen<ev::CapsReported>().at(0).status, static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
}

TEST_F(AdapterQuery, ComputeOnlyDriverWithoutSlotsMayUseThemAll) {
  driver.caps.MaxAllocationListSlotId = 0;
  driver.caps.MiscCaps.ComputeOnly = 1;
  driver.caps.HighestAcceptableAddress.QuadPart = -1;  // else it would not start

  start();

  EXPECT_EQ(slots, 1u << 24);
}

TEST_F(AdapterQuery, ASegmentInMemoryOfTheDriverIsElsewhere) {
  EXPECT_EQ(window_in_memory_of_the_driver(3, 3), SegmentWindow::Elsewhere);
}

TEST_F(AdapterQuery, ASegmentThatIsLargerThanTheMemoryOfTheDriverEndsBehindIt) {
  EXPECT_EQ(window_in_memory_of_the_driver(3, 4), SegmentWindow::Beyond);
}

TEST_F(AdapterQuery, ASegmentWhereNobodyHasMemoryIsNowhere) {
  constexpr LONGLONG kBehindAllMemory = 1ll << 46;
  driver.segments[0].CpuTranslatedAddress.QuadPart = kBehindAllMemory;
  driver.segments[0].Flags.CpuVisible = 1;

  start();

  EXPECT_EQ(seen<ev::SegmentReported>().at(0).window,
            static_cast<std::uint32_t>(SegmentWindow::None));
}

}  // namespace
}  // namespace wddm::host
