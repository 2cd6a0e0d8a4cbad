#include "conformance/host/adapter/questions/interview.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/host/adapter/objects/standard_data.h"
#include "conformance/host/adapter/questions/clock_questions.h"
#include "conformance/host/adapter/questions/info_question.h"
#include "conformance/host/adapter/questions/managed_questions.h"
#include "conformance/host/adapter/questions/port_questions.h"
#include "conformance/host/adapter/questions/process_questions.h"
#include "conformance/host/adapter/questions/strict_questions.h"
#include "conformance/host/adapter/shared_line.h"

namespace wddm::host {
namespace {

void ask_caps(const Adapter& adapter) {
  const Output output(sizeof(DXGK_DRIVERCAPS), kOtherBytes);
  const NTSTATUS status = ask(adapter, {.type = DXGKQAITYPE_DRIVERCAPS}, output);
  session().tap(ev::CapsAnswered{.status = static_cast<std::uint32_t>(status),
                                 .before = kOtherBytes,
                                 .behind = output.behind(),
                                 .round = adapter.query_rounds()},
                output.data(), output.size());
}

// ---- Nodes.

// NodeAnswered::name
constexpr std::uint32_t kEmpty = 0, kString = 1, kNoEnd = 2;

std::uint32_t name_of(const DXGKARG_GETNODEMETADATA& said) {
  std::array<WCHAR, DXGK_MAX_METADATA_NAME_LENGTH> name;
  std::memcpy(name.data(), said.FriendlyName, sizeof(said.FriendlyName));
  const auto end = std::find(name.begin(), name.end(), 0);
  return end == name.end() ? kNoEnd : end == name.begin() ? kEmpty : kString;
}

// Members of an answer over other bytes in which none of these has changed.
std::uint32_t unwritten(const DXGKARG_GETNODEMETADATA& said) {
  const auto kept = [](const void* member, std::size_t bytes) {
    const auto* first = static_cast<const std::uint8_t*>(member);
    return std::all_of(first, first + bytes, [](std::uint8_t b) { return b == kOtherBytes; });
  };
  return (kept(&said.EngineType, sizeof(said.EngineType)) ? 1u : 0u) |
         // One character is enough to end it.
         (kept(said.FriendlyName, sizeof(said.FriendlyName)) ? 2u : 0u) |
         (kept(&said.Flags, sizeof(said.Flags)) ? 4u : 0u) |
         (kept(&said.GpuMmuSupported, sizeof(said.GpuMmuSupported)) ? 8u : 0u) |
         (kept(&said.IoMmuSupported, sizeof(said.IoMmuSupported)) ? 16u : 0u);
}

void ask_node(const Adapter& adapter, UINT ordinal) {
  DXGKARG_GETNODEMETADATA said, over;
  const auto call = [&](std::uint8_t before, DXGKARG_GETNODEMETADATA& out, std::uint32_t& behind) {
    const Output output(sizeof(out), before);
    auto* const place = reinterpret_cast<DXGKARG_GETNODEMETADATA*>(output.data());
    const NTSTATUS status =
        call_ddi<DdiId::GetNodeMetadata>(ordinal, adapter.miniport(), ordinal, place);
    std::memcpy(&out, output.data(), sizeof(out));
    behind += output.behind();
    return status;
  };
  std::uint32_t behind = 0;
  const NTSTATUS status = call(0, said, behind);
  std::uint32_t left = 0;
  if (NT_SUCCESS(status) && NT_SUCCESS(call(kOtherBytes, over, behind))) left = unwritten(over);
  session().tap(ev::NodeAnswered{.ordinal = ordinal,
                                 .status = static_cast<std::uint32_t>(status),
                                 .type = number_in(said.EngineType),
                                 .name = name_of(said),
                                 .flags = said.Flags.Value,
                                 .gpu_mmu = said.GpuMmuSupported,
                                 .io_mmu = said.IoMmuSupported,
                                 .unwritten = left,
                                 .behind = behind,
                                 .nodes = adapter.nodes()});
}

// The high word of an ordinal says which GPU of a link it is.
void ask_nodes(const Adapter& adapter) {
  if (!may_call(DdiId::GetNodeMetadata)) return;
  for (UINT gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    for (UINT node = 0; node < adapter.nodes(); ++node) ask_node(adapter, gpu << 16 | node);
  }
  const nt::AssertionsAside aside;  // Dxgkrnl names no others
  ask_node(adapter, adapter.nodes());
  ask_node(adapter, 0xFFFF);
  ask_node(adapter, adapter.physical_adapters() << 16);
}

// ---- Segments.

// Once more, with descriptors farther apart than they are long. Told is how many are others than
// those that were asked for as usual.
void ask_strided(const Adapter& adapter, std::uint32_t index) {
  constexpr std::size_t kUsual = sizeof(DXGK_SEGMENTDESCRIPTOR4), kStride = kUsual + 32;
  const std::size_t count = adapter.segments(index).size();
  if (!Adapter::knows(InterfaceVersion::Wddm2_0) || count == 0) return;
  const DXGK_QUERYSEGMENTIN4 in4{.PhysicalAdapterIndex = index};
  DXGK_QUERYSEGMENTIN in{};
  Question question{.type = DXGKQAITYPE_QUERYSEGMENT4,
                    .how = InfoQuestion::Strided,
                    .input = &in,
                    .input_bytes = sizeof(in)};
  if (adapter.physical_adapters() > 1) {
    question.input = &in4;
    question.input_bytes = sizeof(in4);
  }
  const auto list = [&](std::size_t stride, const Output& descriptors) {
    const Output out(sizeof(DXGK_QUERYSEGMENTOUT4), 0);
    auto& said = *reinterpret_cast<DXGK_QUERYSEGMENTOUT4*>(out.data());
    said.NbSegment = static_cast<UINT>(count);
    said.pSegmentDescriptor = descriptors.data();
    said.SegmentDescriptorStride = stride;
    return ask(adapter, question, out);
  };
  const Output close(count * kUsual, 0), apart(count * kStride, 0);
  // What lies between them is no driver's to write.
  for (std::size_t i = 0; i < count; ++i) {
    std::memset(apart.data() + i * kStride + kUsual, kOtherBytes, kStride - kUsual);
  }
  if (!NT_SUCCESS(list(kUsual, close))) return;
  const NTSTATUS status = list(kStride, apart);
  std::uint32_t others = 0, between = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* const descriptor = apart.data() + i * kStride;
    others += std::memcmp(descriptor, close.data() + i * kUsual, kUsual) != 0;
    between += static_cast<std::uint32_t>(
        kStride - kUsual - std::count(descriptor + kUsual, descriptor + kStride, kOtherBytes));
  }
  session().tap(ev::InfoAnswered{.type = question.type,
                                 .how = static_cast<std::uint32_t>(question.how),
                                 .status = static_cast<std::uint32_t>(status),
                                 .input_bytes = question.input_bytes,
                                 .output_bytes = static_cast<std::uint32_t>(count * kStride),
                                 .changed = between,
                                 .behind = apart.behind() + close.behind(),
                                 .unlike = others,
                                 .first = static_cast<std::uint32_t>(count),
                                 .physical_adapter = index});
}

// ---- Other queries.

// What a driver that only computes must not know (mcdm-implementation-guidelines.md). Later
// interfaces have more; those that are asked exist in all that such a driver can have.
constexpr UINT kNotForCompute[] = {DXGKQAITYPE_QUERYSEGMENT,
                                   DXGKQAITYPE_QUERYSEGMENT2,
                                   DXGKQAITYPE_QUERYSEGMENT3,
                                   DXGKQAITYPE_PREFERREDGPUNODE,
                                   DXGKQAITYPE_POWERCOMPONENTPSTATEINFO,
                                   DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION,
                                   DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR,
                                   DXGKQAITYPE_UEFIFRAMEBUFFERRANGES,
                                   DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES,
                                   DXGKQAITYPE_DISPLAYID_DESCRIPTOR,
                                   DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2,
                                   DXGKQAITYPE_DEVICE_TYPE_CAPS};
// Of no interface yet.
constexpr UINT kUnknownType = 0x7000;
constexpr std::size_t kLargeInput = 64;

// Sizes are what user mode says they are. A driver whose check is wrong by a member writes behind
// an output that is as much too short, or looks behind such an input.
void ask_private(const Adapter& adapter) {
  constexpr std::size_t kShort[] = {1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64, 128};
  Question question{.type = DXGKQAITYPE_UMDRIVERPRIVATE};
  ask_once(adapter, question, kLargeOutput, 0);
  question.how = InfoQuestion::Short;
  for (const std::size_t bytes : kShort) ask_once(adapter, question, bytes, 0);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4}, std::size_t{16}}) {
    const Output input(bytes, kOtherBytes);
    question.input = input.data();
    question.input_bytes = input.size();
    ask_once(adapter, question, kLargeOutput, 0);
  }
}

