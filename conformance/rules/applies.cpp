// Common answers to "does this clause apply to this driver".
//
// Each is null, or the reason as it stands in reports: reasons are counted there by their text, so
// one cause has one text. The order is from the root cause on: a driver that did not start has no
// caps either, and that it did not start is what its author wants to read.
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

constexpr NotApplicable kNotStarted = "the driver did not start";
constexpr NotApplicable kNoCaps =
    "no capabilities: the driver did not answer DXGKQAITYPE_DRIVERCAPS";
constexpr NotApplicable kNoSegments = "no memory segment: the driver has nothing to page to";
constexpr NotApplicable kAperturesAlone =
    "no memory segment: nothing is filled, copied out or discarded in apertures";
constexpr NotApplicable kNoClient = "no client: nothing can be rendered";
constexpr NotApplicable kNoContexts =
    "not hosted: without MultiEngineAware or DxgkDdiCreateContext a driver renders on its device";
constexpr NotApplicable kNoPatchLists = "no patch lists: no context takes them";
constexpr NotApplicable kNoSlotTable = "no slot table: a compute-only driver reports no slots";
constexpr NotApplicable kNoGpuMmu = "no GPU virtual addresses: the driver reports no GPU MMU";
constexpr NotApplicable kNoVirtualAddresses =
    "no GPU virtual addresses: the driver reports neither a GPU MMU nor an IOMMU";
constexpr NotApplicable kFixedRoot = "the root page table has a fixed size: more than two levels";
constexpr NotApplicable kNoEntryDecoder =
    "no decoder of entries: the client cannot read page tables";
constexpr NotApplicable kNoDecoder = "no decoder: the client cannot read DMA buffers";

// Clauses on rendering follow a buffer by its context.
bool has_contexts(const Platform& platform) {
  return platform.has(DdiId::CreateContext) && makes_contexts(platform);
}

}  // namespace

NotApplicable needs(const Platform& platform, DdiId ddi) {
  if (platform.has(ddi)) return nullptr;
  const bool submits_itself = ddi == DdiId::Render && platform.has_virtual_addresses();
  return submits_itself ? kRenderIsNotCalled : ddi_info(ddi).absence;
}

NotApplicable always(const Platform&) {
  return nullptr;
}

// Who did not start was not asked for what follows a start.
NotApplicable needs_caps(const Platform& platform) {
  if (platform.has_caps) return nullptr;
  return platform.started ? kNoCaps : kNotStarted;
}

// With GPU virtual addresses packets take another way to the same engines.
NotApplicable submitting(const Platform& platform) {
  if (!platform.started) return kNotStarted;
  return needs(platform, platform.has_virtual_addresses() ? DdiId::SubmitCommandVirtual
                                                          : DdiId::SubmitCommand);
}

NotApplicable rendering(const Platform& platform) {
  if (!platform.started) return kNotStarted;
  if (!platform.has_client) return kNoClient;
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!has_contexts(platform)) return kNoContexts;
  return needs(platform,
               platform.has_virtual_addresses() ? DdiId::SubmitCommandVirtual : DdiId::Render);
}

NotApplicable patch_lists(const Platform& platform) {
  if (const NotApplicable reason = rendering(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::Render)) return reason;
  return platform.patch_list_model ? nullptr : kNoPatchLists;
}

NotApplicable patching(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return needs(platform, DdiId::Patch);
}

NotApplicable slot_tables(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.compute_only && platform.slots == 0 ? kNoSlotTable : nullptr;
}

NotApplicable patch_lists_and_decoder(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.has_decoder ? nullptr : kNoDecoder;
}

NotApplicable paging(const Platform& platform) {
  if (!platform.started) return kNotStarted;
  if (platform.segments.empty()) return kNoSegments;
  return needs(platform, DdiId::BuildPagingBuffer);
}

NotApplicable paging_of_memory_segments(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  for (const auto& segment : platform.segments) {
    if (!segment.flags.aperture()) return nullptr;
  }
  return kAperturesAlone;
}

NotApplicable gpu_mmu(const Platform& platform) {
  if (platform.gpu_mmu) return nullptr;
  return platform.started ? kNoGpuMmu : kNotStarted;
}

NotApplicable virtual_addresses(const Platform& platform) {
  if (platform.has_virtual_addresses()) return nullptr;
  return platform.started ? kNoVirtualAddresses : kNotStarted;
}

NotApplicable virtual_submission(const Platform& platform) {
  if (!platform.started) return kNotStarted;
  if (const NotApplicable reason = virtual_addresses(platform)) return reason;
  return needs(platform, DdiId::SubmitCommandVirtual);
}

NotApplicable resizable_root(const Platform& platform) {
  if (const NotApplicable reason = gpu_mmu(platform)) return reason;
  return platform.page_table_levels == 2 ? nullptr : kFixedRoot;
}

NotApplicable page_tables(const Platform& platform) {
  if (!platform.started) return kNotStarted;
  if (const NotApplicable reason = gpu_mmu(platform)) return reason;
  return needs(platform, DdiId::BuildPagingBuffer);
}

NotApplicable virtual_rendering(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  if (!platform.has_client) return kNoClient;
  return needs(platform, DdiId::SubmitCommandVirtual);
}

NotApplicable running_commands(const Platform& platform) {
  return platform.gpu_mmu ? virtual_rendering(platform) : rendering(platform);
}

NotApplicable page_tables_and_decoder(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.has_entry_decoder ? nullptr : kNoEntryDecoder;
}

}  // namespace wddm
