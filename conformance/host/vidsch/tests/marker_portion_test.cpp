// In which portion the marker is looked for.
#include "conformance/host/vidsch/marker_portion.h"

#include <gtest/gtest.h>

#include <vector>

namespace wddm::host {
namespace {

struct Portion {
  RenderWork work;
};

// A buffer of two elements, and a portion for each.
class MarkerPortion : public testing::Test {
 protected:
  void lists(AllocationId first, AllocationId second) {
    buffer_.allocations = {first, second};
    buffer_.patches.resize(2);
    buffer_.patches[1].AllocationIndex = 1;
    portions_.resize(2);
    portions_[0].work.count = 1;
    portions_[1].work.first = 1;
    portions_[1].work.count = 1;
  }
  [[nodiscard]] std::size_t portion() const { return portion_of_marker(buffer_, portions_); }

  RenderBuffer buffer_;
  std::vector<Portion> portions_;
};

TEST_F(MarkerPortion, IsTheLastThatNamesItsAllocation) {
  lists(kMarkerAllocation, kMarkerAllocation);
  EXPECT_EQ(portion(), 1u);
}

TEST_F(MarkerPortion, ReleasesMayStandBehindIt) {
  lists(kMarkerAllocation, kNoAllocation);
  EXPECT_EQ(portion(), 0u);
}

TEST_F(MarkerPortion, IsTheLastWhereNothingNamesIt) {
  lists(kNoAllocation, kNoAllocation);
  EXPECT_EQ(portion(), 1u);
}

TEST_F(MarkerPortion, MayHaveComeWithAnEarlierPass) {
  lists(kNoAllocation, kNoAllocation);
  buffer_.pass = 1;
  EXPECT_EQ(portion(), portions_.size());
}

}  // namespace
}  // namespace wddm::host
