// Whom a page fault of a paging packet speaks against.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_002 {
namespace {

constexpr std::uint32_t kPacket = 3;
constexpr std::uint64_t kSource = 0x20000, kDestination = 0x40000, kBuffer = 0x90000;

class Vpage002 : public TraceTest {
 protected:
  /// One page is copied, and an access of the packet faults at `address`.
  void faults_at(std::uint64_t address, std::uint32_t level = 0,
                 std::uint32_t operation = DXGK_OPERATION_VIRTUAL_TRANSFER) {
    add(ev::PagingBuilt{.operation = operation},
        std::vector{PagingArguments{
            .size = 4096, .source_address = kSource, .destination_address = kDestination}});
    add(ev::Submitted{.address = kBuffer, .packet = kPacket, .end = 64, .paging = 1});
    add(ev::AccessFaulted{.address = address, .level = level, .packet = kPacket});
  }
};

TEST_F(Vpage002, AddressesThatTheTransferDoesNotHave) {
  faults_at(kSource + 0x10000);
  EXPECT_FALSE(holds("VPAGE-002"));
}

TEST_F(Vpage002, ItsOwnAddressesSpeakAgainstPageTables) {
  faults_at(kDestination + 4092);
  EXPECT_TRUE(holds("VPAGE-002"));
}

TEST_F(Vpage002, ItsCommandsDoSoToo) {
  faults_at(kBuffer + 8);
  EXPECT_TRUE(holds("VPAGE-002"));
}

TEST_F(Vpage002, AWayThatEndsAboveTheLeafDoesSoToo) {
  faults_at(kSource + 0x10000, 1);
  EXPECT_TRUE(holds("VPAGE-002"));
}

TEST_F(Vpage002, AnotherOperationIsNotItsOwn) {
  faults_at(kSource + 0x10000, 0, DXGK_OPERATION_VIRTUAL_FILL);
  EXPECT_TRUE(holds("VPAGE-002"));
}

}  // namespace
}  // namespace wddm::vpage_002
