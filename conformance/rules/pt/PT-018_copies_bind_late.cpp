// PT-018: CopyPageTableEntries copies what the source holds when the GPU comes to it.

#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/copied_ranges.h"
#include "conformance/rules/rule.h"

namespace wddm::pt_018 {
namespace {

// More entries than those that changed late, in all ranges of the call, were copied wrong by
// another mistake (PT-017).
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ev::EntriesCopied all{};  // of the call
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    if (copied.range == 0) all = {};
    all.count += copied.count;
    all.read += copied.read;
    all.unlike += copied.unlike;
    all.late += copied.late;
    const bool last = copied.range + 1 >= copied.ranges;
    if (!last || all.read == 0 || all.late == 0) continue;
    judgement.reached(index);
    if (all.unlike == 0 || all.unlike > all.late) continue;
    judgement.fail(index, "the entries that the source has when the copy is executed",
                   std::to_string(all.unlike) + " of " + std::to_string(all.count) +
                       " are others; an update changed the source between the call that built the "
                       "copy and its execution");
  }
}

// A driver that looks at the source while it builds the copy. What an update that is still on its
// way is to write there it does not see: of that entry it has what the update before has written.
class LooksAtOnce final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto* const start = static_cast<const BYTE*>(build->pDmaBuffer);
    const UINT room = build->DmaSize;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      note(build->UpdatePageTable);
    } else if (build->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES && on_its_way_ &&
               status == STATUS_SUCCESS) {
      write_old(adapter, build,
                room - static_cast<UINT>(static_cast<const BYTE*>(build->pDmaBuffer) - start));
    }
    return status;
  }

 private:
  void note(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
    const bool one = update.NumPageTableEntries == 1 && update.PageTableLevel != 0;
    on_its_way_ = one && had_one_ && last_.StartIndex == update.StartIndex &&
                  last_.hProcess == update.hProcess;
    if (on_its_way_) {
      old_ = entry_;
      old_pair_ = pair_;
    }
    had_one_ = one;
    if (!one) return;
    last_ = update;
    entry_ = update.pPageTableEntries[0];
    pair_ = update.pPageTableEntries64KB != nullptr ? update.pPageTableEntries64KB[0] : DXGK_PTE{};
  }
  void write_old(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build, UINT room) {
    const auto& range = build->CopyPageTableEntries.pRanges[0];
    DXGKARG_BUILDPAGINGBUFFER write = *build;
    write.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    write.DmaSize = room;
    write.MultipassOffset = 0;
    write.UpdatePageTable = last_;
    write.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    write.UpdatePageTable.PageTableAddress.GpuVirtual = range.DstPageTableAddress;
    write.UpdatePageTable.StartIndex =
        last_.StartIndex - range.SrcStartPteIndex + range.DstStartPteIndex;
    write.UpdatePageTable.pPageTableEntries = &old_;
    if (last_.pPageTableEntries64KB != nullptr) {
      write.UpdatePageTable.pPageTableEntries64KB = &old_pair_;
    }
    if (Interposer::BuildPagingBuffer(adapter, &write) != STATUS_SUCCESS) return;
    build->pDmaBuffer = write.pDmaBuffer;
    build->pDmaBufferPrivateData = write.pDmaBufferPrivateData;
  }

  bool had_one_ = false;
  bool on_its_way_ = false;  // the last update writes one entry that the one before it wrote too
  DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE last_{};
  DXGK_PTE entry_{}, pair_{};
  DXGK_PTE old_{}, old_pair_{};
};

NotApplicable late_copies(const Platform& platform) {
  if (const NotApplicable reason = pt::copying_and_decoder(platform)) return reason;
  return resizable_root(platform);
}

const Rule kRule{
    .id = "PT-018",
    .title = "CopyPageTableEntries binds late",
    .evidence = Evidence::Memory,
    .rule =
        "The entries that CopyPageTableEntries copies are those in the source table when the GPU "
        "executes the command. An update that was queued before the copy has been carried out by "
        "then, whether or not it had been when the paging buffer was built.",
    .sources = "tile-resources.md # CopyPageTableEntries",
    .note = "Played by a root that shrinks, of which an entry is written just before the copy.",
    .unreached =
        "no table was copied that an update was still to change: a root that does not "
        "become smaller is never copied, nor one whose entries are longer than others",
    .applies = late_copies,
    .check = check,
    .played_in = {Configured::GpuVirtualUpdates},
    .scenario = R"(
about: the root grows to the end of the space, and shrinks when nothing is there any more
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 23}
- map_address: {allocation: 1, at: top}
- free_address: {allocation: 1}
- idle
)",
    .control = R"(
about: the root stays as it is
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "an entry is copied as it was when the copy was built",
              .interposer = [] { return std::unique_ptr<Interposer>(new LooksAtOnce); },
              .also_fires = "PT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_018
