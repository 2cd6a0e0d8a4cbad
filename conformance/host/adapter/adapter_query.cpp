// QueryAdapterInfo as Dxgkrnl asks it: capabilities, then segments in two calls, then the GPU MMU
// of those that have one.
//
// Output structures are zeroed before each call, as Windows does and drivers in the field rely on;
// what a call may not write must therefore still be zero after it. The first answer counts: what a
// driver says differently later is recorded for the clauses, and the adapter goes on as it was.

#include <algorithm>
#include <cstring>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

// More than any adapter has; the answer is the driver's word and not to be trusted with memory.
constexpr UINT kMostSegments = 32;
constexpr UINT kMostBanks = 64;
constexpr UINT kMostAperturePages = 1u << 20;  // 4 GiB

SegmentDescription describe(const DXGK_SEGMENTDESCRIPTOR& d) {
  return {static_cast<std::uint64_t>(d.BaseAddress.QuadPart), d.Size, d.CommitLimit,
          static_cast<std::uint64_t>(d.CpuTranslatedAddress.QuadPart), d.Flags};
}
SegmentDescription describe(const DXGK_SEGMENTDESCRIPTOR3& d) {
  return {static_cast<std::uint64_t>(d.BaseAddress.QuadPart), d.Size, d.CommitLimit,
          static_cast<std::uint64_t>(d.CpuTranslatedAddress.QuadPart), d.Flags};
}
SegmentDescription describe(const DXGK_SEGMENTDESCRIPTOR4& d) {
  SegmentDescription segment{static_cast<std::uint64_t>(d.BaseAddress.QuadPart), d.Size,
                             d.CommitLimit,
                             static_cast<std::uint64_t>(d.CpuTranslatedAddress.QuadPart), d.Flags};
  if (d.Flags.SupportsCpuHostAperture) {
    segment.cpu_address = 0;
    segment.host_aperture = d.CpuHostAperture.PhysicalAddress;
    segment.host_aperture_pages = std::min(d.CpuHostAperture.SizeInPages, kMostAperturePages);
  }
  segment.invalid_ranges = d.NumInvalidMemoryRanges;
  return segment;
}

// The last bank ends with its segment, and a driver need not give that end: its table may be one
// entry shorter than it has banks.
template <class Descriptor>
std::vector<std::uint64_t> banks_of(const Descriptor& d) {
  std::vector<std::uint64_t> banks;
  if constexpr (requires { d.pBankRangeTable; }) {
    if (d.Flags.UseBanking && d.pBankRangeTable != nullptr) {
      for (UINT i = 0; i + 1 < std::min(d.NbOfBanks, kMostBanks + 1); ++i) {
        banks.push_back(d.pBankRangeTable[i]);
      }
    }
  }
  return banks;
}

struct Window {
  SegmentWindow kind = SegmentWindow::None;
  std::uint32_t bar = 0, page = 0, pages = 0;
};

// System memory that somebody holds: what another device decodes is none.
bool is_held_memory(std::uint64_t address) {
  const memory::FrameOwner owner = memory::frame_owner(address / kPageSize);
  return owner != memory::FrameOwner::Free && owner != memory::FrameOwner::Bar;
}

// Where the CPU is told to look for memory of a segment, among what the device decodes. A driver
// may hold system memory for it; where nobody holds any, there is none.
Window window_of(const Bus& bus, const SegmentDescription& segment) {
  const bool through_aperture = segment.flags.SupportsCpuHostAperture != 0;
  if (!through_aperture && !segment.flags.CpuVisible) return {};
  const std::uint64_t address = through_aperture ? segment.host_aperture : segment.cpu_address;
  const std::uint64_t bytes =
      through_aperture ? segment.host_aperture_pages * kPageSize : segment.size;
  if (address == 0) return {};
  for (std::uint32_t i = 0; i < bus.bars().size(); ++i) {
    const Bus::BarPlace& bar = bus.bars()[i];
    if (address < bar.bus_address || address - bar.bus_address >= bar.size) continue;
    const std::uint64_t offset = address - bar.bus_address, left = bar.size - offset;
    return {bytes <= left ? SegmentWindow::Inside : SegmentWindow::Beyond, i,
            static_cast<std::uint32_t>(offset / kPageSize),
            static_cast<std::uint32_t>(left / kPageSize)};
  }
  if (!is_held_memory(address)) return {};
  const std::uint64_t last = address + std::max<std::uint64_t>(bytes, 1) - 1;
  return {.kind = is_held_memory(last) ? SegmentWindow::Elsewhere : SegmentWindow::Beyond};
}

