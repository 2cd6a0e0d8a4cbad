// ALLOC-013: the driver describes the surfaces that Dxgkrnl creates, sizes first.

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::alloc_013 {
namespace {

constexpr std::uint32_t kSizes = 1, kData = 2;  // StandardDataAnswered::call
constexpr std::uint32_t kTexel = 4;             // bytes, of all that are asked for

bool answered(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// GDI's surfaces that no CPU sees: no Pitch is told of them, and how they lie is nobody's affair.
bool is_hidden(const ev::StandardDataAnswered& said) {
  return said.type == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
         (said.gdi_type == D3DKMDT_GDISURFACE_TEXTURE ||
          said.gdi_type == D3DKMDT_GDISURFACE_STAGING);
}

// Of GDI's surfaces the one that every driver has which draws for it.
bool may_be_refused(const ev::StandardDataAnswered& said) {
  return said.type == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
         said.gdi_type != D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE;
}

class StandardData {
 public:
  StandardData(bool draws, Judgement& judgement) : draws_(draws), judgement_(judgement) {}

  void on(std::uint32_t index, const ev::StandardDataAnswered& said) {
    if (said.call == kSizes) return on_sizes(index, said);
    if (said.call != kData) return;
    if (said.behind != 0) fail(index, "no byte behind the private data", "some were written");
    if (is_out_of_memory(said.status)) return;
    if (!answered(said.status) && !needs_data(said)) return;
    judgement_.reached(index);
    if (!answered(said.status)) {
      return fail(index, "data for a surface whose sizes were given", status_name(said.status));
    }
    // Of a primary no Pitch is told, and how its rows lie is nobody's affair.
    if (said.type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) {
      has_primary_ = true;
      return;
    }
    const std::uint32_t least = said.width * kTexel;
    if (is_hidden(said)) {
      surface_ = std::uint64_t{least} * said.height;
      return;
    }
    if (said.pitch < least) {
      return fail(index,
                  "a Pitch of at least a row, " + std::to_string(least) +
                      " bytes: the surface can be locked",
                  std::to_string(said.pitch));
    }
    surface_ = static_cast<std::uint64_t>(said.pitch) * (said.height - 1) + least;
  }

  void on(std::uint32_t index, const ev::AllocationGroup& group) {
    if (group.standard == 0 || surface_ == 0) return;
    if (is_out_of_memory(group.status) || group.pool_failed != 0) return;
    if (!answered(group.status)) {
      judgement_.reached(index);
      return fail(index, "allocations of the data that the driver itself has given",
                  status_name(group.status));
    }
    if (group.described != group.count) return;  // ALLOC-009
    judgement_.reached(index);
    if (group.size >= surface_) return;
    fail(index, "a Size for all rows of the surface, " + std::to_string(surface_) + " bytes",
         std::to_string(group.size));
  }

  /// A driver may refuse some types. Who only computes is asked for one, and no page says what for.
  void ended() {
    if (!draws_ || answered_one_ || refused_ == kNone) return;
    judgement_.reached(refused_);
    judgement_.fail(refused_, "sizes for one of the types that were asked for", "none");
  }

 private:
  void on_sizes(std::uint32_t index, const ev::StandardDataAnswered& said) {
    surface_ = 0;
    asked_ = index;
    if (is_out_of_memory(said.status)) return;
    if (!answered(said.status)) {
      if (refused_ == kNone) refused_ = index;
      return;
    }
    answered_one_ = true;
    judgement_.reached(index);
    if (said.allocation_bytes == 0 && said.resource_bytes == 0) {
      fail(index, "the size of private data of the allocation or of the resource", "0 for both");
    }
    if (said.pitch != 0) {
      fail(index, "the call for sizes leaves the description as it is", "Pitch was written");
    }
  }
  // Who does not draw may have looked at the type only now; and who does, at the mode of a second
  // primary, or at which of GDI's surfaces it is.
  [[nodiscard]] bool needs_data(const ev::StandardDataAnswered& said) const {
    const bool primary = said.type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    return draws_ && !may_be_refused(said) && !(primary && has_primary_);
  }
  void fail(std::uint32_t index, std::string expected, std::string seen) {
    judgement_.fail(index, std::move(expected), std::move(seen), {asked_});
  }

  const bool draws_;
  Judgement& judgement_;
  std::uint32_t asked_ = 0;
  std::uint64_t surface_ = 0;  // bytes, of the last one
  std::uint32_t refused_ = kNone;
  bool answered_one_ = false;
  bool has_primary_ = false;  // of some mode
};

// What fails by the scenario's wish.
bool disturbed(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (fails_on_purpose(trace.at<ev::OpStarted>(index).kind)) return true;
  }
  return false;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  StandardData data(!platform.compute_only, judgement);
  for (const std::uint32_t index : trace.of_any<ev::StandardDataAnswered, ev::AllocationGroup>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::StandardDataAnswered) {
      data.on(index, Trace::as<ev::StandardDataAnswered>(event));
    } else {
      data.on(index, trace.at<ev::AllocationGroup>(index));
    }
  }
  if (!disturbed(trace)) data.ended();
}

NotApplicable with_standard_data(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return needs(platform, DdiId::GetStandardAllocationDriverData);
}

// A driver that does everything at once.
class FillsTheDescription final : public Interposer {
 public:
  NTSTATUS GetStandardAllocationDriverData(HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* data) override {
    const NTSTATUS status = Interposer::GetStandardAllocationDriverData(adapter, data);
    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE) {
      data->pCreateStagingSurfaceData->Pitch = data->pCreateStagingSurfaceData->Width * kTexel;
    }
    return status;
  }
};

