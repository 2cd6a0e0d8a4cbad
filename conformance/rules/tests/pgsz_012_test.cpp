// Transfers whose ranges are mapped with pages of 64 KB: what they leave, and where they fault.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_012 {
namespace {

constexpr std::uint32_t kPacket = 3;
constexpr std::uint64_t kSource = 0x200000, kDestination = 0xA0000, kBytes = 0x10000;

class Pgsz012 : public TraceTest {
 protected:
  void build(std::uint32_t flags, std::uint32_t source_page,
             std::uint32_t destination_page = 4096) {
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER},
        std::vector{PagingArguments{
            .size = kBytes, .source_address = kSource, .destination_address = kDestination}});
    add(ev::TransferBuilt{.source = kSource,
                          .destination = kDestination,
                          .size = kBytes,
                          .flags = flags,
                          .source_page = source_page,
                          .destination_page = destination_page});
    add(ev::Submitted{.packet = kPacket, .paging = 1});
  }
  void ends(bool differs, bool inside = true) {
    constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
    add(ev::PagingDone{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER, .packet = kPacket});
    if (differs) {
      add(ev::MemoryDiffers{.length = 4,
                            .cause = kPaging,
                            .cause_object = kPacket,
                            .operation = DXGK_OPERATION_VIRTUAL_TRANSFER,
                            .inside = inside});
    }
    add(ev::MemoryChecked{
        .cause = kPaging, .object = kPacket, .operation = DXGK_OPERATION_VIRTUAL_TRANSFER});
  }
  void faults_at(std::uint64_t address, std::uint32_t level) {
    add(ev::AccessFaulted{.address = address, .level = level, .packet = kPacket});
  }
};

TEST_F(Pgsz012, TheRightBytes) {
  build(1, 65536);
  ends(false);
  EXPECT_TRUE(holds("PGSZ-012"));
  EXPECT_EQ(times_reached("PGSZ-012"), 1u);
}

TEST_F(Pgsz012, OtherBytes) {
  build(1, 65536);
  ends(true);
  EXPECT_FALSE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, OtherBytesBetweenLargePages) {
  build(3, 65536, 65536);
  ends(true);
  EXPECT_FALSE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, AnAccessOfTheDestinationThatFindsNoLeaf) {
  build(3, 65536, 65536);
  faults_at(kDestination + 0x3000, 1);
  EXPECT_FALSE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, BytesOutsideOfItsDestinationAreAnotherMatter) {
  build(1, 65536);
  ends(true, false);
  EXPECT_TRUE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, SmallPagesAreNotItsAffair) {
  build(0, 4096);
  ends(true);
  EXPECT_TRUE(holds("PGSZ-012"));
  EXPECT_EQ(times_reached("PGSZ-012"), 0u);
}

TEST_F(Pgsz012, NorIsWhatItsFlagsSayWrong) {
  build(1, 4096);
  ends(true);
  EXPECT_TRUE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, AnAccessThatFindsNoLeaf) {
  build(1, 65536);
  faults_at(kSource + 0x3000, 1);
  EXPECT_FALSE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, AnEntryThatIsInvalidSpeaksAgainstPageTables) {
  build(1, 65536);
  faults_at(kSource + 0x3000, 0);
  EXPECT_TRUE(holds("PGSZ-012"));
}

TEST_F(Pgsz012, SoDoesOneElsewhere) {
  build(1, 65536);
  faults_at(kSource + kBytes, 1);
  EXPECT_TRUE(holds("PGSZ-012"));
}

}  // namespace
}  // namespace wddm::pgsz_012
