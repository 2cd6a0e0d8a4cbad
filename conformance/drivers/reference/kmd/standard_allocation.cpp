// GetStandardAllocationDriverData: the surfaces that Dxgkrnl itself creates.
//
// All are 32 bits a texel. No display ever shows anything, so a shared primary is an ordinary
// surface in local memory.
#include "kmd_allocation.h"

namespace reference_kmd {

namespace {

constexpr UINT kPitchAlignment = 64;

struct Surface {
  UINT width;
  UINT height;
  UINT format;
  bool cpu_visible;
};

UINT pitch_of(UINT width) {
  return (width * 4 + kPitchAlignment - 1) & ~(kPitchAlignment - 1);
}

// The surface that `request` describes; tells its pitch to Dxgkrnl where that is asked for: not
// where sizes are, as then the description stays as it is.
bool surface_of(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* request, Surface* surface) {
  const bool asks_for_data = request->pAllocationPrivateDriverData != nullptr;
  switch (request->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
      const auto& data = *request->pCreateSharedPrimarySurfaceData;
      *surface = {data.Width, data.Height, static_cast<UINT>(data.Format), false};
      return true;
    }
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
      auto& data = *request->pCreateShadowSurfaceData;
      *surface = {data.Width, data.Height, static_cast<UINT>(data.Format), true};
      if (asks_for_data) data.Pitch = pitch_of(data.Width);
      return true;
    }
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
      auto& data = *request->pCreateStagingSurfaceData;
      *surface = {data.Width, data.Height, D3DDDIFMT_A8R8G8B8, true};
      if (asks_for_data) data.Pitch = pitch_of(data.Width);
      return true;
    }
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
      auto& data = *request->pCreateGdiSurfaceData;
      *surface = {data.Width, data.Height, static_cast<UINT>(data.Format),
                  data.Type != D3DKMDT_GDISURFACE_TEXTURE};
      if (asks_for_data) data.Pitch = pitch_of(data.Width);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

// User mode says what it likes of its own.
SurfaceLayout Allocation::layout() const {
  const UINT pitch = data_.width <= MAXULONG / 8 ? pitch_of(data_.width) : 0;
  if (pitch == 0 || data_.height > size() / pitch) return {};
  return {data_.width, data_.height, pitch, data_.format};
}

NTSTATUS standard_allocation_data(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* request) {
  Surface surface;
  if (!surface_of(request, &surface)) return STATUS_INVALID_PARAMETER;
  if (surface.width == 0 || surface.height == 0) return STATUS_INVALID_PARAMETER;
  // The first of two calls asks for sizes only.
  if (request->pAllocationPrivateDriverData == nullptr) {
    request->AllocationPrivateDriverDataSize = sizeof(UmdAllocationData);
    request->ResourcePrivateDriverDataSize = 0;
    return STATUS_SUCCESS;
  }
  if (request->AllocationPrivateDriverDataSize < sizeof(UmdAllocationData)) {
    return STATUS_INVALID_PARAMETER;
  }
  UmdAllocationData data = {};
  data.magic = UMD_ALLOCATION_MAGIC;
  data.version = UMD_VERSION;
  data.size = static_cast<ULONGLONG>(pitch_of(surface.width)) * surface.height;
  data.flags = surface.cpu_visible ? UMD_ALLOCATION_CPU_VISIBLE : 0;
  if (request->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) {
    data.flags |= UMD_ALLOCATION_PRIMARY;
    data.segment = UMD_SEGMENT_LOCAL;
  }
  data.width = surface.width;
  data.height = surface.height;
  data.format = surface.format;
  RtlCopyMemory(request->pAllocationPrivateDriverData, &data, sizeof data);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