// What was said first stays in force, but for where the CPU finds memory of a device that lies
// elsewhere by now.
void follow_device(const std::vector<SegmentDescription>& described,
                   std::vector<SegmentDescription>& segments) {
  for (std::size_t i = 0; i < std::min(described.size(), segments.size()); ++i) {
    segments[i].cpu_address = described[i].cpu_address;
    segments[i].host_aperture = described[i].host_aperture;
  }
}

// Bytes that are not zero, apart from the member NbSegment at the start.
template <class Out>
std::uint32_t stray_bytes(const Out& out) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&out);
  return static_cast<std::uint32_t>(std::count_if(bytes + sizeof(UINT), bytes + sizeof(Out),
                                                  [](std::uint8_t byte) { return byte != 0; }));
}

}  // namespace

NTSTATUS Adapter::query_info(DXGKARG_QUERYADAPTERINFO& query) {
  return call_ddi<DdiId::QueryAdapterInfo>(query.Type, miniport(), &query);
}

void Adapter::query() {
  if (!may_call(DdiId::QueryAdapterInfo)) return;
  query_caps();
  for (std::uint32_t index = 0; index < physical_adapters(); ++index) {
    if (physical_adapters() > 1 || has_virtual_addresses()) query_physical_adapter(index);
    query_segments(index);
    query_gpu_mmu(index);
    physical_[index].was_asked = true;
    physical_[index].moves = bus_.of(index).moves();
  }
  ++query_round_;
}

void Adapter::query_caps() {
  DXGK_DRIVERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof(caps);
  const NTSTATUS status = query_info(query);
  if (NT_SUCCESS(status) && !has_caps_) {
    caps_ = caps;
    has_caps_ = true;
  }
  session().tap(ev::CapsReported{
      .highest_address = static_cast<std::uint64_t>(caps.HighestAcceptableAddress.QuadPart),
      .status = static_cast<std::uint32_t>(status),
      .scheduling = caps.SchedulingCaps.Value,
      .memory = caps.MemoryManagementCaps.Value,
      .wddm_version = number_in(caps.WDDMVersion),
      .slots = caps.MaxAllocationListSlotId,
      .nodes = caps.GpuEngineTopology.NbAsymetricProcessingNodes,
      .graphics_preemption = number_in(caps.PreemptionCaps.GraphicsPreemptionGranularity),
      .compute_preemption = number_in(caps.PreemptionCaps.ComputePreemptionGranularity),
      .misc = caps.MiscCaps.Value,
      .interface_version = session().wire->driver.Version,
      .engine_resets = caps.SupportPerEngineTDR != FALSE,
      .interrupt_message = caps.InterruptMessageNumber,
      .more = (caps.SupportRuntimePowerManagement != FALSE ? 1u : 0u) |
              (caps.SupportSurpriseRemovalInHibernation != FALSE ? 2u : 0u) |
              (caps.SupportSurpriseRemoval != FALSE ? 4u : 0u)});
  session().tap(
      ev::CapsAnswered{.status = static_cast<std::uint32_t>(status), .round = query_round_}, &caps,
      sizeof(caps));
}

