// Sizes of address spaces that GPUs of a link report.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_001 {
namespace {

class Lda001 : public TraceTest {
 protected:
  Lda001() { platform_.linked_adapters = 2; }
  void reports(std::uint32_t physical_adapter, std::uint32_t bits, std::uint32_t status = 0) {
    add(ev::GpuMmuReported{
        .physical_adapter = physical_adapter, .status = status, .address_bits = bits});
  }
};

TEST_F(Lda001, OneSizePassesWhateverElseDiffers) {
  add(ev::GpuMmuReported{.physical_adapter = 0, .caps = 1, .address_bits = 40, .levels = 3});
  add(ev::GpuMmuReported{.physical_adapter = 1, .caps = 2, .address_bits = 40, .levels = 4});
  EXPECT_TRUE(holds("LDA-001"));
  EXPECT_EQ(times_reached("LDA-001"), 1u);
}

TEST_F(Lda001, ALargerOneIsAsWrongAsASmallerOne) {
  reports(0, 40);
  reports(1, 48);
  reports(1, 32);
  EXPECT_EQ(failures("LDA-001"), 2u);
}

TEST_F(Lda001, AnotherStartMayHaveAnotherSize) {
  reports(0, 40);
  reports(1, 40);
  reports(0, 48);
  reports(1, 48);
  EXPECT_TRUE(holds("LDA-001"));
  reports(1, 40);
  EXPECT_FALSE(holds("LDA-001"));
}

TEST_F(Lda001, WhatIsNoAnswerOrOfNoGpuSaysNothing) {
  reports(0, 40);
  reports(1, 0, 0xC000000D);
  reports(2, 48);
  EXPECT_TRUE(holds("LDA-001"));
  EXPECT_EQ(times_reached("LDA-001"), 0u);
}

}  // namespace
}  // namespace wddm::lda_001
