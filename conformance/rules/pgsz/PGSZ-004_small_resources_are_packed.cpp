// PGSZ-004: where allocations have whole pages of 64 KB, small resources share them.

#include <algorithm>
#include <string>

#include "conformance/rules/rule.h"

namespace wddm::pgsz_004 {
namespace {

constexpr std::uint32_t kUse64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS

// Of resources that leave most of a page empty, two fit into each allocation, whatever their
// alignment. How large the allocations are is the client's affair: it may keep room for more.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ResourcesPlaced>()) {
    const auto placed = trace.at<ev::ResourcesPlaced>(index);
    const std::uint64_t each = placed.requested / std::max(placed.resources, 1u);
    if (placed.wrong != 0) {
      judgement.reached(index);
      judgement.fail(index, "resources that lie in their allocations, beside one another",
                     std::to_string(placed.wrong) + " do not");
      continue;
    }
    if (each * 8 > placed.unit || placed.resources < 4) continue;
    judgement.reached(index);
    if (std::uint64_t{placed.allocations} * 2 <= placed.resources) continue;
    judgement.fail(index,
                   std::to_string(placed.resources) + " resources of " + std::to_string(each) +
                       " bytes in fewer allocations, each of whole pages of " +
                       std::to_string(placed.unit),
                   std::to_string(placed.allocations) + " allocations of " +
                       std::to_string(placed.committed) + " bytes");
  }
}

NotApplicable segments_of_64kb(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  const bool any =
      std::any_of(platform.segments.begin(), platform.segments.end(),
                  [](const auto& segment) { return (segment.flags.value & kUse64KBPages) != 0; });
  return any ? nullptr : "no segment is managed in pages of 64 KB";
}

const Rule kRule{
    .id = "PGSZ-004",
    .title = "Small allocations are packed by the user mode driver",
    .binds = Binds::Client,
    .level = Level::Should,
    .rule =
        "Every allocation of a segment with 64 KB pages takes whole pages. A user-mode driver so "
        "puts small resources together into larger allocations, instead of one into each.",
    .sources =
        "gpu-virtual-address.md # Physical page size\n"
        "support-for-64kb-pages.md # Single PTE mode (pack small allocations)",
    .note =
        "Where resources go the client plug-in says by place_resources(), or the client that this "
        "host plays. Judged is how many allocations there are for the resources, and not their "
        "size, for a client may take a large one at once and fill it later.",
    .applies = segments_of_64kb,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: a thousand buffers of 256 bytes
ops:
- small_resources: {count: 1000, size: 256}
- small_resources: {count: 100, size: 4000}
)",
    .control = R"(
about: buffers as large as a page, and too few to care
ops:
- small_resources: {count: 8, size: 65536}
- small_resources: {count: 2, size: 256}
)",
    .fault = {.about = "each buffer has an allocation of its own",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::AnAllocationForEach}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_004
