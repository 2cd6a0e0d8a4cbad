#include "conformance/host/render/present_call.h"

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/guarded_array.h"

namespace wddm::host {

NTSTATUS call_present(const ContextObject& context, const PresentCall& call,
                      DXGK_ALLOCATIONLIST* list, RenderBuffer& buffer, UINT capacity,
                      RenderCursors& cursors) {
  const memory::GuardedArray rects(call.rects, "list of sub-rectangles");
  DXGKARG_PRESENT args{};
  args.pDmaBuffer = cursors.dma;
  args.DmaSize = static_cast<UINT>(buffer.dma.size());
  args.pDmaBufferPrivateData = buffer.private_data.data();
  args.DmaBufferPrivateDataSize = buffer.private_used;
  args.pAllocationList = list;
  args.pPatchLocationListOut = cursors.patches;
  args.PatchLocationListOutSize = capacity;
  args.MultipassOffset = cursors.multipass;
  args.Color = call.what.color;
  args.DstRect = call.to;
  args.SrcRect = call.from;
  args.SubRectCnt = static_cast<UINT>(call.rects.size());
  args.pDstSubRects = rects.data();
  args.Flags.Blt = call.what.source.has_value();
  args.Flags.ColorFill = !call.what.source;
  const nt::AssertionsAside aside;  // no page names a primary as the one of both surfaces
  const NTSTATUS status = call_ddi<DdiId::Present>(buffer.context, context.driver, &args);
  cursors = {args.pDmaBuffer, args.pPatchLocationListOut, args.MultipassOffset};
  return status;
}

}  // namespace wddm::host
