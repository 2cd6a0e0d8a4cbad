// The common predicates: each names the root cause, and says yes when nothing is missing.
#include <gtest/gtest.h>

#include "conformance/rules/rule.h"

namespace wddm::applies {
namespace {

Platform complete() {
  Platform platform;
  platform.started = platform.has_caps = platform.has_client = platform.has_decoder = true;
  platform.patch_list_model = true;
  platform.scheduling.value = 1;  // MultiEngineAware
  platform.segments.resize(1);
  return platform;
}

TEST(Applies, EverythingAppliesToACompletePlatform) {
  for (auto* predicate :
       {always, needs_caps, patch_lists, patch_lists_and_decoder, paging, rendering}) {
    EXPECT_EQ(predicate(complete()), nullptr);
  }
}

TEST(Applies, NothingThatNeedsADriverAppliesToOneThatDidNotStart) {
  EXPECT_EQ(always(Platform{}), nullptr);
  for (auto* predicate : {patch_lists, patch_lists_and_decoder, paging, rendering, needs_caps,
                          gpu_mmu, virtual_addresses, resizable_root}) {
    EXPECT_STREQ(predicate(Platform{}), "the driver did not start");
  }
}

TEST(Applies, WhatADriverSaidBeforeItsStartFailedCounts) {
  Platform asked;
  asked.has_caps = asked.gpu_mmu = true;
  for (auto* predicate : {needs_caps, gpu_mmu, virtual_addresses}) {
    EXPECT_EQ(predicate(asked), nullptr);
  }
}

TEST(Applies, OneOfTwoMmusGivesVirtualAddresses) {
  EXPECT_EQ(std::string(virtual_submission(complete())).substr(0, 24), "no GPU virtual addresses");
  Platform io_mmu = complete();
  io_mmu.io_mmu = true;
  EXPECT_EQ(virtual_submission(io_mmu), nullptr);
  EXPECT_NE(page_tables(io_mmu), nullptr) << "the tables are not the driver's";
  Platform gpu_mmu = complete();
  gpu_mmu.gpu_mmu = true;
  EXPECT_EQ(virtual_submission(gpu_mmu), nullptr);
}

TEST(Applies, WhatIsMissingIsNamed) {
  Platform no_client = complete();
  no_client.has_client = false;
  Platform no_lists = complete();
  no_lists.patch_list_model = false;
  Platform no_decoder = complete();
  no_decoder.has_decoder = false;
  Platform no_segments = complete();
  no_segments.segments.clear();

  Platform no_caps = complete();
  no_caps.has_caps = false;
  no_caps.scheduling.value = 0;

  EXPECT_STREQ(patch_lists(no_caps), needs_caps(no_caps));
  EXPECT_EQ(std::string(patch_lists_and_decoder(no_client)).substr(0, 9), "no client");
  EXPECT_EQ(std::string(patch_lists_and_decoder(no_lists)).substr(0, 14), "no patch lists");
  EXPECT_EQ(std::string(patch_lists_and_decoder(no_decoder)).substr(0, 10), "no decoder");
  Platform compute_only = complete();
  compute_only.compute_only = true;
  EXPECT_EQ(std::string(slot_tables(compute_only)).substr(0, 13), "no slot table");
  EXPECT_EQ(slot_tables(complete()), nullptr);
  EXPECT_EQ(std::string(paging(no_segments)).substr(0, 17), "no memory segment");
}

TEST(Applies, AperturesAreNoMemorySegments) {
  EXPECT_EQ(paging_of_memory_segments(complete()), nullptr);
  Platform apertures = complete();
  apertures.segments[0].flags.value = 1;
  EXPECT_EQ(paging(apertures), nullptr);
  EXPECT_EQ(std::string(paging_of_memory_segments(apertures)).substr(0, 17), "no memory segment");
  apertures.segments.resize(2);
  EXPECT_EQ(paging_of_memory_segments(apertures), nullptr);
}

TEST(Applies, AnEntryThatTheDriverLacksIsNamed) {
  const auto without = [](DdiId ddi) {
    Platform platform = complete();
    platform.absent_ddis.value.set(static_cast<std::size_t>(ddi));
    return platform;
  };
  EXPECT_STREQ(rendering(without(DdiId::Render)), "the driver has no DxgkDdiRender");
  EXPECT_EQ(std::string(patch_lists(without(DdiId::CreateContext))).substr(0, 10), "not hosted");
  Platform on_devices = complete();
  on_devices.scheduling.value = 0;
  EXPECT_EQ(std::string(patch_lists(on_devices)).substr(0, 10), "not hosted");
  EXPECT_STREQ(patch_lists(without(DdiId::Render)), "the driver has no DxgkDdiRender");
  EXPECT_STREQ(patching(without(DdiId::Patch)), "the driver has no DxgkDdiPatch");
  EXPECT_EQ(patch_lists(without(DdiId::Patch)), nullptr);
  EXPECT_STREQ(paging(without(DdiId::BuildPagingBuffer)),
               "the driver has no DxgkDdiBuildPagingBuffer");
  EXPECT_STREQ(submitting(without(DdiId::SubmitCommand)), "the driver has no DxgkDdiSubmitCommand");
}

}  // namespace
}  // namespace wddm::applies
