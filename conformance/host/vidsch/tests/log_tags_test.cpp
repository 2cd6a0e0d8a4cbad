// Fences of tags that the hardware keeps in fewer bits; neither machine nor driver is needed.
#include "conformance/host/vidsch/log_tags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace wddm::host {
namespace {

constexpr EngineId kEngine{.node = NodeId{1}};

class LogTagsTest : public testing::Test {
 protected:
  void submit(std::initializer_list<std::uint32_t> fences, EngineId engine = kEngine) {
    for (const std::uint32_t fence : fences) {
      tags_.submitted(engine, FenceId{fence});
      outstanding_.push_back(fence);
    }
  }
  void end(std::uint32_t fence) { std::erase(outstanding_, fence); }
  std::uint32_t read(std::uint32_t tag, std::uint32_t bits = 0) {
    return tags_.read(kEngine, tag, bits, [&](FenceId fence) {
      return std::count(outstanding_.begin(), outstanding_.end(), fence.value) != 0;
    });
  }

 private:
  LogTags tags_;
  std::vector<std::uint32_t> outstanding_;
};

TEST_F(LogTagsTest, WideTagsAreFences) {
  submit({1, 0x10001, 0xfffffffe});
  EXPECT_EQ(read(0xfffffffe), 0xfffffffeu);
  EXPECT_EQ(read(0x10001), 0x10001u);
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(read(2), 2u) << "of no packet";
}

TEST_F(LogTagsTest, ATagThatIsTheLowEndOfAFenceIsThatPacket) {
  submit({1});
  EXPECT_EQ(read(1), 1u);
  end(1);
  submit({0xffff, 0x10000, 0x10001});
  EXPECT_EQ(read(0xffff), 0xffffu);
  EXPECT_EQ(read(0), 0x10000u);
  EXPECT_EQ(read(1), 0x10001u);
  end(0x10001);
  EXPECT_EQ(read(1), 0x10001u) << "its end may be logged behind the report";
}

TEST_F(LogTagsTest, WhatADeviceHasShownIsNotForgotten) {
  submit({0x101});
  EXPECT_EQ(read(0x101), 0x101u);
  submit({0x201});
  EXPECT_EQ(read(1), 1u) << "tags have more than 8 bits";
}

TEST_F(LogTagsTest, ThePacketOfThatVeryNumberGoesFirstWhileItIsThere) {
  submit({1, 0x101});
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(read(0x101), 0x101u);
  EXPECT_EQ(read(1), 1u);
}

TEST_F(LogTagsTest, ZeroIsWorkOfTheDriversOwn) {
  EXPECT_EQ(read(0), 0u);
  submit({0x10000});
  EXPECT_EQ(read(0), 0u) << "it was before";
  EXPECT_EQ(read(0x10000), 0x10000u);
}

TEST_F(LogTagsTest, ADeviceThatSaysItsWidthIsBelieved) {
  EXPECT_EQ(read(0, 12), 0u);
  submit({1, 0x1000, 0x1001});
  EXPECT_EQ(read(0, 12), 0x1000u);
  end(0x1000);
  EXPECT_EQ(read(0, 12), 0u) << "the packet has ended";
  EXPECT_EQ(read(1, 32), 1u);
  end(1);
  EXPECT_EQ(read(1, 12), 0x1001u);
}

TEST_F(LogTagsTest, EnginesHaveTheirOwnPackets) {
  submit({0x10001}, {.node = NodeId{2}});
  EXPECT_EQ(read(1), 1u);
}

}  // namespace
}  // namespace wddm::host
