// MCDM-042: a driver that can be isolated by the IOMMU gets what its device accesses from Dxgkrnl,
// and not from the memory manager.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_042 {
namespace {

constexpr std::string_view kForbidden[] = {
    "MmAllocateContiguousMemory", "MmAllocateContiguousMemorySpecifyCache",
    "MmFreeContiguousMemory",     "MmAllocatePagesForMdl",
    "MmAllocatePagesForMdlEx",    "MmFreePagesFromMdl",
    "MmProbeAndLockPages"};

void judge_imports(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  judgement.reached(index);
  std::string_view names = trace.blob_text(trace.events()[index]);
  std::string found;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\n'), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    if (std::find(std::begin(kForbidden), std::end(kForbidden), name) == std::end(kForbidden)) {
      continue;
    }
    if (!found.empty()) found += ", ";
    found += name;
  }
  if (found.empty()) return;
  judgement.fail(
      index, "no import of functions that allocate from the memory manager or lock pages", found);
}

void judge_balance(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto balance = trace.at<ev::IsolatedMemoryBalance>(index);
  judgement.reached(index);
  if (balance.blocks_freed != balance.blocks) {
    judgement.fail(index, "DxgkCbFreeContiguousMemory for each block by the end of StopDevice",
                   std::to_string(balance.blocks - balance.blocks_freed) + " of " +
                       std::to_string(balance.blocks) + " are left");
  }
  if (balance.mdls_freed != balance.mdls) {
    judgement.fail(index, "DxgkCbFreePagesFromMdl for each MDL by the end of StopDevice",
                   std::to_string(balance.mdls - balance.mdls_freed) + " of " +
                       std::to_string(balance.mdls) + " are left");
  }
}

void judge_access(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto access = trace.at<ev::UnmappedAccess>(index);
  judgement.reached(index);
  judgement.fail(index,
                 "the device accesses memory that DxgkCbAllocateContiguousMemory or "
                 "DxgkCbAllocatePagesForMdl has given, and no other of the driver's",
                 std::string(access.write != 0 ? "a write to" : "a read of") +
                     " contiguous memory of the memory manager's");
}

// At which IRQL the callbacks are called, callback.def says: another is a finding.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::MemoryImports>()) {
    judge_imports(trace, index, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::IsolatedMemoryBalance>()) {
    judge_balance(trace, index, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::UnmappedAccess>()) {
    judge_access(trace, index, judgement);
  }
}

// A driver whose ring is as old as the capability is new.
class AllocatesItself final : public Interposer {
 public:
  void MemoryImports(std::string& names) override {
    names += "MmAllocateContiguousMemorySpecifyCache\n";
  }
};

NotApplicable isolated(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.secure_mode) return "no IoMmuSecureModeSupported";
  return platform.interface_version >= static_cast<std::uint32_t>(InterfaceVersion::Wddm2_4)
             ? nullptr
             : "a driver of before WDDM 2.4";
}

const Rule kRule{
    .id = "MCDM-042",
    .title = "A driver with IOMMU isolation does not allocate from Mm itself",
    .rule =
        "With IoMmuSecureModeSupported the driver imports none of MmAllocateContiguousMemory, "
        "MmAllocateContiguousMemorySpecifyCache, MmFreeContiguousMemory, MmAllocatePagesForMdl, "
        "MmAllocatePagesForMdlEx, MmFreePagesFromMdl and MmProbeAndLockPages, and its device "
        "accesses no contiguous memory that the driver had of other functions. What "
        "DxgkCbAllocateContiguousMemory and DxgkCbAllocatePagesForMdl have given it is given back "
        "by the matching callback before StopDevice returns.",
    .sources =
        "iommu-based-gpu-isolation.md # Testing\n"
        "iommu-based-gpu-isolation.md # Memory allocation and mapping to IOMMU\n"
        "nc-d3dkmddi-dxgkcb_allocatecontiguousmemory.md # Remarks\n"
        "mcdm-implementation-guidelines.md # MemoryManagementCaps requirements",
    .note =
        "Judged is the image that was built for this suite: what the compiler has left of unused "
        "functions may differ on Windows. The list is the document's own, and names neither "
        "MmAllocateContiguousNodeMemory nor MmFreeContiguousMemorySpecifyCache: of these it is "
        "looked what the device does with the memory. Pages of MDLs are not followed. When memory "
        "must be back is derived from LIFE-003. DxgkCbMapMdlToIoMmu is not offered here.",
    .applies = isolated,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: the adapter starts, works and stops
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- stop
)",
    .control = R"(
about: the adapter starts and stops
ops:
- start
- stop
)",
    .fault = {.about = "the driver imports MmAllocateContiguousMemorySpecifyCache",
              .interposer = [] { return std::unique_ptr<Interposer>(new AllocatesItself); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_042
