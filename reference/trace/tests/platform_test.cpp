// The platform as a trace shows it.
#include "reference/platform.h"

#include <gtest/gtest.h>

#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

constexpr std::uint32_t kUnsuccessful = 0xC0000001;

template <class... Payloads>
Platform platform(const Payloads&... payloads) {
  TraceBuffer buffer;
  (buffer.add(payloads), ...);
  return platform_of(buffer.read());
}

TEST(Platform, OfAnEmptyTraceHasNothing) {
  const Platform empty = platform();
  EXPECT_FALSE(empty.started || empty.has_caps || empty.has_device || empty.has_client);
  EXPECT_TRUE(empty.segments.empty());
}

TEST(Platform, IsStartedWhenRunning) {
  EXPECT_TRUE(platform(ev::Running{1}).started);
}

TEST(Platform, PlugInsAreTaken) {
  const Platform seen = platform(ev::PlugInsLoaded{1, 0, 1, 1, 0});
  EXPECT_TRUE(seen.has_device && seen.has_scramble && seen.has_client);
  EXPECT_FALSE(seen.has_device_log || seen.has_decoder);
}

TEST(Platform, OffersOfAMissingPlugInDoNotCount) {
  const Platform seen = platform(ev::PlugInsLoaded{0, 1, 1, 0, 1});
  EXPECT_FALSE(seen.has_device_log || seen.has_scramble || seen.has_decoder);
}

TEST(Platform, WhatADeviceLeavesOutIsTaken) {
  EXPECT_EQ(platform(ev::DeviceLacks{.missing = 5}).device_lacks, 5u);
  EXPECT_EQ(platform(ev::PlugInsLoaded{.device = 1}).device_lacks, 0u);
}

TEST(Platform, SourcesAreThoseOfTheAdapterThatLeads) {
  EXPECT_EQ(platform(ev::DeviceStarted{.physical_adapter = 1, .sources = 4},
                     ev::DeviceStarted{.status = 0xC0000001, .sources = 3},
                     ev::DeviceStarted{.sources = 2})
                .sources,
            2u);
}

TEST(Platform, SourcesThatNobodyCountedAreNone) {
  EXPECT_EQ(platform(ev::DeviceStarted{.sources = kNone}).sources, 0u);
}

TEST(Platform, CapsAreTaken) {
  const Platform seen = platform(
      ev::CapsReported{.scheduling = 0xd, .wddm_version = 0x1200, .slots = 16, .nodes = 2});
  EXPECT_TRUE(seen.has_caps);
  EXPECT_EQ(seen.slots, 16u);
  EXPECT_EQ(seen.nodes, 2u);
  EXPECT_TRUE(seen.scheduling.multi_engine_aware() && seen.scheduling.preemption_aware());
  EXPECT_TRUE(seen.scheduling.no_dma_patching());
  EXPECT_FALSE(seen.scheduling.cancel_command_aware());
}

TEST(Platform, TheInterfaceSaysWhetherItIsWddm2) {
  EXPECT_FALSE(platform(ev::CapsReported{.interface_version = 0x4003}).wddm2());
  EXPECT_TRUE(platform(ev::CapsReported{.interface_version = 0x5023}).wddm2());
  EXPECT_TRUE(platform(ev::CapsReported{.interface_version = 0xb004}).wddm2());
}

TEST(Platform, TheReservedMemberOfTheCapsDoesNot) {
  EXPECT_FALSE(
      platform(ev::CapsReported{.wddm_version = 0x2600, .interface_version = 0x4002}).wddm2());
  EXPECT_TRUE(platform(ev::CapsReported{.wddm_version = 0, .interface_version = 0x5023}).wddm2());
}

TEST(Platform, ComputeOnlyIsTaken) {
  EXPECT_TRUE(platform(ev::CapsReported{.misc = 8}).compute_only);
  EXPECT_FALSE(platform(ev::CapsReported{.misc = 7}).compute_only);
}

TEST(Platform, CapsOfAFailedQueryDoNotCount) {
  EXPECT_FALSE(platform(ev::CapsReported{.status = kUnsuccessful, .nodes = 2}).has_caps);
}

TEST(Platform, FirstAnswerCounts) {
  const Platform seen = platform(ev::CapsReported{.status = kUnsuccessful, .nodes = 9},
                                 ev::CapsReported{.nodes = 2}, ev::CapsReported{.nodes = 3});
  EXPECT_EQ(seen.nodes, 2u);
}

TEST(Platform, ClaimsOutOfRangeAreCut) {
  const Platform seen = platform(ev::CapsReported{.slots = 0xffffffff, .nodes = 0xffffffff});
  EXPECT_EQ(seen.slots, 0xffffffu);
  EXPECT_EQ(seen.nodes, 64u);
}

std::uint32_t version(std::uint32_t reported) {
  return platform(ev::CapsReported{.wddm_version = reported}).wddm_version;
}

TEST(Platform, WddmVersionIsDecimal) {
  EXPECT_EQ(version(0x1000), 1000u);
  EXPECT_EQ(version(0x1300), 1300u);
  EXPECT_EQ(version(0x2105), 2105u);
  EXPECT_EQ(version(0x2700), 2700u);
}

TEST(Platform, WddmVersionThatIsNoneIsUnknown) {
  EXPECT_EQ(version(0), 0u);
  EXPECT_EQ(version(0x1a00), 0u);
  EXPECT_EQ(version(0x00012000), 0u);
  EXPECT_EQ(version(0xffffffff), 0u);
}

