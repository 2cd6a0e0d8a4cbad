// PT-025: a range of a CopyPageTableEntries may have one table as its source and its destination.

#include "conformance/rules/pt/altered_copies.h"
#include "conformance/rules/pt/copied_ranges.h"

namespace wddm::pt_025 {
namespace {

// Who copies the wrong way leaves both ranges alike: then it is the source that has changed.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    const auto where = trace.blob<CopiedFrom>(trace.events()[index]);
    if (copied.level != 0 || where.empty() || copied.read == 0) continue;
    const pt::CopiedTables tables = pt::tables_of(copied, where.front());
    if (!(tables.source == tables.destination)) continue;
    judgement.reached(index);
    if (copied.unlike == 0 && copied.outside == 0) continue;
    judgement.fail(index, pt::asked_of(copied) + " of the same table", pt::seen_of(copied));
  }
}

// A driver that goes by the address of the table: one table has one place.
class CopiesOntoItself final : public pt::AltersCopies {
 private:
  void alter(std::span<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges) override {
    for (auto& range : ranges) {
      if (range.SrcPageTableAddress != range.DstPageTableAddress) continue;
      range.SrcStartPteIndex = range.DstStartPteIndex;
    }
  }
};

const Rule kRule{
    .id = "PT-025",
    .title = "CopyPageTableEntries copies entries within one table too",
    .evidence = Evidence::Memory,
    .rule =
        "An element of pRanges may name one table as its source and its destination. The entries "
        "from SrcStartPteIndex replace those from DstStartPteIndex as between two tables, and stay "
        "what they are. All that an entry says goes with its copy, DriverProtection too.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copy_range.md\n"
        "ne-d3dukmdt-_d3dddi_updategpuvirtualaddress_operation_type.md # COPY, MAP_PROTECT\n"
        "tile-resources.md",
    .note =
        "How Windows carries out the copies of UpdateGpuVirtualAddress no page says. That both "
        "tables of a range differ none says either, and such a copy may stay in what one leaf "
        "table covers. Here a table that is both has one address. Ranges that overlap are not "
        "copied so, as no page says what comes of them. Entries of 64 KB pages are not copied: the "
        "operation has no word for them.",
    .applies = pt::copying_and_decoder,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::SmallLeaves, Configured::GpuVirtualUpdates},
    .scenario = pt::kWithinALeaf,
    .control = pt::kInsideALeaf,
    .fault = {.about = "in one table the destination is copied onto itself",
              .interposer = [] { return std::unique_ptr<Interposer>(new CopiesOntoItself); },
              .also_fires = "PT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_025
