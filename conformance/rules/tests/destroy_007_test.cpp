// Which writes to freed pool are laid to objects that were destroyed.
#include <string>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::destroy_007 {
namespace {

class Destroy007 : public TraceTest {
 protected:
  void enters(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void returns(DdiId ddi, std::uint32_t status = 0) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi), .status = status});
  }
  void finds(nt::FindingKind kind, const std::string& text) {
    add(ev::Finding{.kind = static_cast<std::uint32_t>(kind)},
        std::vector<char>(text.begin(), text.end()));
  }
  void is_written(const std::string& freed_in) {
    finds(nt::FindingKind::PoolUseAfterFree,
          "pool check: block 7, tag 'Allo', 64 bytes: written at offset 0 after it was freed" +
              freed_in);
  }
  bool holds() { return TraceTest::holds("DESTROY-007"); }
  std::uint32_t reached() { return times_reached("DESTROY-007"); }
};

TEST_F(Destroy007, CallsThatComeLater) {
  returns(DdiId::CloseAllocation);
  returns(DdiId::DestroyAllocation);
  enters(DdiId::Render);
  enters(DdiId::SubmitCommand);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Destroy007, WhatWasClosedIsWritten) {
  returns(DdiId::CloseAllocation);
  enters(DdiId::Render);
  is_written(" in DxgkDdiCloseAllocation");
  EXPECT_FALSE(holds());
}

TEST_F(Destroy007, WhatWasDestroyedIsWritten) {
  returns(DdiId::DestroyAllocation);
  is_written(" in DxgkDdiDestroyAllocation");
  EXPECT_FALSE(holds());
}

TEST_F(Destroy007, OtherObjectsAreAnotherMatter) {
  returns(DdiId::CloseAllocation);
  enters(DdiId::Render);
  is_written(" in DxgkDdiDestroyContext");
  is_written("");
  EXPECT_TRUE(holds());
}

TEST_F(Destroy007, FreedTwiceIsAnotherFinding) {
  returns(DdiId::CloseAllocation);
  finds(nt::FindingKind::PoolDoubleFree,
        "block 7: freed already, after it was freed in DxgkDdiCloseAllocation");
  EXPECT_TRUE(holds());
}

TEST_F(Destroy007, WithoutADestructionNothingIsJudged) {
  enters(DdiId::Render);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy007, WhatWasRefusedIsStillThere) {
  returns(DdiId::DestroyAllocation, 0xC000000D);
  enters(DdiId::Render);
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::destroy_007
