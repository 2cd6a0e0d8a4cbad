// What the INF of a package says of its class.
#include <string_view>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_001 {
namespace {

class Mcdm001 : public TraceTest {
 protected:
  void package(std::string_view text) {
    add(ev::PackageRead{}, std::vector<char>(text.begin(), text.end()));
  }
  bool holds() { return TraceTest::holds("MCDM-001"); }
};

TEST_F(Mcdm001, TheClassOfComputeAccelerators) {
  package("Class=ComputeAccelerator\nClassGuid={F01A9D53-3FF6-48D2-9F97-C8A7004BE10C}\n");
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-001"), 2u);
}

TEST_F(Mcdm001, InAnyCaseAndOrder) {
  package("ClassGuid={f01a9d53-3ff6-48d2-9f97-c8a7004be10c}\nClass=computeaccelerator\n");
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm001, ThatOfDisplays) {
  package("Class=Display\nClassGuid={4D36E968-E325-11CE-BFC1-08002BE10318}\n");
  EXPECT_EQ(failures("MCDM-001"), 2u);
}

TEST_F(Mcdm001, TheNameWithoutTheGuid) {
  package("Class=ComputeAccelerator\n");
  EXPECT_EQ(failures("MCDM-001"), 1u);
}

TEST_F(Mcdm001, TwiceIsOnceTooOften) {
  package(
      "Class=ComputeAccelerator\nClass=ComputeAccelerator\n"
      "ClassGuid={F01A9D53-3FF6-48D2-9F97-C8A7004BE10C}\n");
  EXPECT_EQ(failures("MCDM-001"), 1u);
}

TEST_F(Mcdm001, ALongerNameIsAnother) {
  package("Class=ComputeAccelerators\nClassGuid={F01A9D53-3FF6-48D2-9F97-C8A7004BE10C}\n");
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm001, WithoutAPackageNothingIsJudged) {
  EXPECT_EQ(times_reached("MCDM-001"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_001
