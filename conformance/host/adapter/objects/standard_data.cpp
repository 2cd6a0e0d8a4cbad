#include "conformance/host/adapter/objects/standard_data.h"

#include <cstring>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

constexpr UINT kMostStandardData = 1u << 16;

// The description that goes with a type, with room for what the driver fills in.
struct Description {
  D3DKMDT_SHADOWSURFACEDATA shadow{};
  D3DKMDT_STAGINGSURFACEDATA staging{};
  D3DKMDT_GDISURFACEDATA gdi{};
  D3DKMDT_SHAREDPRIMARYSURFACEDATA primary{};

  [[nodiscard]] UINT pitch(std::uint32_t type) const {
    switch (type) {
      case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        return shadow.Pitch;
      case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        return staging.Pitch;
      default:
        return gdi.Pitch;
    }
  }
};

void describe(const StandardSurface& surface, Description& room,
              DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  args.StandardAllocationType = static_cast<D3DKMDT_STANDARDALLOCATION_TYPE>(surface.type);
  switch (surface.type) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      room.shadow.Width = surface.width;
      room.shadow.Height = surface.rows;
      room.shadow.Format = D3DDDIFMT_A8R8G8B8;
      args.pCreateShadowSurfaceData = &room.shadow;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      room.staging.Width = surface.width;
      room.staging.Height = surface.rows;
      args.pCreateStagingSurfaceData = &room.staging;
      break;
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      room.primary.Width = surface.width;
      room.primary.Height = surface.rows;
      room.primary.Format = D3DDDIFMT_A8R8G8B8;
      room.primary.RefreshRate = {60, 1};
      args.pCreateSharedPrimarySurfaceData = &room.primary;
      break;
    default:
      room.gdi.Width = surface.width;
      room.gdi.Height = surface.rows;
      room.gdi.Format = D3DDDIFMT_A8R8G8B8;
      room.gdi.Type = static_cast<D3DKMDT_GDISURFACETYPE>(surface.gdi_type);
      args.pCreateGdiSurfaceData = &room.gdi;
      break;
  }
}

// A buffer that shows what is written behind it; none of no bytes, as Dxgkrnl has it.
struct Guarded {
  explicit Guarded(UINT bytes) {
    if (bytes == 0) return;
    buffer = memory::GuardedBuffer(bytes, false, memory::FrameOwner::Driver);
    std::memset(buffer.data(), 0, buffer.size());
  }
  [[nodiscard]] void* data() const { return buffer.size() == 0 ? nullptr : buffer.data(); }
  [[nodiscard]] std::uint32_t damaged() const {
    return buffer.size() == 0 ? 0 : static_cast<std::uint32_t>(buffer.damaged(nullptr));
  }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    return {buffer.data(), buffer.data() + buffer.size()};
  }
  memory::GuardedBuffer buffer;
};

}  // namespace

std::uint32_t differences(const std::vector<std::uint8_t>& one,
                          const std::vector<std::uint8_t>& other) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) count += one[i] != other[i];
  return count;
}

// Shared primaries are of displays: who only computes is asked for one by a fault of ours alone.
// Shadow and staging surfaces are for DxgkDdiPresent, which that one has not; surfaces of GDI are of
// drivers that draw them by hardware.
bool asks_for(const Adapter& adapter, std::uint32_t type) {
  switch (type) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      return adapter.caps().MiscCaps.ComputeOnly != 0
                 ? decisions().commits(OracleFault::AskForPrimary)
                 : adapter.sources() != 0;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      return adapter.caps().MiscCaps.ComputeOnly == 0;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
      return adapter.caps().PresentationCaps.SupportKernelModeCommandBuffer != 0;
    default:
      return false;
  }
}

StandardSurface usual_surface(std::uint32_t type) {
  if (type != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) return {.type = type};
  return {.type = type, .rows = 768, .width = 1024};
}

std::vector<StandardSurface> surfaces_of(std::uint32_t type) {
  std::vector<StandardSurface> surfaces{usual_surface(type)};
  if (type != D3DKMDT_STANDARDALLOCATION_GDISURFACE) return surfaces;
  for (const std::uint32_t other : {D3DKMDT_GDISURFACE_TEXTURE, D3DKMDT_GDISURFACE_STAGING,
                                    D3DKMDT_GDISURFACE_EXISTINGSYSMEM}) {
    surfaces.push_back({.type = type, .gdi_type = other});
  }
  return surfaces;
}

bool has_pages_already(const StandardSurface& surface) {
  return surface.type == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
         surface.gdi_type == D3DKMDT_GDISURFACE_EXISTINGSYSMEM;
}

bool ask_standard_data(const Adapter& adapter, const StandardSurface& surface, PrivateData& out,
                       std::uint32_t* pitch) {
  if (!may_call(DdiId::GetStandardAllocationDriverData)) return false;
  Description room;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  describe(surface, room, args);
  const auto call = [&](std::uint32_t number, const Guarded* allocation, const Guarded* resource) {
    const NTSTATUS status =
        call_ddi<DdiId::GetStandardAllocationDriverData>(kNone, adapter.miniport(), &args);
    const std::uint32_t behind =
        allocation == nullptr ? 0 : allocation->damaged() + resource->damaged();
    session().tap(ev::StandardDataAnswered{.type = surface.type,
                                           .call = number,
                                           .status = static_cast<std::uint32_t>(status),
                                           .allocation_bytes = args.AllocationPrivateDriverDataSize,
                                           .resource_bytes = args.ResourcePrivateDriverDataSize,
                                           .behind = behind,
                                           .width = surface.width,
                                           .height = surface.rows,
                                           .pitch = room.pitch(surface.type),
                                           .gdi_type = room.gdi.Type});
    return NT_SUCCESS(status);
  };
  if (!call(1, nullptr, nullptr)) return false;
  if (args.AllocationPrivateDriverDataSize > kMostStandardData ||
      args.ResourcePrivateDriverDataSize > kMostStandardData) {
    return false;
  }
  const Guarded allocation(args.AllocationPrivateDriverDataSize);
  const Guarded resource(args.ResourcePrivateDriverDataSize);
  args.pAllocationPrivateDriverData = allocation.data();
  args.pResourcePrivateDriverData = resource.data();
  if (!call(2, &allocation, &resource)) return false;
  out = {allocation.bytes(), resource.bytes()};
  if (pitch != nullptr) *pitch = room.pitch(surface.type);
  return true;
}

}  // namespace wddm::host