TEST(Platform, VirtualAddressingIsACap) {
  EXPECT_TRUE(platform(ev::CapsReported{.memory = 0x60}).virtual_addressing);
  EXPECT_FALSE(platform(ev::CapsReported{.memory = 0x5f}).virtual_addressing);
}

TEST(Platform, AnIoMmuAloneIsOneOfTheCaps) {
  constexpr std::uint32_t kAlone = 0xa0, kBesideGpuMmu = 0xe0;
  const Platform alone = platform(ev::CapsReported{.memory = kAlone, .interface_version = 0x5023});
  EXPECT_TRUE(alone.io_mmu);
  EXPECT_FALSE(alone.gpu_mmu);
  EXPECT_TRUE(alone.has_virtual_addresses());
  EXPECT_FALSE(
      platform(ev::CapsReported{.memory = kBesideGpuMmu, .interface_version = 0x5023}).io_mmu);
  EXPECT_FALSE(platform(ev::CapsReported{.memory = kAlone, .interface_version = 0x4003}).io_mmu);
}

TEST(Platform, InterfaceVersionIsThatOfDxgkInitialize) {
  EXPECT_EQ(platform(ev::EntryReturned{.initialize_calls = 1, .version = 0x300e},
                     ev::CapsReported{.interface_version = 0x4002})
                .interface_version,
            0x300eu);
}

TEST(Platform, InterfaceVersionOfTheCapsStandsIn) {
  EXPECT_EQ(platform(ev::EntryReturned{}, ev::CapsReported{.interface_version = 0x4002})
                .interface_version,
            0x4002u);
}

TEST(Platform, SegmentsStandByTheirId) {
  const Platform seen = platform(
      ev::SegmentReported{.base = 0x1000, .size = 0x2000, .segment = 2, .flags = 1},
      ev::SegmentReported{.size = 0x4000, .commit_limit = 0x3000, .segment = 1, .flags = 4});
  ASSERT_EQ(seen.segments.size(), 2u);
  EXPECT_EQ(seen.segments[0].size, 0x4000u);
  EXPECT_EQ(seen.segments[0].commit_limit, 0x3000u);
  EXPECT_TRUE(seen.segments[0].flags.cpu_visible());
  EXPECT_EQ(seen.segments[1].base, 0x1000u);
  EXPECT_TRUE(seen.segments[1].flags.aperture());
}

TEST(Platform, LaterRoundsDoNotChangeSegments) {
  const Platform seen = platform(ev::SegmentReported{.size = 1, .segment = 1},
                                 ev::SegmentReported{.size = 2, .segment = 1, .round = 1},
                                 ev::SegmentReported{.size = 3, .segment = 2, .round = 1});
  ASSERT_EQ(seen.segments.size(), 1u);
  EXPECT_EQ(seen.segments[0].size, 1u);
}

TEST(Platform, FirstDescriptorOfASegmentCounts) {
  const Platform seen = platform(ev::SegmentReported{.size = 1, .segment = 1},
                                 ev::SegmentReported{.size = 2, .segment = 1});
  EXPECT_EQ(seen.segments[0].size, 1u);
}

TEST(Platform, SegmentIdsOutOfRangeAreDropped) {
  EXPECT_TRUE(platform(ev::SegmentReported{.segment = 0}, ev::SegmentReported{.segment = 33},
                       ev::SegmentReported{.segment = 0xffffffff})
                  .segments.empty());
  EXPECT_EQ(platform(ev::SegmentReported{.segment = 32}).segments.size(), 32u);
}

TEST(Platform, SegmentEndsInsideTheAddressSpace) {
  const Platform seen =
      platform(ev::SegmentReported{.base = ~0ull - 0xfff, .size = ~0ull, .segment = 1});
  EXPECT_EQ(seen.segments[0].base + seen.segments[0].size, ~0ull);
}

ev::ContextCreated context(std::uint32_t caps) {
  return {.dma_bytes = 4096, .allocations = 16, .patches = 16, .caps = caps};
}

TEST(Platform, ContextWithPatchListShowsTheModel) {
  EXPECT_TRUE(platform(context(1), context(0)).patch_list_model);
}

TEST(Platform, ContextWithoutPatchingDoesNot) {
  EXPECT_FALSE(platform(context(1)).patch_list_model);
}

TEST(Platform, ContextThatCannotRenderDoesNot) {
  ev::ContextCreated failed = context(0);
  failed.status = kUnsuccessful;
  ev::ContextCreated without_buffer = context(0);
  without_buffer.dma_bytes = 0;
  ev::ContextCreated without_list = context(0);
  without_list.patches = 0;
  EXPECT_FALSE(platform(failed, without_buffer, without_list).patch_list_model);
}

TEST(Platform, EntriesAreThereUnlessTheTraceSaysOtherwise) {
  EXPECT_TRUE(platform().has(DdiId::Render));
  const DdiId filled[] = {DdiId::DriverEntry, DdiId::Render, static_cast<DdiId>(60000)};
  TraceBuffer buffer;
  buffer.writer().add(ev::DdisFilled{.count = 3}, 0, 0, 0, filled, sizeof(filled));
  const Platform seen = platform_of(buffer.read());
  EXPECT_TRUE(seen.has(DdiId::Render));
  EXPECT_FALSE(seen.has(DdiId::Patch));
}

}  // namespace
}  // namespace wddm