void ask_infos(const Adapter& adapter) {
  if (Adapter::knows(InterfaceVersion::Win8)) {
    ask_twice(adapter, {.type = DXGKQAITYPE_NUMPOWERCOMPONENTS}, sizeof(UINT));
  }
  if (Adapter::knows(InterfaceVersion::Wddm1_3)) {
    const DXGK_QUERYHISTORYBUFFERPRECISIONIN in{};
    ask_twice(adapter,
              {.type = DXGKQAITYPE_HISTORYBUFFERPRECISION, .input = &in, .input_bytes = sizeof(in)},
              adapter.nodes() * sizeof(DXGKARG_HISTORYBUFFERPRECISION));
  }
  if (Adapter::knows(InterfaceVersion{DXGKDDI_INTERFACE_VERSION_WDDM2_6})) {
    const DXGK_WDDMDEVICECAPSIN in{.DxgkrnlInterfaceVersion = DXGKDDI_INTERFACE_VERSION};
    ask_twice(adapter,
              {.type = DXGKQAITYPE_WDDMDEVICECAPS, .input = &in, .input_bytes = sizeof(in)},
              sizeof(DXGK_WDDMDEVICECAPS));
  }
  ask_private(adapter);
  const std::array<std::uint8_t, kLargeInput> zeros{};
  const auto refused = [&](UINT type, InfoQuestion how) {
    ask_once(adapter, {.type = type, .how = how, .input = zeros.data(), .input_bytes = kLargeInput},
             kLargeOutput, 0);
  };
  refused(kUnknownType, InfoQuestion::Unknown);
  if (adapter.caps().MiscCaps.ComputeOnly == 0) return;
  for (const UINT type : kNotForCompute) refused(type, InfoQuestion::Plain);
}

