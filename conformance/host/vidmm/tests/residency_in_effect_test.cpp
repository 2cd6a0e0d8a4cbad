// Where allocations will be once all that was decided is done, and what drivers are told of it.
#include "conformance/host/vidmm/residency_in_effect.h"

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

using vidmm::StepKind;

class ResidencyTest : public VidMmTest {
 protected:
  /// An allocation of 2 pages in kSlot.
  template <class Body>
  void with_slot(Body body) {
    with({{kSlot, 2}}, [&](World& world) { body(world.residency, world); });
  }
  static vidmm::PagingStep of(StepKind kind, SegmentId segment, std::uint32_t page) {
    return step(kind, kSlot, segment, page, 2);
  }
};

TEST_F(ResidencyTest, StepsThatBringInAreWhereItWillBe) {
  with_slot([&](Residency& residency, World&) {
    for (const StepKind kind : {StepKind::Fill, StepKind::TransferIn}) {
      residency.plan(of(kind, kLocal, 3));
      EXPECT_EQ(residency.planned(kSlot), (PlaceInSegment{kLocal, 3}));
    }
    residency.plan(of(StepKind::MapAperture, kAperture, 4));
    EXPECT_EQ(residency.planned(kSlot), (PlaceInSegment{kAperture, 4}));
  });
}

TEST_F(ResidencyTest, OnlyThePlaceItIsAtCanBeLeft) {
  with_slot([&](Residency& residency, World&) {
    residency.plan(of(StepKind::Fill, kLocal, 3));
    residency.plan(of(StepKind::TransferIn, kLocal, 6));
    residency.plan(of(StepKind::Discard, kLocal, 3));
    EXPECT_EQ(residency.planned(kSlot), (PlaceInSegment{kLocal, 6}));
    residency.plan(of(StepKind::TransferOut, kLocal, 6));
    EXPECT_EQ(residency.planned(kSlot), PlaceInSegment{});
  });
}

TEST_F(ResidencyTest, EntryOfAListSaysSegmentAndAddress) {
  with_slot([&](Residency& residency, World&) {
    DXGK_ALLOCATIONLIST entry{};
    residency.plan(of(StepKind::Fill, kLocal, 3));
    residency.write_address(kSlot, entry);
    EXPECT_EQ(entry.SegmentId, kLocal.value);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart,
              static_cast<LONGLONG>(FakeDriver::kLocalBase + 3 * 4096));
    residency.plan(of(StepKind::TransferOut, kLocal, 3));
    residency.write_address(kSlot, entry);
    EXPECT_EQ(entry.SegmentId, 0u);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart, 0);
  });
}

TEST_F(ResidencyTest, MovedOnEntryGoesRoundThePlacesOfTheSegment) {
  with_slot([&](Residency& residency, World&) {
    DXGK_ALLOCATIONLIST entry{};
    residency.plan(of(StepKind::Fill, kLocal, FakeDriver::kLocalPages - 2));
    residency.write_address(kSlot, entry);
    residency.move_on(kSlot, entry);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart, static_cast<LONGLONG>(FakeDriver::kLocalBase));
    residency.move_on(kSlot, entry);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart, static_cast<LONGLONG>(FakeDriver::kLocalBase + 4096));
  });
}

TEST_F(ResidencyTest, EntryThatNamesNoPlaceIsNotMovedOn) {
  with_slot([&](Residency& residency, World&) {
    DXGK_ALLOCATIONLIST entry{};
    residency.move_on(kSlot, entry);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart, 0);
  });
}

TEST_F(ResidencyTest, EntryMovesOverToTheSamePageOfAnotherSegment) {
  driver.segment_set = 3;  // it may lie in both
  with_slot([&](Residency& residency, World&) {
    DXGK_ALLOCATIONLIST entry{};
    EXPECT_FALSE(residency.move_over(kSlot, entry)) << "it names no place";
    residency.plan(of(StepKind::Fill, kLocal, 3));
    residency.write_address(kSlot, entry);
    ASSERT_TRUE(residency.move_over(kSlot, entry));
    EXPECT_EQ(entry.SegmentId, kAperture.value);
    EXPECT_EQ(entry.PhysicalAddress.QuadPart,
              static_cast<LONGLONG>(FakeDriver::kApertureBase + 3 * 4096));
  });
}

