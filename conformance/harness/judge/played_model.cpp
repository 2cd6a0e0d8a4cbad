#include "conformance/harness/judge/played_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/rules/makes_contexts.h"

namespace wddm::harness {
namespace {

std::string said_as(std::string_view key, std::string_view value) {
  return fmt::format("{:<22} {}", key, value);
}

bool has_pages_of_64kb(const Platform& platform) {
  constexpr std::uint32_t kUse64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
  return std::ranges::any_of(platform.segments, [](const PlatformSegment& segment) {
    return (segment.flags.value & kUse64KBPages) != 0;
  });
}

// Which of the ways to say 64 KB the tables of the first GPU have (PGSZ-005, PGSZ-007).
std::string page_sizes_of(const Platform& platform) {
  std::string text = "4 KB";
  const bool used = has_pages_of_64kb(platform);
  if (platform.leaf_64kb_bytes != 0) {
    text += platform.gpu_mmu_caps.dual_pte()
                ? ", 64 KB in leaf tables that make a pair with those of 4 KB"
                : ", 64 KB in leaf tables of their own";
    if (!used) text += " (no segment has Use64KBPages)";
  } else if (used) {
    text += ", 64 KB as sixteen entries of a leaf table of 4 KB";
  }
  if (platform.gpu_mmu_caps.large_pages()) text += ", large pages by entries above the leaf";
  return text;
}

std::string addressing_of(const Platform& platform) {
  if (platform.gpu_mmu) {
    return platform.io_mmu ? "GPU virtual addresses with page tables, and contexts of an IOMMU"
                           : "GPU virtual addresses with page tables";
  }
  if (platform.io_mmu) return "GPU virtual addresses of an IOMMU, no page tables";
  return makes_contexts(platform) ? "patch lists" : "patch lists of devices without contexts";
}

std::string what_is_played(const Platform& platform) {
  if (!platform.started) return "nothing: the driver did not start";
  std::vector<std::string> parts{addressing_of(platform)};
  const auto add = [&parts](bool on, std::string part) {
    if (on) parts.push_back(std::move(part));
  };
  add(!platform.has_client, "no rendering, for want of a client");
  add(platform.linked_adapters > 1, fmt::format("a link of {} GPUs", platform.linked_adapters));
  add(platform.map_aperture2, "maps of apertures by MapApertureSegment2");
  // The shared primary is made before WDDM 2.0 only.
  add(platform.sources != 0,
      platform.wddm2() ? "nothing of displays" : "of displays a shared primary alone");
  add(platform.runtime_power, "power components");
  add(platform.removable, "surprise removal");
  add(platform.secure_mode, "secure virtual machines");
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::vector<std::string> played_lines(const Platform& platform) {
  std::vector<std::string> lines;
  if (platform.gpu_mmu) lines.push_back(said_as("page sizes", page_sizes_of(platform)));
  lines.push_back(said_as("host plays", what_is_played(platform)));
  return lines;
}

}  // namespace wddm::harness