// The two calls of one query type; the descriptors' bytes land in `descriptors`. False if the first
// one failed: the driver does not know the type.
template <class Out, class Descriptor>
bool Adapter::ask_segments(UINT type, std::uint32_t version, std::uint32_t index,
                           std::vector<std::uint8_t>& descriptors, Out& out) {
  // Where adapters are linked their number is all there is; else it stands where zeros are.
  DXGK_QUERYSEGMENTIN in{};
  static_assert(sizeof(in) >= sizeof(DXGK_QUERYSEGMENTIN4));
  const DXGK_QUERYSEGMENTIN4 in4{.PhysicalAdapterIndex = index};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = static_cast<DXGK_QUERYADAPTERINFOTYPE>(type);
  query.pInputData = &in;
  query.InputDataSize = sizeof(in);
  if (physical_adapters() > 1) {
    query.pInputData = const_cast<DXGK_QUERYSEGMENTIN4*>(&in4);
    query.InputDataSize = sizeof(in4);
  }
  query.pOutputData = &out;
  query.OutputDataSize = sizeof(out);

  std::memset(static_cast<void*>(&out), 0, sizeof(out));
  NTSTATUS status = query_info(query);
  const UINT count = out.NbSegment;
  session().tap(ev::SegmentsReported{.version = version,
                                     .call = 1,
                                     .status = static_cast<std::uint32_t>(status),
                                     .count = count,
                                     .stray = stray_bytes(out),
                                     .paging_segment = out.PagingBufferSegmentId,
                                     .paging_bytes = out.PagingBufferSize,
                                     .paging_private = out.PagingBufferPrivateDataSize,
                                     .round = query_round_,
                                     .physical_adapter = index});
  if (!NT_SUCCESS(status)) return false;
  if (count == 0 || count > kMostSegments) return true;

  std::memset(static_cast<void*>(&out), 0, sizeof(out));
  out.NbSegment = count;
  const memory::GuardedBuffer array(count * sizeof(Descriptor), false, memory::FrameOwner::Driver);
  memory::name_buffer(array, "list of segment descriptors");
  std::memset(array.data(), 0, array.size());
  using Pointer = decltype(out.pSegmentDescriptor);
  out.pSegmentDescriptor = reinterpret_cast<Pointer>(array.data());
  if constexpr (requires { out.SegmentDescriptorStride; }) {
    out.SegmentDescriptorStride = sizeof(Descriptor);
  }
  status = query_info(query);
  std::int64_t first = 0;
  if (const std::uint64_t damaged = array.damaged(&first); damaged != 0) {
    session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(GuardArea::SegmentList),
                                   .object = kNone,
                                   .first = static_cast<std::int32_t>(first),
                                   .bytes = static_cast<std::uint32_t>(damaged)});
  }
  session().tap(ev::SegmentsReported{.version = version,
                                     .call = 2,
                                     .status = static_cast<std::uint32_t>(status),
                                     .count = out.NbSegment,
                                     .asked = count,
                                     .paging_segment = out.PagingBufferSegmentId,
                                     .paging_bytes = out.PagingBufferSize,
                                     .paging_private = out.PagingBufferPrivateDataSize,
                                     .round = query_round_,
                                     .physical_adapter = index});
  descriptors.assign(array.data(), array.data() + array.size());
  if (!NT_SUCCESS(status)) return true;

  std::vector<SegmentDescription> described;
  for (UINT i = 0; i < count; ++i) {
    Descriptor descriptor;
    std::memcpy(&descriptor, descriptors.data() + i * sizeof(Descriptor), sizeof(Descriptor));
    described.push_back(describe(descriptor));
    const std::vector<std::uint64_t> banks = banks_of(descriptor);
    const SegmentDescription& segment = described.back();
    const Window window = window_of(bus_.of(index), segment);
    session().tap(ev::SegmentReported{.base = segment.base,
                                      .size = segment.size,
                                      .commit_limit = segment.commit_limit,
                                      .segment = i + 1,
                                      .flags = segment.flags.Value,
                                      .version = version,
                                      .banks = static_cast<std::uint32_t>(banks.size()),
                                      .round = query_round_,
                                      .physical_adapter = index,
                                      .window = static_cast<std::uint32_t>(window.kind),
                                      .window_bar = window.bar,
                                      .window_page = window.page,
                                      .host_aperture_pages = segment.host_aperture_pages,
                                      .window_pages = window.pages,
                                      .invalid_ranges = segment.invalid_ranges},
                  banks.data(), banks.size() * sizeof(std::uint64_t));
  }
  if (physical_[index].was_asked) {
    if (physical_[index].moves != bus_.of(index).moves()) {
      follow_device(described, physical_[index].segments);
    }
  } else {
    physical_[index].segments = std::move(described);
    if (index != 0) return true;
    paging_bytes_ = std::min<UINT>(out.PagingBufferSize, 1u << 20);
    paging_private_bytes_ = std::min<UINT>(out.PagingBufferPrivateDataSize, 1u << 16);
    paging_segment_ = SegmentId{out.PagingBufferSegmentId};
  }
  return true;
}

