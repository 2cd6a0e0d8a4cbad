// LDA-006: PhysicalAdapterIndex of an entry says whose memory its page is in.

#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/blamed_entry.h"

namespace wddm::lda_006 {
namespace {

bool in_a_segment(const EntryRecord& entry) {
  return pt::leads_somewhere(entry) && !pt::is_system(entry);
}

// Of pointers to tables the field says nothing.
bool maps_pages(const pt::CarriedOut& one, const EntryRecord& entry) {
  return one.update.level == 0 || (entry.flags & entry_flag::kLargePage) != 0;
}

void judge_entries(const Trace& trace, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return pt::writes(trace, one, [&](const EntryRecord& wanted) {
          return in_a_segment(wanted) && maps_pages(one, wanted);
        });
      },
      [&](const pt::CarriedOut& one, const EntryDifference& differs) {
        return in_a_segment(differs.expected) && in_a_segment(differs.seen) &&
               maps_pages(one, differs.expected) &&
               differs.expected.adapter != differs.seen.adapter;
      });
}

// Which GPU a packet ran on.
class GpuOfPacket {
 public:
  explicit GpuOfPacket(const Trace& trace) {
    for (const std::uint32_t index : trace.of<ev::Submitted>()) {
      const auto submitted = trace.at<ev::Submitted>(index);
      gpu_[submitted.packet] = submitted.engine;
    }
  }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t packet) const {
    const auto found = gpu_.find(packet);
    return found == gpu_.end() ? 0 : found->second;
  }

 private:
  ScratchMap<std::uint32_t, std::uint32_t> gpu_;
};

// What a GPU fills goes where the entries of its own tables lead. That GPU 0 does right shows
// nothing of owners: its own memory is what an entry without an owner leads to.
void judge_fills(const Trace& trace, const GpuOfPacket& gpu_of, Judgement& judgement) {
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  for (const page::CheckedOperations::Found& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    const std::uint32_t packet = operation.done.packet;
    if (operation.done.operation != DXGK_OPERATION_VIRTUAL_FILL || packet == kNone) continue;
    if (trace.events()[found.event].kind == EventKind::MemoryChecked) {
      if (gpu_of(packet) != 0) judgement.reached(found.event);
      continue;
    }
    const auto differs = trace.at<ev::MemoryDiffers>(found.event);
    if (gpu_of(packet) == 0 && differs.physical_adapter == 0) continue;  // VPAGE-001
    page::fail_found(trace, found, operation, judgement,
                     "what a GPU fills by a peer's entries lies in its owner's memory");
  }
}

// What commands of a GPU write to memory of another, and what those of any write to that of a GPU
// that is not the first.
void judge_commands(const Trace& trace, const GpuOfPacket& gpu_of, Judgement& judgement) {
  const auto render = static_cast<std::uint32_t>(MemoryCause::Render);
  for (const std::uint32_t index : trace.of_any<ev::MemoryChecked, ev::MemoryDiffers>()) {
    if (trace.events()[index].kind == EventKind::MemoryChecked) {
      const auto checked = trace.at<ev::MemoryChecked>(index);
      if (checked.cause == render && gpu_of(checked.object) != 0) judgement.reached(index);
      continue;
    }
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    const std::uint32_t gpu = gpu_of(differs.cause_object);
    if (differs.cause != render || (gpu == 0 && differs.physical_adapter == 0)) continue;
    va::fail_by_memory(trace, index, judgement,
                       "what GPU " + std::to_string(gpu) + " writes lies in the memory of GPU " +
                           std::to_string(differs.physical_adapter) +
                           ", by PhysicalAdapterIndex of the entries that map its pages (level 0, "
                           "or large pages)");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  judge_entries(trace, judgement);
  const GpuOfPacket gpu_of(trace);
  judge_fills(trace, gpu_of, judgement);
  judge_commands(trace, gpu_of, judgement);
}

// A driver whose entries all lead to memory of the GPU that has them.
class DropsTheOwner final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const UINT affinity = create->EngineAffinity;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    for (UINT gpu = 1; NT_SUCCESS(status) && gpu < 32; ++gpu) {
      if (affinity == 1u << gpu) others_.push_back({create->hContext, gpu});
    }
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      const auto& update = build->UpdatePageTable;
      for (UINT i = 0; i < (update.Flags.Repeat ? 1 : update.NumPageTableEntries); ++i) {
        update.pPageTableEntries[i].PhysicalAdapterIndex = gpu_of(build->hSystemContext);
      }
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  [[nodiscard]] UINT gpu_of(HANDLE context) const {
    for (const auto& [handle, gpu] : others_) {
      if (handle == context) return gpu;
    }
    return 0;
  }
  std::vector<std::pair<HANDLE, UINT>> others_;  // contexts of other GPUs than 0
};

const Rule kRule{
    .id = "LDA-006",
    .title = "PhysicalAdapterIndex of an entry names the owner of the page",
    .evidence = Evidence::Memory,
    .rule =
        "An entry with PhysicalAdapterIndex n and a segment leads to the page in that segment of "
        "GPU n of the link: to local memory in a table of that GPU, to memory of a peer in a table "
        "of any other. It is read of entries that map pages, at level 0 or as large pages; an "
        "entry that leads to a table leads to the one on the GPU that walks.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # PhysicalAdapterIndex\n"
        "gpu-virtual-address.md # Creation of page table allocations (LinkMirrored, "
        "LinkInstanced)\n"
        "per-process-gpu-virtual-address-spaces.md # Virtual address space on linked display "
        "adapters",
    .note =
        "The page of DXGK_PTE lets entries of one GPU point to memory of another, and says nothing "
        "of levels. A root is mirrored, with the same entries on every GPU, and leads to tables "
        "that are instanced, one on each GPU at the same offset: so the index above the leaf, "
        "which is 0 here, names no GPU. A driver that reads it there finds the tables of GPU 0 "
        "from every GPU.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario = lda::kMemoryOfBoth,
    .control = R"(
about: the first GPU may have memory that the second cannot reach, and commands of the second use an allocation of the first
ops:
# Of the built-in driver, which gives the first one memory that no BAR shows.
- configure: {setting: HighSegment, value: 1}
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 1, source: 1, offset: 8192, source_offset: 4096, size: 4096}
- idle
- evict: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 4096, size: 4096, value: 0x55667788}
- idle
)",
    .fault = {.about = "entries lead to memory of the GPU whose table they are in",
              .interposer = [] { return std::unique_ptr<Interposer>(new DropsTheOwner); },
              .also_fires =
                  "PROC-004 PROC-005 PT-004 PT-005 ROOT-009 SUBMIT-015 VPAGE-001 VPAGE-004 "
                  "VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_006
