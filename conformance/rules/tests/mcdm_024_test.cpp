// Precision of time stamps, clocks, and histories without time stamps.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_024 {
namespace {

constexpr auto kRefused = static_cast<std::uint32_t>(STATUS_NOT_IMPLEMENTED);

class Mcdm024 : public TraceTest {
 protected:
  Mcdm024() { platform_.compute_only = true; }
  void clocks(std::uint64_t gpu, std::uint64_t cpu = 5, std::uint32_t node = 0) {
    add(ev::ClockCalibrated{
        .frequency = 1000, .gpu = gpu, .cpu = cpu, .before = 4, .after = 6, .node = node});
  }
  // At a time of the CPU, whose counter counts 10000 for one of this GPU's.
  void clocks_at(std::uint64_t cpu, std::uint64_t gpu, std::uint32_t node = 0) {
    add(ev::ClockCalibrated{
        .frequency = 1000, .gpu = gpu, .cpu = cpu, .before = cpu, .after = cpu, .node = node});
  }
  void runs(std::uint32_t node = 0, PacketFate fate = PacketFate::Completed) {
    add(ev::PacketEnded{.node = node, .fate = static_cast<std::uint32_t>(fate)});
  }
  // Two time stamps of sixteen.
  void formats(std::uint32_t from, std::uint32_t offset) {
    add(ev::HistoryFormatted{
        .bits = 64, .timestamps = 2, .given = 20, .stamps = 16, .offset = offset, .from = from});
  }
  bool holds() { return TraceTest::holds("MCDM-024"); }
};

TEST_F(Mcdm024, Precisions) {
  for (const std::uint32_t bits : {0u, 32u, 33u, 64u}) add(ev::PrecisionReported{.bits = bits});
  EXPECT_TRUE(holds());
  for (const std::uint32_t bits : {1u, 16u, 31u, 65u}) add(ev::PrecisionReported{.bits = bits});
  EXPECT_EQ(failures("MCDM-024"), 4u);
}

TEST_F(Mcdm024, AQueryThatFailsIsAnotherMatter) {
  add(ev::PrecisionReported{.bits = 7, .status = kRefused});
  EXPECT_EQ(times_reached("MCDM-024"), 0u);
}

TEST_F(Mcdm024, BytesBehindTheArray) {
  add(ev::PrecisionReported{.bits = 64, .behind = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, ClocksThatGoOn) {
  clocks(10);
  clocks(10);
  clocks(11);
  clocks(3, 5, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, AClockThatRunsBackwards) {
  clocks(10);
  clocks(9);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, ResetsAndPowerMayTurnItBack) {
  clocks(10);
  add(ev::EngineReset{});
  clocks(9);
  add(ev::PowerChanged{});
  clocks(8);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, ACounterOf32BitsBeginsAnewBehindItsLastNumber) {
  add(ev::PrecisionReported{.bits = 32});
  clocks(0xFFFFFFF0);
  clocks(16);
  EXPECT_TRUE(holds());
  clocks(15);
  EXPECT_EQ(failures("MCDM-024"), 1u);
}

TEST_F(Mcdm024, OneOf64BitsDoesNot) {
  add(ev::PrecisionReported{.bits = 64});
  clocks(0xFFFFFFF0);
  clocks(16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, NorOneThatHasMoreThanItsPrecision) {
  add(ev::PrecisionReported{.bits = 32});
  clocks(0x1FFFFFFF0);
  clocks(16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, TheCounterOfAnotherNodeIsAnother) {
  add(ev::PrecisionReported{.node = 1, .bits = 32});
  clocks(0xFFFFFFF0);
  clocks(16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, AClockThatStandsWhileItsEngineWorks) {
  clocks_at(100000, 7);
  runs();
  clocks_at(200000, 7);
  clocks_at(300000, 7);
  EXPECT_EQ(failures("MCDM-024"), 1u);
}

TEST_F(Mcdm024, AClockMayStandWhileNothingRuns) {
  clocks_at(100000, 7);
  clocks_at(200000, 7);
  runs(1);
  runs(0, PacketFate::Preempted);
  clocks_at(300000, 7);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, AClockThatGoesOnWithItsEngine) {
  clocks_at(100000, 7);
  runs();
  clocks_at(200000, 8);
  clocks_at(300000, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, AClockThatHadNoTimeToCount) {
  clocks_at(100000, 7);
  runs();
  clocks_at(110000, 7);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, AClockThatAResetHasSetAnew) {
  clocks_at(100000, 7);
  runs();
  add(ev::EngineReset{});
  clocks_at(200000, 7);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, ACpuCounterFromAnotherTime) {
  clocks(10, 3);
  EXPECT_EQ(failures("MCDM-024"), 1u);
  clocks(10, 7);
  EXPECT_EQ(failures("MCDM-024"), 2u);
  clocks(10, 4);
  clocks(10, 6);
  EXPECT_EQ(failures("MCDM-024"), 2u);
}

TEST_F(Mcdm024, AClockWithoutFrequency) {
  add(ev::ClockCalibrated{.gpu = 10, .cpu = 5, .before = 4, .after = 6});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, NotImplemented) {
  add(ev::ClockCalibrated{.status = kRefused});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, HistoriesThatAreFormatted) {
  add(ev::HistoryFormatted{.bits = 64, .given = 8});
  EXPECT_TRUE(holds());
  add(ev::HistoryFormatted{.bits = 0, .given = 8});
  EXPECT_EQ(failures("MCDM-024"), 1u);
  add(ev::HistoryFormatted{.bits = 64, .given = 8, .behind = 1});
  EXPECT_EQ(failures("MCDM-024"), 2u);
  add(ev::HistoryFormatted{.status = kRefused, .given = 8});
  EXPECT_EQ(failures("MCDM-024"), 2u);
}

TEST_F(Mcdm024, APrecisionThatTheQueryHasSaid) {
  add(ev::PrecisionReported{.node = 1, .bits = 64});
  add(ev::HistoryFormatted{.node = 1, .bits = 0, .timestamps = 2, .given = 16, .stamps = 16});
  EXPECT_TRUE(holds());
  add(ev::HistoryFormatted{.node = 1, .bits = 0, .timestamps = 3, .given = 16, .stamps = 16});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, OffsetIsZeroWhenAllIsFormatted) {
  add(ev::HistoryFormatted{.bits = 64, .timestamps = 2, .given = 64, .stamps = 2});
  add(ev::HistoryFormatted{.bits = 64, .timestamps = 2, .given = 16, .stamps = 16, .offset = 2});
  EXPECT_TRUE(holds());
  add(ev::HistoryFormatted{.bits = 64, .timestamps = 2, .given = 64, .stamps = 2, .offset = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm024, FormattingGoesOnBehindTheCallBefore) {
  formats(0, 2);
  formats(2, 4);
  formats(4, 0);
  EXPECT_TRUE(holds());
  formats(0, 2);
  EXPECT_TRUE(holds()) << "another history";
  formats(2, 2);
  EXPECT_FALSE(holds()) << "the same come again";
}

TEST_F(Mcdm024, NoMoreTimeStampsThanThereIsRoomFor) {
  add(ev::HistoryFormatted{.bits = 64, .timestamps = 1, .given = 8});
  add(ev::HistoryFormatted{.bits = 32, .timestamps = 2, .given = 8});
  add(ev::HistoryFormatted{.status = kRefused, .bits = 64, .timestamps = 9, .given = 8});
  EXPECT_TRUE(holds());
  add(ev::HistoryFormatted{.bits = 33, .timestamps = 2, .given = 8});
  EXPECT_EQ(failures("MCDM-024"), 1u);
  add(ev::HistoryFormatted{.bits = 32, .timestamps = 3, .given = 8});
  EXPECT_EQ(failures("MCDM-024"), 2u);
}

TEST_F(Mcdm024, ADeviceThatDrawsMayRefuse) {
  platform_.compute_only = false;
  add(ev::ClockCalibrated{.status = static_cast<std::uint32_t>(STATUS_NOT_IMPLEMENTED)});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm024, WhatADeviceThatDrawsSaysIsJudged) {
  platform_.has_caps = true;
  platform_.compute_only = false;
  EXPECT_EQ(find_rule("MCDM-024")->applies(platform_), nullptr);
  clocks(20);
  EXPECT_TRUE(holds());
  clocks(10);
  EXPECT_FALSE(holds());
  platform_.absent_ddis.value.set(static_cast<std::size_t>(DdiId::CalibrateGpuClock));
  EXPECT_NE(find_rule("MCDM-024")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_024
