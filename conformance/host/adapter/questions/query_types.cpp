#include "conformance/host/adapter/questions/query_types.h"

#include <cstring>

#include "conformance/host/adapter/component_states.h"

namespace wddm::host {
namespace {

// Which drivers are asked.
enum class Of : std::uint8_t { All, GpuMmu, PhysicalAdapters, PowerComponents, Isolated };
// What the input says. Zeros name the first GPU, level or component.
enum class QueryInput : std::uint8_t { None, Zeros, Interface };

struct Row {
  UINT type;
  InterfaceVersion since;
  Of of;
  QueryInput input;
  UINT input_bytes;
  std::uint32_t output_bytes;  // 0: one element for each node
  bool points = false;
};

constexpr InterfaceVersion kWddm2_6{DXGKDDI_INTERFACE_VERSION_WDDM2_6};
constexpr UINT kIndex = sizeof(UINT);

constexpr Row kRows[] = {
    {DXGKQAITYPE_DRIVERCAPS, InterfaceVersion::Vista, Of::All, QueryInput::None, 0,
     sizeof(DXGK_DRIVERCAPS)},
    {DXGKQAITYPE_QUERYSEGMENT, InterfaceVersion::Vista, Of::All, QueryInput::Zeros,
     sizeof(DXGK_QUERYSEGMENTIN), sizeof(DXGK_QUERYSEGMENTOUT), true},
    {DXGKQAITYPE_QUERYSEGMENT3, InterfaceVersion::Win8, Of::All, QueryInput::Zeros,
     sizeof(DXGK_QUERYSEGMENTIN), sizeof(DXGK_QUERYSEGMENTOUT3), true},
    {DXGKQAITYPE_NUMPOWERCOMPONENTS, InterfaceVersion::Win8, Of::All, QueryInput::None, 0,
     sizeof(UINT)},
    {DXGKQAITYPE_POWERCOMPONENTINFO, InterfaceVersion::Win8, Of::PowerComponents, QueryInput::Zeros,
     kIndex, sizeof(DXGK_POWER_RUNTIME_COMPONENT)},
    {DXGKQAITYPE_HISTORYBUFFERPRECISION, InterfaceVersion::Wddm1_3, Of::All, QueryInput::Zeros,
     sizeof(DXGK_QUERYHISTORYBUFFERPRECISIONIN), 0},
    {DXGKQAITYPE_QUERYSEGMENT4, InterfaceVersion::Wddm2_0, Of::All, QueryInput::Zeros,
     sizeof(DXGK_QUERYSEGMENTIN), sizeof(DXGK_QUERYSEGMENTOUT4), true},
    {DXGKQAITYPE_GPUMMUCAPS, InterfaceVersion::Wddm2_0, Of::GpuMmu, QueryInput::Zeros,
     sizeof(DXGK_QUERYGPUMMUCAPSIN), sizeof(DXGK_GPUMMUCAPS)},
    {DXGKQAITYPE_PAGETABLELEVELDESC, InterfaceVersion::Wddm2_0, Of::GpuMmu, QueryInput::Zeros,
     sizeof(DXGK_QUERYPAGETABLELEVELDESCIN), sizeof(DXGK_PAGE_TABLE_LEVEL_DESC)},
    {DXGKQAITYPE_PHYSICALADAPTERCAPS, InterfaceVersion::Wddm2_0, Of::PhysicalAdapters,
     QueryInput::Zeros, sizeof(DXGK_QUERYPHYSICALADAPTERCAPSIN), sizeof(DXGK_PHYSICALADAPTERCAPS)},
    {DXGKQAITYPE_FRAMEBUFFERSAVESIZE, InterfaceVersion::Wddm2_4, Of::Isolated, QueryInput::Zeros,
     kIndex, sizeof(DXGK_FRAMEBUFFERSAVEAREA)},
    {DXGKQAITYPE_HARDWARERESERVEDRANGES, InterfaceVersion::Wddm2_4, Of::Isolated, QueryInput::None,
     0, sizeof(DXGK_HARDWARERESERVEDRANGES), true},
    {DXGKQAITYPE_WDDMDEVICECAPS, kWddm2_6, Of::All, QueryInput::Interface,
     sizeof(DXGK_WDDMDEVICECAPSIN), sizeof(DXGK_WDDMDEVICECAPS)},
};

bool asks(const Adapter& adapter, const Row& row) {
  if (!Adapter::knows(row.since)) return false;
  switch (row.of) {
    case Of::All:
      return true;
    case Of::GpuMmu:
      return adapter.has_gpu_mmu();
    case Of::PhysicalAdapters:
      return adapter.physical_adapters() > 1 || adapter.has_virtual_addresses();
    case Of::PowerComponents:
      return power_component_count(adapter) != 0;
    case Of::Isolated:
      return adapter.caps().MemoryManagementCaps.IoMmuSecureModeSupported != 0;
  }
  return false;
}

}  // namespace

std::vector<QueryType> query_types(const Adapter& adapter) {
  const auto precisions =
      static_cast<std::uint32_t>(adapter.nodes() * sizeof(DXGKARG_HISTORYBUFFERPRECISION));
  std::vector<QueryType> types;
  for (const Row& row : kRows) {
    if (!asks(adapter, row)) continue;
    QueryType& type = types.emplace_back();
    type.type = row.type;
    type.output_bytes = row.output_bytes != 0 ? row.output_bytes : precisions;
    type.points = row.points;
    type.input_bytes = row.input_bytes;
    // Of a link a GPU is all that the query for segments names.
    if (row.type == DXGKQAITYPE_QUERYSEGMENT4 && adapter.physical_adapters() > 1) {
      type.input_bytes = sizeof(DXGK_QUERYSEGMENTIN4);
    }
    if (row.input == QueryInput::Interface) {
      const DXGK_WDDMDEVICECAPSIN in{.DxgkrnlInterfaceVersion = DXGKDDI_INTERFACE_VERSION};
      std::memcpy(type.input.data(), &in, sizeof(in));
    }
  }
  return types;
}

}  // namespace wddm::host
