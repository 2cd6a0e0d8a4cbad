#include "segment_layout.h"

#include "kmd_addressing.h"
#include "settings.h"

namespace reference_kmd {

namespace {

struct Layout {
  UINT count;     // without the third
  UINT roles[3];  // in the order of ids
};
constexpr Layout kLayouts[] = {
    {2, {UMD_SEGMENT_LOCAL, UMD_SEGMENT_APERTURE}},
    {3, {UMD_SEGMENT_APERTURE, UMD_SEGMENT_SPARE, UMD_SEGMENT_LOCAL}},
    {1, {UMD_SEGMENT_APERTURE}},
    {1, {UMD_SEGMENT_LOCAL}},
};

SegmentLayout g_layout = SegmentLayout::LocalFirst;

const Layout& layout() {
  return kLayouts[static_cast<ULONG>(g_layout)];
}

}  // namespace

void choose_segment_layout(PUNICODE_STRING service_key) {
  PAGED_CODE();
  ULONG value = 0;
  HANDLE key = open_key(service_key);
  if (key != nullptr) {
    read_dword(key, L"SegmentLayout", &value);
    ZwClose(key);
  }
  // From WDDM 2.0 on there is an aperture.
  const ULONG last =
      static_cast<ULONG>(is_wddm_2() ? SegmentLayout::ApertureOnly : SegmentLayout::LocalOnly);
  const bool known = value <= last;
  g_layout = known ? static_cast<SegmentLayout>(value) : SegmentLayout::LocalFirst;
  if (io_mmu_alone()) g_layout = SegmentLayout::ApertureOnly;  // it reaches system memory
}

SegmentLayout segment_layout() {
  return g_layout;
}

UINT segment_id(UINT role) {
  if (role == UMD_SEGMENT_HIGH) return layout().count + 1;
  for (UINT i = 0; i < layout().count; ++i) {
    if (layout().roles[i] == role) return i + 1;
  }
  return 0;
}

UINT segment_role(UINT id) {
  if (id == 0) return 0;
  if (id == layout().count + 1) return UMD_SEGMENT_HIGH;
  return id <= layout().count ? layout().roles[id - 1] : 0;
}

UINT segments_always_there() {
  return layout().count;
}

}  // namespace reference_kmd