bool Adapter::knows(InterfaceVersion version) {
  return session().wire->driver.Version >= static_cast<ULONG>(version);
}

// The newest form that the interface of the driver has, as Dxgkrnl asks.
void Adapter::query_segments(std::uint32_t index) {
  std::vector<std::uint8_t> bytes;
  if (knows(InterfaceVersion::Wddm2_0)) {
    DXGK_QUERYSEGMENTOUT4 out;
    if (ask_segments<DXGK_QUERYSEGMENTOUT4, DXGK_SEGMENTDESCRIPTOR4>(DXGKQAITYPE_QUERYSEGMENT4, 4,
                                                                     index, bytes, out)) {
      return;
    }
  }
  if (knows(InterfaceVersion::Win8)) {
    DXGK_QUERYSEGMENTOUT3 out;
    ask_segments<DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3>(DXGKQAITYPE_QUERYSEGMENT3, 3,
                                                                 index, bytes, out);
    return;
  }
  DXGK_QUERYSEGMENTOUT out;
  ask_segments<DXGK_QUERYSEGMENTOUT, DXGK_SEGMENTDESCRIPTOR>(DXGKQAITYPE_QUERYSEGMENT, 1, index,
                                                             bytes, out);
}

// Headers before WDDM 2.9 have the bit reserved.
bool Adapter::maps_by_address_lists() const {
  return knows(InterfaceVersion{DXGKDDI_INTERFACE_VERSION_WDDM2_9}) &&
         caps_.MemoryManagementCaps.MapAperture2Supported != 0;
}

bool Adapter::memory_is_alike(std::uint32_t physical_adapter) const {
  const auto alike = [](const SegmentDescription& one, const SegmentDescription& other) {
    return one.size == other.size && one.flags.Value == other.flags.Value;
  };
  return std::equal(segments().begin(), segments().end(), segments(physical_adapter).begin(),
                    segments(physical_adapter).end(), alike);
}

bool Adapter::has_64kb_pages(std::uint32_t segment_set) const {
  for (std::size_t i = 0; i < segments().size() && i < 32; ++i) {
    if ((segment_set >> i & 1) != 0 && segments()[i].flags.Use64KBPages != 0) return true;
  }
  return false;
}

// The bit belongs to WDDM 2.0: earlier drivers know no such query.
bool Adapter::has_gpu_mmu() const {
  return knows(InterfaceVersion::Wddm2_0) && caps_.MemoryManagementCaps.GpuMmuSupported != 0;
}

// The bit of DXGK_VIDMMCAPS is for one model alone; that there are both, the physical adapter says.
bool Adapter::has_io_mmu(std::uint32_t physical_adapter) const {
  return has_gpu_mmu() ? physical_[physical_adapter].io_mmu : io_mmu_alone();
}

