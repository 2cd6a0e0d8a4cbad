// Which entry points are asked of whom.
#include <cstddef>

#include "conformance/host/interposer.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_011 {
namespace {

class Life011 : public TraceTest {
 protected:
  Life011() {
    // Everything, by its place.
    for (std::uint32_t place = 8; place < sizeof(DRIVER_INITIALIZATION_DATA); place += 8) {
      filled_.push_back(place);
    }
  }
  void forget(std::size_t place) { std::erase(filled_, static_cast<std::uint32_t>(place)); }
  void answers(UINT swizzling_ranges, std::uint32_t before = 0) {
    DXGK_DRIVERCAPS caps{};
    caps.NumberOfSwizzlingRanges = swizzling_ranges;
    answers(caps, before);
  }
  void answers(const DXGK_DRIVERCAPS& caps, std::uint32_t before = 0) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&caps);
    add(ev::CapsAnswered{.before = before}, std::vector<std::uint8_t>(bytes, bytes + sizeof(caps)));
  }
  bool holds(InterfaceVersion version = InterfaceVersion::Wddm2_0) {
    add(ev::EntriesFilled{.count = static_cast<std::uint32_t>(filled_.size()),
                          .version = static_cast<std::uint32_t>(version)},
        filled_);
    return TraceTest::holds("LIFE-011");
  }

 private:
  std::vector<std::uint32_t> filled_;
};

TEST_F(Life011, AFullTable) {
  EXPECT_TRUE(holds());
}

TEST_F(Life011, WhatEveryDriverNeeds) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiCloseAllocation));
  EXPECT_FALSE(holds());
}

TEST_F(Life011, NodesHaveMetadataFromWddm1_3On) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiGetNodeMetadata));
  EXPECT_TRUE(holds(InterfaceVersion::Win8));
  EXPECT_FALSE(holds(InterfaceVersion::Wddm1_3));
}

TEST_F(Life011, ContextsAreForEngines) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiCreateContext));
  platform_.has_caps = true;
  EXPECT_TRUE(holds());
  platform_.scheduling.value = 1;
  EXPECT_FALSE(holds());
}

TEST_F(Life011, VirtualAddressesNeedNoPatch) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiPatch));
  platform_.has_caps = true;
  EXPECT_FALSE(holds());
  add(ev::CapsReported{.memory = 1u << 6 | 1u << 5});
  EXPECT_TRUE(holds());
}

TEST_F(Life011, SwizzlingRangesAreAcquired) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiReleaseSwizzlingRange));
  answers(0);
  EXPECT_TRUE(holds());
  answers(2);
  EXPECT_FALSE(holds());
}

TEST_F(Life011, RangesThatNobodyWroteAreNone) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiAcquireSwizzlingRange));
  answers(0xA5A5A5A5, 0xA5);
  EXPECT_TRUE(holds());
}

TEST_F(Life011, ADisplayIsGivenUp) {
  constexpr auto kRelease =
      offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiStopDeviceAndReleasePostDisplayOwnership);
  platform_.sources = 1;
  forget(kRelease);
  EXPECT_TRUE(holds());
  DXGK_DRIVERCAPS caps{};
  caps.SupportNonVGA = TRUE;
  answers(caps);
  EXPECT_FALSE(holds());
}

TEST_F(Life011, WithoutDisplaysThereIsNothingToGiveUp) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiStopDeviceAndReleasePostDisplayOwnership));
  DXGK_DRIVERCAPS caps{};
  caps.SupportNonVGA = TRUE;
  answers(caps);
  EXPECT_TRUE(holds());
}

TEST_F(Life011, DisplaysAreNoBusinessOfIt) {
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiCommitVidPn));
  forget(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiPresent));
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_011