const Rule kRule{
    .id = "ALLOC-013",
    .title = "Standard allocations are described, sizes first",
    .level = Level::Should,
    .rule =
        "Asked without buffers, GetStandardAllocationDriverData gives the sizes of the private "
        "data, not both 0, and leaves the description of the surface alone. With buffers it writes "
        "no more than their sizes; Pitch is a row at least, as these surfaces are locked, and the "
        "allocation that is created of the data holds all rows.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_getstandardallocationdriverdata.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_getstandardallocationdriverdata.md # Remarks\n"
        "ns-d3dkmdt-_d3dkmdt_shadowsurfacedata.md # Pitch\n"
        "ns-d3dkmdt-_d3dkmdt_stagingsurfacedata.md # Pitch\n"
        "ns-d3dkmdt-_d3dkmdt_gdisurfacedata.md # Pitch\n"
        "ne-d3dkmdt-_d3dkmdt_gdisurfacetype.md",
    .note =
        "Types that a driver refuses are its business, but a driver that draws does not refuse all "
        "that it is asked for, nor what it has given sizes for. One that only computes may, "
        "and is asked for none but where a client is lacking: "
        "staging surfaces are for DxgkDdiPresent, which it does not have. Asked for are shadow "
        "and staging surfaces of drivers that draw, GDI's of those that draw for it, "
        "and shared primaries of those that have displays, which have no Pitch. Nor have GDI's "
        "textures and staging surfaces that the CPU does not see: judged is that they hold all of "
        "their texels, where the driver makes them. Of those with pages that are there already the "
        "data are asked for, which have a Pitch. Lookup tables, whose sizes no page says, and "
        "surfaces of virtual GPUs are not asked for.",
    .unreached =
        "it is asked for no surface that it describes: one that only computes is asked for none",
    .applies = with_standard_data,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: each type, and allocations of those that are locked, of narrow and high surfaces
ops:
- requery: {allocations: 1, standard: 3}
- requery: {allocations: 2, standard: 2}
- requery: {allocations: 1, standard: 4}
)",
    .control = R"(
about: each type
ops:
- requery
)",
    .fault = {.about = "Pitch is written in the call for sizes",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsTheDescription); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_013