bool Adapter::has_io_mmu() const {
  for (std::uint32_t gpu = 0; gpu < physical_adapters(); ++gpu) {
    if (has_io_mmu(gpu)) return true;
  }
  return false;
}

bool Adapter::io_mmu_alone() const {
  return knows(InterfaceVersion::Wddm2_0) && caps_.MemoryManagementCaps.IoMmuSupported != 0 &&
         caps_.MemoryManagementCaps.GpuMmuSupported == 0;
}

void Adapter::query_gpu_mmu(std::uint32_t index) {
  if (io_mmu_alone()) physical_[index].gpummu = tables_of_the_cpu();
  if (!has_gpu_mmu()) return;
  const gpummu::PhysicalAdapterIndex adapter{static_cast<std::uint16_t>(index)};
  auto report =
      query_gpummu({miniport(), physical_adapters()}, adapter, segments(index), query_round_);
  if (!physical_[index].was_asked) physical_[index].gpummu = std::move(report);
}

void Adapter::query_physical_adapter(std::uint32_t index) {
  if (!knows(InterfaceVersion::Wddm2_0)) return;
  DXGK_QUERYPHYSICALADAPTERCAPSIN in{.PhysicalAdapterIndex = index};
  DXGK_PHYSICALADAPTERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_PHYSICALADAPTERCAPS;
  query.pInputData = &in;
  query.InputDataSize = sizeof(in);
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof(caps);
  const NTSTATUS status = query_info(query);
  if (query_round_ == 0 && NT_SUCCESS(status)) {
    physical_[index].io_mmu = caps.Flags.IoMmuSupported != 0;
    if (index == 0) paging_node_index_ = caps.PagingNodeIndex;
  }
  const HANDLE handle = caps.DxgkPhysicalAdapterHandle;
  session().tap(ev::PhysicalAdapterReported{.physical_adapter = index,
                                            .status = static_cast<std::uint32_t>(status),
                                            .nodes = caps.NumExecutionNodes,
                                            .paging_node = caps.PagingNodeIndex,
                                            .flags = caps.Flags.Value,
                                            .handle = handle == nullptr ? kNoHandle
                                                      : handle == physical_[index].handle
                                                          ? kItsOwn
                                                          : kAnothers,
                                            .round = query_round_});
}

// -- what follows from the answers

bool Adapter::has_contexts() const {
  return !has_caps_ || caps_.SchedulingCaps.MultiEngineAware != 0 || has_virtual_addresses();
}

bool Adapter::names_nodes() const {
  return has_contexts() || decisions().commits(OracleFault::NodesCounted);
}

std::uint32_t Adapter::nodes() const {
  if (!names_nodes()) return 1;
  const UINT nodes = caps_.GpuEngineTopology.NbAsymetricProcessingNodes;
  return nodes == 0 ? 1 : nodes > 64 ? 64 : nodes;
}

// From WDDM 2.0 on the physical adapter says so; before, a member of DXGK_VIDMMCAPS, which counts
// only with MultiEngineAware.
NodeId Adapter::paging_node() const {
  const UINT of_wddm1 =
      caps_.SchedulingCaps.MultiEngineAware != 0 || decisions().commits(OracleFault::NodesCounted)
          ? caps_.MemoryManagementCaps.PagingNode
          : 0;
  const UINT node = paging_node_index_ ? *paging_node_index_ : of_wddm1;
  return NodeId{node < nodes() ? node : 0};
}

// Compute-only drivers must report no slots (mcdm-implementation-guidelines.md # Driver capability
// requirements), and those with patch lists use them all the same: SlotId has 24 bits. Of any other
// driver SPLIT-004 says that it reports none; what else it does is judged with slots that are lent.
std::uint32_t Adapter::slots() const {
  const UINT slots = caps_.MaxAllocationListSlotId;
  return slots == 0 ? 1u << 24 : slots;
}

}  // namespace wddm::host