TEST_F(ResidencyTest, SegmentsAreThoseOfTheDriver) {
  with_slot([&](Residency& residency, World&) {
    EXPECT_TRUE(residency.has_segment(kLocal));
    EXPECT_FALSE(residency.has_segment(kNoSegment));
    EXPECT_FALSE(residency.has_segment({3}));
    EXPECT_FALSE(residency.is_aperture(kLocal));
    EXPECT_TRUE(residency.is_aperture(kAperture));
    EXPECT_EQ(residency.end_of_segment(kLocal), FakeDriver::kLocalPages);
    EXPECT_EQ(residency.end_of_segment({3}), 0u);
  });
}

TEST_F(ResidencyTest, OfALargeSegmentTheEndIsUsed) {
  driver.segments[0].Size = driver.segments[0].CommitLimit = 1ull << 34;
  driver.segments[1].BaseAddress.QuadPart = 1ll << 40;
  with_slot([&](Residency& residency, World&) {
    EXPECT_EQ(residency.end_of_segment(kLocal), 1u << 22);
    EXPECT_EQ(residency.start_of_segment(kLocal), (1u << 22) - (1u << 14));
  });
}

TEST_F(ResidencyTest, ALimitHoldsFromTheNextStartOn) {
  with_slot([&](Residency& residency, World&) {
    residency.limit({.memory = 4, .aperture = 1u << 20});
    EXPECT_EQ(residency.end_of_segment(kLocal), FakeDriver::kLocalPages);
    const std::uint32_t all_of_aperture = residency.end_of_segment(kAperture);
    residency.end();
    residency.begin();
    EXPECT_EQ(residency.end_of_segment(kLocal), 4u);
    EXPECT_EQ(residency.vidmm().placement(kLocal).size_pages(), 4u);
    EXPECT_EQ(residency.end_of_segment(kAperture), all_of_aperture) << "no more than there is";
  });
}

TEST_F(ResidencyTest, SegmentsBehindOneThatVidMmRefusesAreNotUsed) {
  driver.segments[0].Size = 0;
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    EXPECT_FALSE(world.residency.has_segment({1}));
    EXPECT_FALSE(world.residency.has_segment({2}));
  });
}

TEST_F(ResidencyTest, AllocationOfNoSegmentIsRefused) {
  with_slot([&](Residency& residency, World& world) {
    driver.segment_set = 0;
    ASSERT_TRUE(world.objects.create_allocation({5}, {0}, 1, Place::Any, false));
    EXPECT_FALSE(residency.created({5}));
    EXPECT_FALSE(residency.vidmm().exists(AllocationId{5}));
  });
}

TEST_F(ResidencyTest, ForgottenWithItsDevice) {
  with_slot([&](Residency& residency, World&) {
    residency.plan(of(StepKind::Fill, kLocal, 3));
    residency.forget_device({1});
    EXPECT_TRUE(residency.vidmm().exists(kSlot));
    residency.forget_device({0});
    EXPECT_FALSE(residency.vidmm().exists(kSlot));
    EXPECT_EQ(residency.planned(kSlot), PlaceInSegment{});
  });
}

// SEG-002 allows it from WDDM 2.0 on.
TEST_F(ResidencyTest, AnApertureMayBeginWhereMemoryDoes) {
  driver.segments[1].BaseAddress.QuadPart = FakeDriver::kLocalBase;
  with_slot([&](Residency& residency, World&) {
    EXPECT_TRUE(residency.has_segment(kLocal));
    EXPECT_TRUE(residency.has_segment(kAperture));
  });
}

TEST_F(ResidencyTest, AfterItsEndThereAreNoSegments) {
  with_slot([&](Residency& residency, World&) {
    residency.end();
    EXPECT_FALSE(residency.has_segment(kLocal));
    EXPECT_FALSE(residency.vidmm().exists(kSlot));
  });
}

}  // namespace
}  // namespace wddm::host
