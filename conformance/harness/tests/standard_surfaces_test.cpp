// Drivers that take one standard surface for another: those that Dxgkrnl makes for displays and
// GDI.
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class StandardSurfaces : public ReplayTest {};

// -- primaries

struct KnowsOneMode final : Interposer {
  NTSTATUS DescribeAllocation(HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* describe) override {
    const NTSTATUS status = Interposer::DescribeAllocation(adapter, describe);
    describe->Width = 1024;
    describe->Height = 768;
    return status;
  }
};

TEST_F(StandardSurfaces, EveryPrimaryIsDescribedAsOfOneMode) {
  EXPECT_TRUE(fires<KnowsOneMode>("ALLOC-017"));
}

// What it keeps of the latest is overwritten by the next.
struct KnowsTheLatest final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    if (NT_SUCCESS(status)) latest = create->pAllocationInfo[0].hAllocation;
    return status;
  }
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    for (UINT i = 0; i < destroy->NumAllocations; ++i) {
      if (destroy->pAllocationList[i] == latest) latest = nullptr;
    }
    return Interposer::DestroyAllocation(adapter, destroy);
  }
  NTSTATUS DescribeAllocation(HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* describe) override {
    const HANDLE meant = describe->hAllocation;
    if (latest != nullptr) describe->hAllocation = latest;
    const NTSTATUS status = Interposer::DescribeAllocation(adapter, describe);
    describe->hAllocation = meant;
    return status;
  }
  HANDLE latest = nullptr;
};

TEST_F(StandardSurfaces, APrimaryIsDescribedAsTheOneMadeLast) {
  EXPECT_TRUE(fires<KnowsTheLatest>("ALLOC-017"));
}

struct TellsTheWidthOfThePitch final : Interposer {
  NTSTATUS DescribeAllocation(HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* describe) override {
    const NTSTATUS status = Interposer::DescribeAllocation(adapter, describe);
    describe->Width = (describe->Width + 15) / 16 * 16;
    return status;
  }
};

TEST_F(StandardSurfaces, APrimaryIsAsWideAsItIsSeen) {
  EXPECT_TRUE(fires<TellsTheWidthOfThePitch>("ALLOC-017"));
}

struct RefusesOtherModes final : Interposer {
  NTSTATUS GetStandardAllocationDriverData(HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* data) override {
    const bool primary =
        data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
    const bool other = primary && data->pCreateSharedPrimarySurfaceData->Width != 1024;
    if (other && data->pAllocationPrivateDriverData != nullptr) return STATUS_INVALID_PARAMETER;
    return Interposer::GetStandardAllocationDriverData(adapter, data);
  }
};

TEST_F(StandardSurfaces, ADriverMayHaveOneMode) {
  const Fault fault = fault_of<RefusesOtherModes>();
  const Scenario scenario =
      with_settings(scenario_of(find_rule("ALLOC-017")->scenario), settings_of_fault("ALLOC-017"));
  EXPECT_TRUE(run(scenario, &fault).failures.empty());
}

// -- GDI's

struct DrawsForGdi : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
      auto& caps = *static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
      caps.PresentationCaps.SupportKernelModeCommandBuffer = 1;
    }
    return status;
  }
};

TEST_F(StandardSurfaces, ADriverDrawsForGdi) {
  EXPECT_FALSE(fires<DrawsForGdi>("ALLOC-013"));
}

// A texture is taken for one with a Pitch, which is not told in its description: the size is that
// of one row.
struct MeasuresTexturesByPitch final : DrawsForGdi {
  NTSTATUS GetStandardAllocationDriverData(HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* data) override {
    if (data->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE ||
        data->pCreateGdiSurfaceData->Type != D3DKMDT_GDISURFACE_TEXTURE) {
      return DrawsForGdi::GetStandardAllocationDriverData(adapter, data);
    }
    const UINT rows = data->pCreateGdiSurfaceData->Height;
    data->pCreateGdiSurfaceData->Height = 1;
    const NTSTATUS status = DrawsForGdi::GetStandardAllocationDriverData(adapter, data);
    data->pCreateGdiSurfaceData->Height = rows;
    return status;
  }
};

TEST_F(StandardSurfaces, ATextureOfGdiIsTooSmall) {
  EXPECT_TRUE(fires<MeasuresTexturesByPitch>("ALLOC-013"));
}

}  // namespace
}  // namespace wddm::harness
