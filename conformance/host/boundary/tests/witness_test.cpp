// What the kernel caught, as the trace has it.
#include "conformance/host/boundary/witness.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

using nt::FindingKind;

class WitnessTest : public HostTest {
 protected:
  void find(FindingKind kind, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) witness_of_test_.finding(kind, "KeSetEvent", "", "");
  }
  std::uint32_t told(FindingKind kind) const {
    std::uint32_t count = 0;
    for (const ev::Finding& finding : seen<ev::Finding>()) {
      count += finding.kind == static_cast<std::uint32_t>(kind);
    }
    return count;
  }

 private:
  Witness witness_of_test_{session().tap};
};

TEST_F(WitnessTest, EachFindingIsToldAsLongAsThereAreFew) {
  on_machine([&](World&) { find(FindingKind::BadHandle, 3); });
  EXPECT_EQ(told(FindingKind::BadHandle), 3u);
}

TEST_F(WitnessTest, OfVeryManyOfAKindTheFirstAreToldAndThoseOfOthersStill) {
  on_machine([&](World&) {
    find(FindingKind::BadHandle, Tap::kMostOfAKind + 5);
    find(FindingKind::PoolOverrun, 1);
  });
  EXPECT_EQ(told(FindingKind::BadHandle), Tap::kMostOfAKind);
  EXPECT_EQ(told(FindingKind::PoolOverrun), 1u);
}

}  // namespace
}  // namespace wddm::host
