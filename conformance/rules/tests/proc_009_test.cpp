// What a driver may go by when it refuses a virtual submission.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::proc_009 {
namespace {

constexpr std::uint32_t kMalformed = 0xC000000D;

class Proc009 : public TraceTest {
 protected:
  void submit(const ev::PrivateDataGiven& data, std::uint32_t status) {
    add(data);
    add(ev::Submitted{.packet = data.packet, .status = status});
  }
};

TEST_F(Proc009, WhatIsLeftBehindTheDataDecidesNothing) {
  submit({.digest = 1, .behind = 2, .packet = 1, .bytes = 64, .command_bytes = 8}, 0);
  submit({.digest = 1, .behind = 3, .packet = 2, .bytes = 64, .command_bytes = 8}, 0);
  EXPECT_TRUE(holds("PROC-009"));
  EXPECT_EQ(times_reached("PROC-009"), 1u);
  submit({.digest = 1, .behind = 4, .packet = 3, .bytes = 64, .command_bytes = 8}, kMalformed);
  EXPECT_FALSE(holds("PROC-009"));
}

TEST_F(Proc009, LessDataMayBeRefusedAlways) {
  submit({.behind = 2, .packet = 1, .command_bytes = 8}, kMalformed);
  submit({.behind = 3, .packet = 2, .command_bytes = 8}, kMalformed);
  EXPECT_TRUE(holds("PROC-009"));
}

TEST_F(Proc009, OtherDataIsAnotherMatter) {
  submit({.digest = 1, .behind = 2, .packet = 1, .user_bytes = 16, .command_bytes = 8}, 0);
  submit({.digest = 5, .behind = 3, .packet = 2, .user_bytes = 16, .command_bytes = 8}, kMalformed);
  EXPECT_TRUE(holds("PROC-009"));
  EXPECT_EQ(times_reached("PROC-009"), 0u);
}

TEST_F(Proc009, DataMayNameWhatAnotherProcessOrEngineDoesNotHave) {
  add(ev::RootSet{.context = 1, .process = 3});
  add(ev::RootSet{.context = 2, .process = 4});
  const auto submits = [&](std::uint32_t packet, std::uint32_t context, std::uint32_t status,
                           std::uint32_t gpu = 0) {
    add(ev::PrivateDataGiven{.digest = 1, .behind = packet, .packet = packet, .command_bytes = 8});
    add(ev::Submitted{.packet = packet, .context = context, .status = status, .engine = gpu});
  };
  submits(1, 1, 0);
  submits(2, 2, kMalformed);
  submits(3, 1, kMalformed, 1);
  EXPECT_TRUE(holds("PROC-009"));
  EXPECT_EQ(times_reached("PROC-009"), 0u);
  submits(4, 1, kMalformed);
  EXPECT_FALSE(holds("PROC-009"));
}

TEST_F(Proc009, OrWhatALaterProcessDoesNotHave) {
  const auto submits = [&](std::uint32_t packet, std::uint32_t status) {
    add(ev::PrivateDataGiven{.digest = 1, .behind = packet, .packet = packet, .command_bytes = 8});
    add(ev::Submitted{.packet = packet, .context = 1, .status = status});
  };
  add(ev::RootSet{.context = 1, .process = 3});
  submits(1, 0);
  add(ev::ProcessCreated{.process = 4});
  submits(2, 0);
  EXPECT_EQ(times_reached("PROC-009"), 1u);
  add(ev::ProcessCreated{.process = 3});
  submits(3, kMalformed);
  EXPECT_TRUE(holds("PROC-009"));
  submits(4, 0);
  EXPECT_FALSE(holds("PROC-009"));
}

TEST_F(Proc009, AlteredCommandsMayBeRefused) {
  submit({.behind = 2, .packet = 1, .command_bytes = 8}, 0);
  submit({.behind = 3, .packet = 2, .command_bytes = 8, .hostile = 1, .commands_hostile = 1},
         kMalformed);
  EXPECT_TRUE(holds("PROC-009"));
}

TEST_F(Proc009, NothingIsWrittenBehindTheBuffer) {
  submit({.packet = 1, .command_bytes = 8}, 0);
  add(ev::GuardDamaged{
      .area = static_cast<std::uint32_t>(GuardArea::DmaPrivateData), .object = 1, .bytes = 4});
  EXPECT_FALSE(holds("PROC-009"));
}

}  // namespace
}  // namespace wddm::proc_009
