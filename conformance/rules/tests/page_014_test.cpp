// Which map or unmap a Transfer through an aperture is held against.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::page_014 {
namespace {

constexpr std::uint32_t kTransfer = 0, kMap = 5, kUnmap = 6, kVirtualTransfer = 8, kMap2 = 17;

// Two apertures, segments 2 and 3.
class Page014 : public TraceTest {
 protected:
  Page014() {
    platform_.segments.resize(3);
    platform_.segments[1].flags.value = platform_.segments[2].flags.value = 1;
  }
  void built(std::uint32_t operation, std::uint32_t segment) {
    add(ev::PagingBuilt{.operation = operation},
        std::vector<PagingArguments>{{.destination_segment = segment, .page = 5, .pages = 2}});
  }
  void goes_wrong(std::uint32_t operation) {
    add(ev::PagingDone{.operation = operation, .packet = 9});
    add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 9});
  }
};

TEST_F(Page014, ATransferToMappedPagesIsOfTheMap) {
  built(kMap, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
}

TEST_F(Page014, ATransferToUnmappedPagesIsOfTheUnmap) {
  built(kMap, 2);
  built(kUnmap, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-015"));
}

TEST_F(Page014, AnUnmapInSeveralBuffersIsJudgedAsAWhole) {
  built(kMap, 2);
  for (const std::uint32_t pass : {0u, 1u}) {
    add(ev::PagingBuilt{.operation = kUnmap, .pass = pass},
        std::vector<PagingArguments>{{.destination_segment = 2, .page = 5, .pages = 2}});
  }
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("PAGE-003"));
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-015"));
}

TEST_F(Page014, WhatLiesBesideAnUnmapIsStillMapped) {
  built(kMap, 2);
  add(ev::PagingBuilt{.operation = kUnmap},
      std::vector<PagingArguments>{{.destination_segment = 2, .page = 7, .pages = 2}});
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
}

TEST_F(Page014, PagesOfAnotherApertureAreOthers) {
  built(kMap, 2);
  built(kUnmap, 3);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
}

TEST_F(Page014, ATransferByAddressesMayLeadThereToo) {
  built(kMap, 2);
  built(kVirtualTransfer, 2);
  goes_wrong(kVirtualTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
}

TEST_F(Page014, PagesMappedByAListAreOfAnotherClause) {
  built(kMap, 2);
  built(kMap2, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-021"));
}

// What the device's log says of such pages: 5 and 6 of segment 2.
class FaultsInAnAperture : public Page014 {
 protected:
  FaultsInAnAperture() {
    platform_.segments[1].base = 0x100000;
    platform_.segments[1].size = 0x10000;
    platform_.segments[2].base = 0x200000;
    platform_.segments[2].size = 0x10000;
  }
  void done(std::uint32_t operation, std::uint32_t passes = 1, bool runs = true) {
    add(ev::Submitted{.packet = 9, .fence = 4, .end = 24, .paging = 1});
    if (runs) add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = 4});
    add(ev::PagingDone{.operation = operation, .packet = 9, .passes = passes});
  }
  void faults(std::uint64_t address = 0x105010, std::uint32_t length = 4) {
    add(ev::DeviceLogged{.address = address, .kind = WDDM_DEVICE_FAULT, .length = length});
  }
};

TEST_F(FaultsInAnAperture, MappedPagesAreAccessible) {
  built(kMap, 2);
  faults();
  EXPECT_TRUE(holds("PAGE-014")) << "the map is under way";
  done(kMap);
  faults(0x104ffc);
  faults(0x106ffc, 8);
  faults(0x205010);
  EXPECT_TRUE(holds("PAGE-014")) << "other pages";
  faults();
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
  EXPECT_TRUE(holds("PAGE-003"));
}

TEST_F(FaultsInAnAperture, WhatIsMappedInSeveralBuffersIsOfAnotherClause) {
  built(kMap, 2);
  built(kMap, 2);
  done(kMap, 2);
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-003"));
}

TEST_F(FaultsInAnAperture, PagesThatALaterMapTakesOverAreItsOwn) {
  built(kMap, 2);
  done(kMap);
  add(ev::PagingBuilt{.operation = kUnmap},
      std::vector<PagingArguments>{{.destination_segment = 2, .page = 6, .pages = 2}});
  faults(0x106010);
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015")) << "the unmap is under way";
  faults();
  EXPECT_FALSE(holds("PAGE-014"));
  done(kUnmap);
  faults(0x107010);
  EXPECT_FALSE(holds("PAGE-015"));
}

TEST_F(FaultsInAnAperture, UnmappedPagesAreAccessible) {
  built(kMap, 2);
  done(kMap);
  built(kUnmap, 2);
  done(kUnmap);
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-015"));
}

TEST_F(FaultsInAnAperture, AMapByAListIsOfAnotherClause) {
  platform_.map_aperture2 = true;
  built(kMap2, 2);
  done(kMap2);
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-021"));
}

TEST_F(FaultsInAnAperture, AMapThatWasReportedAndNeverRanIsNotWrong) {
  built(kMap, 2);
  done(kMap, 1, false);
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
}

TEST_F(FaultsInAnAperture, AStartBeginsAnew) {
  built(kMap, 2);
  done(kMap);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::StopDevice)});
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
}

TEST_F(FaultsInAnAperture, OfSeveralMapsOfBuffersNobodyKnowsWhichHasEnded) {
  built(kMap, 2);
  built(kMap, 3);
  done(kMap);
  faults();
  EXPECT_TRUE(holds("PAGE-014"));
  done(kMap);
  faults(0x205010);
  EXPECT_FALSE(holds("PAGE-014"));
}

TEST_F(FaultsInAnAperture, NoCommandIsToBlameForAMap) {
  built(kMap, 2);
  done(kMap);
  add(ev::Rendered{.render = 1, .hostile = 1});
  add(ev::Patched{.packet = 3, .render = 1});
  add(ev::Submitted{.packet = 3, .render = 1, .fence = 7, .end = 64});
  add(ev::DeviceLogged{.address = 0x105010, .kind = WDDM_DEVICE_FAULT, .tag = 7, .length = 4});
  EXPECT_TRUE(holds("RENDER-008"));
  add(ev::DeviceLogged{.address = 0x108000, .kind = WDDM_DEVICE_FAULT, .tag = 7, .length = 4});
  EXPECT_FALSE(holds("RENDER-008"));
}

}  // namespace
}  // namespace wddm::page_014
