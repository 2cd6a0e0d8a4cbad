// What CollectDbgInfo writes and returns.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::tdr_008 {
namespace {

class Tdr008 : public TraceTest {
 protected:
  void collected(std::uint32_t status, std::uint32_t written = 0, std::uint32_t outside = 0) {
    add(ev::DebugInfoCollected{
        .given = 64, .reason = 0x141, .status = status, .written = written, .outside = outside});
  }
  bool holds() { return TraceTest::holds("TDR-008"); }
};

TEST_F(Tdr008, ThreeAnswersThereAre) {
  collected(0, 64);
  collected(0xC0000017);  // STATUS_NO_MEMORY
  collected(0xC0000001);  // STATUS_UNSUCCESSFUL
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-008"), 3u);
}

TEST_F(Tdr008, AnotherAnswer) {
  collected(0xC000000D);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr008, OfReasonsThatItDoesNotKnowADriverMaySaySo) {
  add(ev::DebugInfoCollected{.given = 64, .reason = 0x119, .status = 0xC000000D, .irql = 15});
  EXPECT_TRUE(holds());
  add(ev::DebugInfoCollected{.given = 64, .reason = 0x119, .outside = 1, .irql = 15});
  EXPECT_FALSE(holds()) << "and write no further for all that";
}

TEST_F(Tdr008, BytesBehindTheBuffer) {
  collected(0, 64, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr008, BytesBehindTheExtension) {
  add(ev::DebugInfoCollected{.given = 64, .written = 64, .beside_extension = 8});
  EXPECT_FALSE(holds());
}

TEST_F(Tdr008, ReservedMembers) {
  add(ev::DebugInfoCollected{.given = 64, .written = 64, .reserved = 1});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::tdr_008
