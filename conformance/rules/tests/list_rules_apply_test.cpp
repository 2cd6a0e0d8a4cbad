// Drivers for which clauses on slots, on patched fields, on Render and on Transfer have nothing to
// say.
#include <gtest/gtest.h>

#include <string>

#include "conformance/rules/rule.h"

namespace wddm::list_rules_apply {
namespace {

Platform complete() {
  Platform platform;
  platform.started = platform.has_caps = platform.has_client = platform.has_decoder = true;
  platform.patch_list_model = true;
  platform.scheduling.value = 1 | 4;
  platform.slots = 16;
  platform.segments.push_back({.size = 0x100000});
  return platform;
}

bool applies(const char* id, const Platform& platform) {
  return find_rule(id)->applies(platform) == nullptr;
}

TEST(ListRules, NeedRowsToSpeakOfSlots) {
  Platform without = complete();
  without.slots = 0;
  for (const char* id : {"BIND-001", "BIND-005", "BIND-006", "SPLIT-007", "SPLIT-009"}) {
    EXPECT_TRUE(applies(id, complete())) << id;
    EXPECT_FALSE(applies(id, without)) << id;
  }
  EXPECT_TRUE(applies("SPLIT-004", without));
  without.compute_only = true;
  EXPECT_FALSE(applies("SPLIT-004", without));
}

TEST(ListRules, NeedPatchingToSpeakOfFields) {
  Platform without = complete();
  without.scheduling.value |= 8;
  for (const char* id : {"PATCH-001", "RENDER-006", "RENDER-007", "SPLIT-007"}) {
    EXPECT_TRUE(applies(id, complete())) << id;
    EXPECT_FALSE(applies(id, without)) << id;
  }
}

TEST(ListRules, SayThatWithVirtualAddressesNobodyCallsThat) {
  Platform physical = complete();
  physical.segments.resize(1);
  Platform io_mmu = physical, gpu_mmu = physical;
  io_mmu.io_mmu = true;
  gpu_mmu.gpu_mmu = true;
  for (const char* id : {"RENDER-001", "RENDER-008", "RENDER-013"}) {
    EXPECT_TRUE(applies(id, physical)) << id;
    EXPECT_FALSE(applies(id, io_mmu)) << id;
    EXPECT_FALSE(applies(id, gpu_mmu)) << id;
  }
  for (const char* id : {"PAGE-005", "PAGE-006", "PAGE-012"}) {
    EXPECT_TRUE(applies(id, physical)) << id;
    EXPECT_TRUE(applies(id, io_mmu)) << id << ": there are no page tables to page through";
    EXPECT_FALSE(applies(id, gpu_mmu)) << id;
  }
}

TEST(ListRules, SayThatContextAllocationsOfPatchListsAreNotMade) {
  const Platform older = complete();
  Platform patch_lists = complete(), gpu_mmu = complete();
  patch_lists.interface_version = gpu_mmu.interface_version =
      static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  gpu_mmu.gpu_mmu = true;
  for (const char* id : {"CTX-005", "CTX-006", "CTX-007", "CTX-011"}) {
    EXPECT_EQ(std::string(find_rule(id)->applies(older)).substr(0, 10), "older than") << id;
    EXPECT_EQ(std::string(find_rule(id)->applies(patch_lists)).substr(0, 10), "not hosted") << id;
    EXPECT_TRUE(applies(id, gpu_mmu)) << id;
  }
}

}  // namespace
}  // namespace wddm::list_rules_apply
