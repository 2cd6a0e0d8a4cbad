// Answers with a process and without one.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_040 {
namespace {

constexpr auto kRefused = static_cast<std::uint32_t>(STATUS_INVALID_HANDLE);

class Mcdm040 : public TraceTest {
 protected:
  void answered(InfoQuestion how, std::uint32_t status) {
    add(ev::InfoAnswered{.type = DXGKQAITYPE_UMDRIVERPRIVATE,
                         .how = static_cast<std::uint32_t>(how),
                         .status = status});
  }
  void escaped(bool process, std::uint32_t status) {
    add(ev::EscapeAnswered{.status = status, .process = process});
  }
  bool holds() { return TraceTest::holds("MCDM-040"); }
};

TEST_F(Mcdm040, AnsweredInBothCases) {
  answered(InfoQuestion::Plain, 0);
  answered(InfoQuestion::OfProcess, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-040"), 1u);
}

TEST_F(Mcdm040, RefusedInBothCases) {
  answered(InfoQuestion::Plain, kRefused);
  answered(InfoQuestion::OfProcess, kRefused);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm040, RefusedToNobodyAlone) {
  answered(InfoQuestion::OfProcess, 0);
  answered(InfoQuestion::Plain, kRefused);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm040, RefusedToAProcessAlone) {
  answered(InfoQuestion::Plain, 0);
  answered(InfoQuestion::OfProcess, kRefused);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm040, AShortBufferIsAnotherQuestion) {
  answered(InfoQuestion::OfProcess, 0);
  answered(InfoQuestion::Plain, 0);
  answered(InfoQuestion::Short, kRefused);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm040, AnEscapeMayBeAboutItsProcess) {
  escaped(true, 0);
  escaped(false, kRefused);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-040"), 1u);
}

TEST_F(Mcdm040, EachOpIsOfItsOwnTime) {
  op(OpKind::Requery);
  answered(InfoQuestion::Plain, 0);
  answered(InfoQuestion::OfProcess, 0);
  op(OpKind::Requery);
  answered(InfoQuestion::Plain, kRefused);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm040, WantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  answered(InfoQuestion::OfProcess, 0);
  answered(InfoQuestion::Plain, kRefused);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_040
