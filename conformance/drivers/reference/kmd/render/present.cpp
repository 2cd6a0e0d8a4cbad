#include "present.h"

#include "../kmd_allocation.h"
#include "render.h"
#include "translator.h"

namespace reference_kmd {

namespace {

constexpr UINT kTexel = 4;
constexpr ULONG kToSlot = 0, kFromSlot = 1, kColor = 0;

bool lies_in(const RECT& rect, const SurfaceLayout& surface) {
  return rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom &&
         static_cast<UINT>(rect.right) <= surface.width &&
         static_cast<UINT>(rect.bottom) <= surface.height;
}

bool same_size(const RECT& one, const RECT& other) {
  return one.right - one.left == other.right - other.left &&
         one.bottom - one.top == other.bottom - other.top;
}

// The commands of one Present.
class Commands {
 public:
  explicit Commands(const DXGKARG_PRESENT& request) : request_(request) {}
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands() {
    if (words_ != nullptr) ExFreePoolWithTag(words_, kCaptureTag);
  }

  NTSTATUS write(const SurfaceLayout& to, const SurfaceLayout* from) {
    ULONGLONG rows = 0;
    for (UINT i = 0; i < rects(); ++i) {
      if (!lies_in(rect(i), to)) return STATUS_ILLEGAL_INSTRUCTION;
      const RECT source = source_of(rect(i));
      if (from != nullptr && !lies_in(source, *from)) return STATUS_ILLEGAL_INSTRUCTION;
      rows += static_cast<ULONGLONG>(rect(i).bottom - rect(i).top);
    }
    const ULONG words_a_row = from != nullptr ? HW_WORDS_COPY : HW_WORDS_FILL;
    const ULONGLONG bytes =
        (2 * HW_WORDS_USER_BIND + HW_WORDS_LOAD_CONSTANT + rows * words_a_row) * sizeof(ULONG);
    if (bytes > MAXULONG) return STATUS_NO_MEMORY;
    words_ = static_cast<ULONG*>(
        ExAllocatePoolWithTag(PagedPool, static_cast<SIZE_T>(bytes), kCaptureTag));
    if (words_ == nullptr) return STATUS_NO_MEMORY;
    bind(kToSlot, DXGK_PRESENT_DESTINATION_INDEX);
    if (from != nullptr) {
      bind(kFromSlot, DXGK_PRESENT_SOURCE_INDEX);
    } else {
      put(HW_COMMAND(HW_OP_LOAD_CONSTANT, HW_WORDS_LOAD_CONSTANT, kColor, 0));
      put(request_.Color);
    }
    for (UINT i = 0; i < rects(); ++i) write_rows(rect(i), to, from);
    return STATUS_SUCCESS;
  }
  const ULONG* words() const { return words_; }
  ULONG bytes() const { return count_ * sizeof(ULONG); }

 private:
  UINT rects() const { return request_.SubRectCnt; }
  const RECT& rect(UINT index) const { return request_.pDstSubRects[index]; }
  RECT source_of(const RECT& rect) const {
    const LONG right = request_.SrcRect.left - request_.DstRect.left;
    const LONG down = request_.SrcRect.top - request_.DstRect.top;
    return {rect.left + right, rect.top + down, rect.right + right, rect.bottom + down};
  }
  void put(ULONG word) { words_[count_++] = word; }
  void bind(ULONG slot, ULONG index) {
    put(HW_COMMAND(HW_OP_USER_BIND, HW_WORDS_USER_BIND, slot, 0));
    put(index);
    put(0);
  }
  void write_rows(const RECT& rect, const SurfaceLayout& to, const SurfaceLayout* from) {
    const ULONG bytes = static_cast<ULONG>(rect.right - rect.left) * kTexel;
    const RECT source = source_of(rect);
    for (LONG row = 0; row < rect.bottom - rect.top; ++row) {
      const ULONG at = (rect.top + row) * to.pitch + rect.left * kTexel;
      if (from == nullptr) {
        put(HW_COMMAND(HW_OP_FILL, HW_WORDS_FILL, kToSlot, kColor));
        put(at);
      } else {
        put(HW_COMMAND(HW_OP_COPY, HW_WORDS_COPY, kToSlot, kFromSlot));
        put(at);
        put((source.top + row) * from->pitch + source.left * kTexel);
      }
      put(bytes);
    }
  }

  const DXGKARG_PRESENT& request_;
  ULONG* words_ = nullptr;
  ULONG count_ = 0;
};

}  // namespace

NTSTATUS present(const Renderer& renderer, DXGKARG_PRESENT* request) {
  const bool copies = request->Flags.Blt;
  // There is no display to flip, and the copy engine takes texels as they are.
  if (!copies && !request->Flags.ColorFill) return STATUS_ILLEGAL_INSTRUCTION;
  if (request->Flags.SrcColorKey || request->Flags.DstColorKey || request->Flags.Rotate) {
    return STATUS_ILLEGAL_INSTRUCTION;
  }
  if (copies && !same_size(request->SrcRect, request->DstRect)) return STATUS_ILLEGAL_INSTRUCTION;
  const AllocationList list(request->pAllocationList, DXGK_PRESENT_MAX_INDEX + 1);
  const OpenedAllocation* to = list.allocation(DXGK_PRESENT_DESTINATION_INDEX);
  const OpenedAllocation* from = copies ? list.allocation(DXGK_PRESENT_SOURCE_INDEX) : nullptr;
  if (to == nullptr || (copies && from == nullptr)) return STATUS_INVALID_HANDLE;
  const SurfaceLayout to_layout = to->layout();
  const SurfaceLayout from_layout = copies ? from->layout() : SurfaceLayout();
  if (copies && from_layout.format != to_layout.format) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;

  Commands commands(*request);
  NTSTATUS status = commands.write(to_layout, copies ? &from_layout : nullptr);
  if (status != STATUS_SUCCESS) return status;
  DXGKARG_RENDER render = {};
  render.CommandLength = commands.bytes();
  render.pDmaBuffer = request->pDmaBuffer;
  render.DmaSize = request->DmaSize;
  render.pPatchLocationListOut = request->pPatchLocationListOut;
  render.PatchLocationListOutSize = request->PatchLocationListOutSize;
  render.MultipassOffset = request->MultipassOffset;
  Translator translator(renderer, list, &render);
  status = translator.translate(commands.words());
  request->pDmaBuffer = render.pDmaBuffer;
  request->pPatchLocationListOut = render.pPatchLocationListOut;
  request->MultipassOffset = render.MultipassOffset;
  return status;
}

}  // namespace reference_kmd