// ---- Children.

void ask_children(const Adapter& adapter) {
  constexpr std::uint32_t kMostChildren = 64;
  constexpr std::size_t kEach = sizeof(DXGK_CHILD_DESCRIPTOR);
  if (!may_call(DdiId::QueryChildRelations) || adapter.children() > kMostChildren) return;
  const Output array((adapter.children() + 1) * kEach, 0);
  auto* const children = reinterpret_cast<DXGK_CHILD_DESCRIPTOR*>(array.data());
  const NTSTATUS status = call_ddi<DdiId::QueryChildRelations>(kNone, adapter.miniport(), children,
                                                               static_cast<ULONG>(array.size()));
  const auto written = [&](std::uint32_t child) {
    const std::uint8_t* const first = array.data() + child * kEach;
    return static_cast<std::uint32_t>(kEach - std::count(first, first + kEach, 0));
  };
  ev::ChildrenReported seen{.status = static_cast<std::uint32_t>(status),
                            .children = adapter.children(),
                            .last = written(adapter.children()),
                            .behind = array.behind()};
  for (std::uint32_t child = 0; child < adapter.children(); ++child) {
    const std::uint32_t type = number_in(children[child].ChildDeviceType);
    seen.described += written(child) != 0;
    seen.outputs += type == TypeVideoOutput || type == TypeIntegratedDisplay;
  }
  session().tap(seen);
}

}  // namespace

void interview(Adapter& adapter, const Objects& objects, const Processes& processes) {
  if (may_call(DdiId::QueryAdapterInfo)) {
    ask_caps(adapter);
    for (std::uint32_t gpu = 0; gpu < adapter.physical_adapters(); ++gpu) ask_strided(adapter, gpu);
    ask_infos(adapter);
    if (objects.prefills()) ask_strictly(adapter);
  }
  ask_nodes(adapter);
  ask_children(adapter);
  for (const std::uint32_t type :
       {D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE,
        D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE, D3DKMDT_STANDARDALLOCATION_GDISURFACE}) {
    if (!asks_for(adapter, type)) continue;
    PrivateData data;
    for (const StandardSurface& surface : surfaces_of(type)) {
      ask_standard_data(adapter, surface, data);
    }
  }
  ask_managed(adapter);
  ask_clocks(adapter, objects);
  ask_port(adapter);
  ask_processes(adapter, objects, processes);
  share_the_line(adapter);
}

}  // namespace wddm::host
