// PAGE-024: paging that moves no contents changes none.

#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "reference/is_any_of.h"

namespace wddm::page_024 {
namespace {

// Operations on page tables are MMU-008's, notices VPAGE-008's, those on contexts VPAGE-009's.
bool moves_nothing(std::uint32_t operation) {
  return page::redirects(operation) ||
         is_any_of(operation, DXGK_OPERATION_FLUSH_TLB, DXGK_OPERATION_SIGNAL_MONITORED_FENCE);
}

// Packets that have ended since memory was compared: of several any may have written what differs.
// The events of one comparison follow each other.
class Ended {
 public:
  void packet() {
    if (compared_) packets_ = 0;
    compared_ = false;
    ++packets_;
  }
  void compared() { compared_ = true; }
  [[nodiscard]] bool several() const { return packets_ > 1; }

 private:
  std::uint32_t packets_ = 0;
  bool compared_ = false;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const page::CheckedOperations& checked = trace.ledger<page::CheckedOperations>();
  const auto found = checked.found();
  std::size_t next = 0;
  Ended ended;
  for (const std::uint32_t index :
       trace.of_any<ev::PacketEnded, ev::MemoryChecked, ev::MemoryDiffers>()) {
    if (trace.events()[index].kind == EventKind::PacketEnded) {
      ended.packet();
      continue;
    }
    ended.compared();
    while (next < found.size() && found[next].event < index) ++next;
    if (ended.several() || next == found.size() || found[next].event != index) continue;
    const page::CheckedOperation& operation = checked.of(found[next]);
    if (!moves_nothing(operation.done.operation)) continue;
    page::judge_found(trace, found[next], operation, judgement,
                      "contents of memory as before the operation");
  }
}

// A driver that fills once more what it filled last when an aperture is mapped.
class FillsBesideMaps final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FILL) latest_ = *build;
    if (build->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT ||
        latest_.Operation != DXGK_OPERATION_FILL) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    DXGKARG_BUILDPAGINGBUFFER fill = *build;
    fill.Operation = DXGK_OPERATION_FILL;
    fill.Fill = latest_.Fill;
    fill.Fill.FillPattern = ~latest_.Fill.FillPattern;
    fill.MultipassOffset = 0;
    const UINT room = build->DmaSize;
    if (Interposer::BuildPagingBuffer(adapter, &fill) == STATUS_SUCCESS) {
      build->DmaSize -= static_cast<UINT>(static_cast<BYTE*>(fill.pDmaBuffer) -
                                          static_cast<BYTE*>(build->pDmaBuffer));
      build->pDmaBuffer = fill.pDmaBuffer;
      build->pDmaBufferPrivateData = fill.pDmaBufferPrivateData;
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->DmaSize = room;
    return status;
  }

 private:
  DXGKARG_BUILDPAGINGBUFFER latest_{};
};

const Rule kRule{
    .id = "PAGE-024",
    .title = "Paging that moves no contents changes none",
    .evidence = Evidence::Memory,
    .rule =
        "MapApertureSegment, UnmapApertureSegment and FlushTlb say where addresses lead, and "
        "SignalMonitoredFence how far work has come. None of them changes a byte of an allocation, "
        "or of memory that no allocation lies in.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Map aperture segment, Unmap aperture segment\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # enumerators",
    .note =
        "No page says it in these words; each says what its operation does, and that is all. "
        "Judged where one packet alone has ended since memory was compared. Where the pages of an "
        "aperture lead is PAGE-014 and PAGE-015.",
    .applies = paging,
    .check = check,
    .played_in = {Configured::Default, Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: pages of an aperture are mapped and unmapped, and addresses change, beside contents
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- idle
- map_aperture: {page: 5, pages: 2}
- idle
- unmap_aperture: {page: 5}
- idle
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x55667788}
- idle
- move: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x11223344}
- idle
)",
    .control = R"(
about: contents alone
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- idle
)",
    .fault = {.about = "what was filled last is filled again when an aperture is mapped",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsBesideMaps); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_024
