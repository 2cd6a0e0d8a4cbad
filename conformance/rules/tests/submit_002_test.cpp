// What the device fetches: in the call already, beside the range of the packet, and not at all.
#include "conformance/rules/tests/device_log_test.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_002 {
namespace {

// One packet: 0x20 to 0x40 of a buffer at 0x1000.
class Submit002 : public DeviceLogTest {
 protected:
  void submitted(std::uint32_t again = 0) {
    add(ev::Submitted{.address = 0x1000,
                      .packet = 1,
                      .fence = kFence,
                      .start = 0x20,
                      .end = 0x40,
                      .again = again});
  }
  bool holds() { return TraceTest::holds("SUBMIT-002"); }
};

TEST_F(Submit002, TheRangeIsFetched) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1020, 0x20);
  logs(WDDM_DEVICE_FETCH, 0x1020, 0x20);
  logs(WDDM_DEVICE_PACKET_END, 0x1040, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Submit002, ADeviceNeedNotTellWhereAPacketBeginsAndEnds) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0, 0);
  logs(WDDM_DEVICE_FETCH, 0x1020, 0x20);
  logs(WDDM_DEVICE_PACKET_END, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Submit002, AFetchBesideTheRangeCountsInsideOfTheSubmissionToo) {
  enters(1);
  logs(WDDM_DEVICE_FETCH, 0x1000, 0x40);
  submitted();
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, TheFirstFetchThatBeginTellsCounts) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, APacketThatBeginsAtItsEndDoesNothing) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1040, 0);
  logs(WDDM_DEVICE_PACKET_END, 0x1040, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, AStoppedPacketGoesOnFromWhereItWas) {
  submitted(1);
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1030, 0x10);
  EXPECT_TRUE(holds());
}

TEST_F(Submit002, APacketEndsAtTheEndOfTheRange) {
  submitted();
  logs(WDDM_DEVICE_PACKET_END, 0x1044, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, ARefusedPacketMayBeReplacedByAnEmptyOne) {
  add(ev::Submitted{.address = 0x1000,
                    .packet = 1,
                    .fence = kFence,
                    .start = 0x20,
                    .end = 0x40,
                    .status = 0xC000000D});
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1020, 0);
  logs(WDDM_DEVICE_PACKET_END, 0x1020, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-002"), 0u);
}

TEST_F(Submit002, TheNextPacketOfItsFenceIsJudged) {
  add(ev::Submitted{.packet = 1, .fence = kFence, .end = 0x40, .status = 0xC000000D});
  submitted();
  logs(WDDM_DEVICE_PACKET_END, 0x1020, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, CommandsMayLeadToMemoryOfTheirOwn) {
  submitted();
  logs(WDDM_DEVICE_FETCH, 0x1020, 0x20);
  logs(WDDM_DEVICE_FETCH, 0x8000, 0x100);
  EXPECT_TRUE(holds());
}

TEST_F(Submit002, CommandsThatUserModeAlteredLeadAndEndAnywhere) {
  add(ev::PrivateDataGiven{.packet = 1, .hostile = 1, .commands_hostile = 1});
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1020, 0x20);
  logs(WDDM_DEVICE_FETCH, 0x1000, 0x20);
  logs(WDDM_DEVICE_PACKET_END, 0x1030, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Submit002, TheyBeginWhereTheyWereSubmitted) {
  add(ev::PrivateDataGiven{.packet = 1, .hostile = 1, .commands_hostile = 1});
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, AlteredPrivateDataLeadNobodyElsewhere) {
  add(ev::PrivateDataGiven{.packet = 1, .hostile = 1});
  submitted();
  logs(WDDM_DEVICE_PACKET_END, 0x1030, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, TheFirstFetchIsOfTheBuffer) {
  submitted();
  logs(WDDM_DEVICE_FETCH, 0x8000, 0x100);
  EXPECT_FALSE(holds());
}

TEST_F(Submit002, TheRestOfTheBufferIsNoMemoryOfItsOwn) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = 1},
      std::vector<ddi_arguments::SubmitCommand>{{.dma_bytes = 0x100}});
  submitted();
  logs(WDDM_DEVICE_FETCH, 0x1020, 0x20);
  EXPECT_TRUE(holds());
  logs(WDDM_DEVICE_FETCH, 0x1080, 0x20);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::submit_002
