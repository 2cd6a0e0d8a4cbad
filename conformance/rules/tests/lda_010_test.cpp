// What the adapters of a chain say of it.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_010 {
namespace {

constexpr std::uint32_t kUnsuccessful = 0xC0000001;

class Lda010 : public TraceTest {
 protected:
  void linked(std::uint32_t adapter, std::uint32_t lead, std::uint32_t links = 2,
              std::uint32_t chain = 7, std::uint32_t status = 0) {
    add(ev::DeviceLinked{.physical_adapter = adapter,
                         .status = status,
                         .chain = chain,
                         .links = links,
                         .lead = lead});
  }
  std::size_t failures() { return TraceTest::failures("LDA-010"); }
};

TEST_F(Lda010, OneLeadsWhicheverItIs) {
  linked(0, 1);
  linked(1, 0);
  linked(0, 0);
  linked(1, 1);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-010"), 4u);
}

TEST_F(Lda010, AnAdapterAloneNeedNotLead) {
  linked(0, 0, 1);
  linked(0, 1, 1);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda010, TwoLead) {
  linked(0, 1);
  linked(1, 1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda010, NoneLeads) {
  linked(0, 0);
  linked(1, 0);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda010, ALinkThatIsNotWholeSaysNothingOfItsLead) {
  linked(0, 0, 3);
  linked(1, 0, 3);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Lda010, AnotherChain) {
  linked(0, 1);
  linked(1, 0, 2, 8);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda010, AnotherNumber) {
  linked(0, 1, 2);
  linked(1, 0, 3);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda010, SuccessThatSaysNothing) {
  linked(0, 0, 0, 0);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Lda010, AnErrorIsAnAnswer) {
  linked(0, 0, 0, 0, kUnsuccessful);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached("LDA-010"), 0u);
}

}  // namespace
}  // namespace wddm::lda_010
