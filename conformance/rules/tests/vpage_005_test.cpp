// Which operations rest on a flush.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_005 {
namespace {

constexpr std::uint32_t kTransfer = 8, kFill = 9, kFlush = 12;

class Vpage005 : public TraceTest {
 protected:
  void built(std::uint32_t operation, std::uint64_t source = 0, std::uint64_t destination = 0,
             std::uint64_t size = 4096) {
    add(ev::PagingBuilt{.operation = operation},
        std::vector<PagingArguments>{
            {.size = size, .source_address = source, .destination_address = destination}});
  }
  void goes_wrong(std::uint32_t operation, std::uint32_t offset = 0) {
    add(ev::PagingDone{.operation = operation, .packet = 9});
    add(ev::MemoryDiffers{.offset = offset,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 9});
  }
};

TEST_F(Vpage005, AnAddressThatIsUsedAgainRestsOnTheFlush) {
  built(kTransfer, 0x10000, 0x20000);
  built(kFlush);
  built(kTransfer, 0x10000, 0x30000);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("VPAGE-005"));
}

TEST_F(Vpage005, AFillRestsOnItToo) {
  built(kTransfer, 0x10000, 0x20000);
  built(kFlush);
  built(kFill, 0, 0x20000);
  goes_wrong(kFill);
  EXPECT_FALSE(holds("VPAGE-005"));
}

TEST_F(Vpage005, WithoutAFlushNothingWasToChange) {
  built(kTransfer, 0x10000, 0x20000);
  built(kTransfer, 0x10000, 0x20000);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("VPAGE-005"));
  EXPECT_FALSE(holds("VPAGE-002"));
}

TEST_F(Vpage005, AFreshAddressRestsOnNoFlush) {
  built(kTransfer, 0x10000, 0x20000);
  built(kFlush);
  built(kTransfer, 0x30000, 0x40000);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("VPAGE-005"));
}

TEST_F(Vpage005, WhatNewAddressesDoNotBringAboutRestsOnNoFlush) {
  built(kTransfer, 0x10000, 0x20000);
  goes_wrong(kTransfer);
  built(kFlush);
  built(kTransfer, 0x10000, 0x30000);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("VPAGE-005"));
  EXPECT_EQ(times_reached("VPAGE-005"), 0u);
  built(kFill, 0, 0x30000);
  built(kFlush);
  built(kFill, 0, 0x30000);
  goes_wrong(kFill);
  EXPECT_FALSE(holds("VPAGE-005"));
}

TEST_F(Vpage005, WhatFailsByTheScenariosWishRestsOnNoFlush) {
  built(kTransfer, 0x10000, 0x20000);
  built(kFlush);
  op(OpKind::FailCallback);
  op(OpKind::MakeResident);
  built(kTransfer, 0x10000, 0x30000);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("VPAGE-005"));
}

TEST_F(Vpage005, HowFarAnOperationWritesRestsOnNoFlush) {
  built(kFill, 0, 0x20000);
  built(kFlush);
  built(kFill, 0, 0x20000, 0x18);
  goes_wrong(kFill, 0x18);
  EXPECT_TRUE(holds("VPAGE-005"));
  EXPECT_FALSE(holds("VPAGE-001"));
  goes_wrong(kFill, 0x14);
  EXPECT_FALSE(holds("VPAGE-005"));
}

TEST_F(Vpage005, TheNextUseWantsAFlushOfItsOwn) {
  built(kTransfer, 0x10000, 0x20000);
  built(kFlush);
  built(kTransfer, 0x10000, 0x20000);
  built(kTransfer, 0x10000, 0x20000);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("VPAGE-005"));
}

}  // namespace
}  // namespace wddm::vpage_005
