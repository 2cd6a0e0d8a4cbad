// How many nodes the GPUs of a link have.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_009 {
namespace {

class Lda009 : public TraceTest {
 protected:
  Lda009() { platform_.linked_adapters = 2; }
  void says(std::uint32_t gpu, std::uint32_t nodes, std::uint32_t round = 0,
            std::uint32_t status = 0) {
    add(ev::PhysicalAdapterReported{
        .physical_adapter = gpu, .status = status, .nodes = nodes, .round = round});
  }
  bool holds() { return TraceTest::holds("LDA-009"); }
};

TEST_F(Lda009, AsMany) {
  says(0, 2);
  says(1, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LDA-009"), 1u);
}

TEST_F(Lda009, OneMore) {
  says(0, 2);
  says(1, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Lda009, OneLess) {
  says(0, 2);
  says(1, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Lda009, AnErrorIsNoAnswer) {
  says(0, 2, 0, 0xC0000001);
  says(1, 3);
  EXPECT_EQ(times_reached("LDA-009"), 0u);
}

TEST_F(Lda009, AnAnswerOfAnotherRound) {
  says(0, 2, 0);
  says(1, 3, 1);
  EXPECT_EQ(times_reached("LDA-009"), 0u);
}

}  // namespace
}  // namespace wddm::lda_009
