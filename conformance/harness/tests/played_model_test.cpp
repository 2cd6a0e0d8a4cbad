// Which part of a driver's model is said to be played.
#include "conformance/harness/judge/played_model.h"

#include <gtest/gtest.h>

namespace wddm::harness {
namespace {

using Lines = std::vector<std::string>;

constexpr std::uint32_t kUse64KBPages = 1u << 11, kDualPte = 1u << 7, kLargePages = 1u << 6;

Platform started() {
  Platform platform;
  platform.started = platform.has_client = true;
  return platform;
}

Platform with_page_tables(std::uint32_t caps, std::uint32_t leaf_64kb_bytes,
                          std::uint32_t segment_flags) {
  Platform platform = started();
  platform.gpu_mmu = true;
  platform.gpu_mmu_caps.value = caps;
  platform.leaf_64kb_bytes = leaf_64kb_bytes;
  platform.segments = {{.size = 1 << 20, .flags = {segment_flags}}};
  return platform;
}

std::string sizes_of(const Platform& platform) {
  return played_lines(platform).front();
}

TEST(PlayedModel, ADriverThatDidNotStartIsPlayedNothing) {
  EXPECT_EQ(played_lines({}), Lines{"host plays             nothing: the driver did not start"});
}

TEST(PlayedModel, PatchListsHaveNoPageSizes) {
  EXPECT_EQ(played_lines(started()), Lines{"host plays             patch lists"});
}

TEST(PlayedModel, WithoutMultiEngineAwareDevicesTakeThePlaceOfContexts) {
  Platform platform = started();
  platform.has_caps = true;
  EXPECT_EQ(played_lines(platform),
            Lines{"host plays             patch lists of devices without contexts"});
}

TEST(PlayedModel, WithPageTablesTheirPageSizesAreTold) {
  EXPECT_EQ(played_lines(with_page_tables(0, 0, 0)),
            (Lines{"page sizes             4 KB",
                   "host plays             GPU virtual addresses with page tables"}));
}

TEST(PlayedModel, PagesOf64KAreToldByTheTablesTheyHave) {
  EXPECT_EQ(sizes_of(with_page_tables(0, 0, kUse64KBPages)),
            "page sizes             4 KB, 64 KB as sixteen entries of a leaf table of 4 KB");
  EXPECT_EQ(sizes_of(with_page_tables(0, 4096, kUse64KBPages)),
            "page sizes             4 KB, 64 KB in leaf tables of their own");
  EXPECT_EQ(
      sizes_of(with_page_tables(kDualPte, 4096, kUse64KBPages)),
      "page sizes             4 KB, 64 KB in leaf tables that make a pair with those of 4 KB");
  EXPECT_EQ(sizes_of(with_page_tables(kLargePages, 4096, 0)),
            "page sizes             4 KB, 64 KB in leaf tables of their own (no segment has "
            "Use64KBPages), large pages by entries above the leaf");
}

TEST(PlayedModel, WhatElseTheDriverHasFollows) {
  Platform platform = with_page_tables(0, 0, 0);
  platform.io_mmu = platform.map_aperture2 = platform.secure_mode = true;
  platform.linked_adapters = 2;
  platform.sources = 1;
  platform.interface_version = 0x5023;
  platform.has_client = false;
  EXPECT_EQ(played_lines(platform).back(),
            "host plays             GPU virtual addresses with page tables, and contexts of an "
            "IOMMU; no rendering, for want of a client; a link of 2 GPUs; maps of apertures by "
            "MapApertureSegment2; nothing of displays; secure virtual machines");
}

TEST(PlayedModel, OfDisplaysOldDriversHaveAPrimary) {
  Platform platform = started();
  platform.sources = 1;
  EXPECT_EQ(played_lines(platform).back(),
            "host plays             patch lists; of displays a shared primary alone");
}

}  // namespace
}  // namespace wddm::harness
