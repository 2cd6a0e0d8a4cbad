// Whose packets a call of SetRootPageTable must leave alone.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::root_012 {
namespace {

class Root012 : public TraceTest {
 protected:
  Root012() {
    platform_.page_table_levels = 2;
    add(ev::RootSet{.place = 0x1000, .context = 1, .process = 0});
    add(ev::RootSet{.place = 0x2000, .context = 2, .process = 1});
  }
  void submits(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .fence = packet, .context = context});
  }
  void goes_wrong(std::uint32_t packet) {
    add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = packet});
  }
};

TEST_F(Root012, APacketThatRunsMeanwhile) {
  submits(1, 2);
  add(ev::RootSet{.place = 0x1000, .context = 3, .process = 0});
  goes_wrong(1);
  EXPECT_FALSE(holds("ROOT-012"));
}

TEST_F(Root012, AndTheNextOneOfItsContext) {
  submits(1, 2);
  add(ev::RootSet{.place = 0x1000, .context = 3, .process = 0});
  add(ev::PacketEnded{.packet = 1});
  submits(2, 2);
  goes_wrong(2);
  EXPECT_FALSE(holds("ROOT-012"));
}

TEST_F(Root012, APacketThatHadEndedIsNotJudged) {
  submits(1, 2);
  add(ev::PacketEnded{.packet = 1});
  add(ev::RootSet{.place = 0x1000, .context = 3, .process = 0});
  submits(2, 2);
  goes_wrong(2);
  EXPECT_EQ(times_reached("ROOT-012"), 0u);
}

}  // namespace
}  // namespace wddm::root_012
