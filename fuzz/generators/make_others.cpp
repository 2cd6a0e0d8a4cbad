// How ops outside of lists are drawn.
#include <algorithm>

#include "fuzz/generators/make_fields.h"
#include "fuzz/generators/makers.h"

namespace wddm::fuzz {
namespace {

// SegmentIds that drivers give by custom: memory first.
constexpr std::uint8_t kLocalSegment = 1, kApertureSegment = 2;

// -- life

void make_cycle(Op& op, const StateModel&, Random& random) {
  op.x = random.between(1, 2);
  op.a = random.one_in(2);
}

void make_initialize_status(Op& op, const StateModel&, Random& random) {
  op.x = random.pick(std::span<const std::uint32_t>(kInitializeStatuses));
}

void make_setting(Op& op, const StateModel& state, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(6));  // the others pick another driver
  switch (static_cast<Setting>(op.a)) {
    case Setting::PreemptionAware:
      op.x = random.one_in(4);
      break;
    case Setting::NoDmaPatching:
      op.x = !random.one_in(4);
      break;
    case Setting::LocalSegmentPages:
      op.x = random.one_in(8) ? state.machine().local_pages : 1 + random.below(8);
      break;
    case Setting::ApertureSegmentPages:
      op.x = random.one_in(8) ? state.machine().aperture_pages : 1 + random.below(8);
      break;
    case Setting::DmaBufferSize:
      op.x = random.one_in(4) ? 4096 : 512 + random.below(64) * 4;
      break;
    case Setting::PagingBufferSize:
      op.x = random.pick(std::span<const std::uint32_t>(kPagingBytes));
      break;
    // Not drawn.
    case Setting::Variant:
    case Setting::Addressing:
    case Setting::PageTableLevels:
    case Setting::PageTableUpdateMode:
    case Setting::PageTableSegment:
    case Setting::PageSize64K:
    case Setting::DualPte:
    case Setting::LargePages:
    case Setting::InvalidTlbEntriesCached:
    case Setting::UpdatesNeedIdle:
    case Setting::ExplicitInvalidation:
    case Setting::IndexBits:
    case Setting::HighSegment:
    case Setting::CpuHostAperture:
    case Setting::NotifyResidency:
    case Setting::ReservedRanges:
    case Setting::LinkedAdapters:
    case Setting::ContextAllocations:
    case Setting::IoMmu:
    case Setting::AccessedPhysically:
    case Setting::MapAperture2:
    case Setting::PagingTableSegment:
    case Setting::PagingNode:
    case Setting::ComputeOnly:
    case Setting::PatchLocationListSize:
    case Setting::AllocationListSize:
    case Setting::PagingPrivateData:
    case Setting::CommandPadding:
    case Setting::AllocationAlignment:
    case Setting::SlotCount:
    case Setting::SegmentLayout:
    case Setting::PowerComponents:
    case Setting::SurpriseRemoval:
    case Setting::SecureMode:
    case Setting::AddressableBits:
    case Setting::ModernStandby:
    case Setting::VideoSources:
    case Setting::KernelModeTesting:
    case Setting::AlternateView:
    case Setting::GuaranteedContract:
    case Setting::DmaBuffersInAperture:
    case Setting::PagingBuffersInAperture:
    case Setting::Swizzled:
    case Setting::EngineResets:
      break;
  }
}

void make_wait_time(Op& op, const StateModel&, Random& random) {
  op.x = random.pick(std::span<const std::uint32_t>(kWaits));
}

// -- objects

// Where memory is scarce, what may live in one segment only makes others leave it.
Place some_place(const StateModel& state, Random& random) {
  if (state.little_memory() && !random.one_in(3)) return Place::Local;
  return static_cast<Place>(random.below(3));
}

// Device 0 holds every allocation: it goes seldom.
// Without a second one all that there is would end.
std::uint32_t device_end_urgency(const StateModel& state) {
  return state.devices().members().size() > 1 ? 2 : 1;
}

void make_device_end(Op& op, const StateModel& state, Random& random) {
  op.a = existing_id(state.devices(), state.last_destroyed(), random);
  if (op.a == 0 && !random.one_in(4)) op.a = 1;
}

// Contexts that share a node meet; those that do not run side by side.
void make_context(Op& op, const StateModel& state, Random& random) {
  op.a = free_id(state.contexts(), state.last_destroyed(), random);
  op.b = random.one_in(4) ? existing_id(state.devices(), state.last_destroyed(), random)
                          : std::uint8_t{0};
  op.c = static_cast<std::uint8_t>(state.contexts().empty() || random.one_in(3)
                                       ? some_node(state, random)
                                       : state.node_of(random.pick(state.contexts().members())));
  if (!state.gpu_virtual() || random.one_in(4)) return;
  op.b = random.pick(state.devices().members().empty() ? std::span(&op.b, 1)
                                                       : state.devices().members());
}

// Work needs one of a device that no page fault has ended.
std::uint32_t context_urgency(const StateModel& state) {
  return state.gpu_virtual() && !state.any_context_works() ? 6 : 1;
}

void make_allocation(Op& op, const StateModel& state, Random& random) {
  op.a = free_id(state.allocations(), state.last_destroyed(), random);
  op.x = some_size_in_pages(state, random);
  op.b = static_cast<std::uint8_t>(some_place(state, random));
  op.c = random.one_in(3);
  if (!state.gpu_virtual()) return;
  // Where commands run, so that some can use it; larger at times than what is paged at once.
  op.y = state.contexts().empty() || random.one_in(8)
             ? existing_id(state.devices(), state.last_destroyed(), random)
             : state.device_of(random.pick(state.contexts().members()));
  if (random.one_in(4)) op.x = 16 + random.below(3) * 8 + random.below(2);
  if (state.machine().linked > 1) op.z = random.below(state.machine().linked);
}

void make_renaming(Op& op, const StateModel& state, Random& random) {
  op.a = free_id(state.allocations(), state.last_destroyed(), random);
  op.b = existing_id(state.allocations(), state.last_destroyed(), random);
}

// -- the engine

// What interrupts work is worth more while there is some.
std::uint32_t engine_urgency(const StateModel& state) {
  return state.busy() ? 2 : 1;
}

// Close to the end of a node's work a preemption races with its completion.
void make_advance(Op& op, const StateModel& state, Random& random) {
  const std::uint32_t work = state.work(random.below(state.machine().nodes));
  op.x = random.one_in(3) ? work + random.below(3) : 1 + random.below(1 + std::min(work / 2, 64u));
}

void make_hold(Op& op, const StateModel& state, Random& random) {
  op.a = state.dpcs_held() ? random.one_in(8) : 1;
}

// -- memory

void make_memory_fill(Op& op, const StateModel& state, Random& random) {
  op.z = some_word(random);
  op.a = existing_id(state.allocations(), state.last_destroyed(), random);
}

void make_cpu_write(Op& op, const StateModel& state, Random& random) {
  op.a = existing_id(state.allocations(), state.last_destroyed(), random);
  op.x = some_offset(state.allocation(op.a).pages * kPageBytes, 4, random);
  op.z = some_word(random);
}

std::uint8_t some_segment(Random& random) {
  return static_cast<std::uint8_t>(1 + random.below(random.one_in(16) ? 3 : 2));
}

Place place_of(std::uint32_t segment) {
  return segment == kLocalSegment ? Place::Local : Place::Aperture;
}

// What is mapped is seen through the GPU only.
std::uint32_t transfer_urgency(const StateModel& state) {
  return state.mapped_pages() != 0 ? 6 : 1;
}

// The other end of a transfer: in the memory segment what an allocation may lie in, in the aperture
// what was mapped there, and is perhaps not any more.
std::uint32_t some_transfer_page(Place place, std::uint32_t pages, const StateModel& state,
                                 Random& random) {
  if (place != Place::Aperture) {
    if (state.any_resident() && random.one_in(2)) return random.below(4);
    return some_page(state.local_pages(), pages, random);
  }
  if (state.mapped_pages() == 0 || random.one_in(4)) {
    return some_page(state.aperture_pages(), pages, random);
  }
  return state.mapped_page() + random.below(state.mapped_pages());
}

void make_transfer(Op& op, const StateModel& state, Random& random) {
  op.a = some_segment(random);
  op.b = some_segment(random);
  if (state.mapped_pages() != 0 && !random.one_in(4)) {
    op.a = kLocalSegment;
    op.b = kApertureSegment;
  }
  op.z = 1 + random.below(2);
  op.x = some_transfer_page(place_of(op.a), op.z, state, random);
  op.y = some_transfer_page(place_of(op.b), op.z, state, random);
}

// Any is seldom another segment than one of the two.
Place some_role(Random& random) {
  if (random.one_in(16)) return Place::Any;
  return random.one_in(2) ? Place::Local : Place::Aperture;
}

void make_transfer_by_role(Op& op, const StateModel& state, Random& random) {
  Place source = some_role(random), destination = some_role(random);
  if (state.mapped_pages() != 0 && !random.one_in(4)) {
    source = Place::Local;
    destination = Place::Aperture;
  }
  op.a = static_cast<std::uint8_t>(source);
  op.b = static_cast<std::uint8_t>(destination);
  op.z = 1 + random.below(2);
  op.x = some_transfer_page(source, op.z, state, random);
  op.c = random.one_in(8);
  op.y = op.c != 0 ? random.below(3) : some_transfer_page(destination, op.z, state, random);
}

void make_mapping(Op& op, const StateModel& state, Random& random) {
  op.y = std::min(random.pick(std::span<const std::uint32_t>(kFewPages)), state.aperture_pages());
  op.x = some_page(state.aperture_pages(), op.y, random);
  op.a = random.one_in(2) ? 0 : static_cast<std::uint8_t>(random.below(4));
}

void make_unmapping(Op& op, const StateModel& state, Random&) {
  op.x = state.mapped_page();
}

// Of what is mapped without an allocation page tables know nothing: families that are about them
// draw little of it, and end it all the same.
std::uint32_t unmapping_urgency(const StateModel& state) {
  return state.gpu_virtual() ? 4 : 1;
}

// -- choices: mostly not what holds anyway

void make_split_points(Op& op, const StateModel&, Random& random) {
  op.a = static_cast<std::uint8_t>(random.one_in(8)   ? Take::None
                                   : random.one_in(3) ? Take::Mask
                                                      : Take::All);
  op.x = static_cast<Take>(op.a) == Take::Mask ? static_cast<std::uint32_t>(random.next()) : 0;
}

void make_flag(Op& op, const StateModel&, Random& random) {
  op.a = !random.one_in(8);
}

// Of resources of several allocations some are shared, and some are not.
void make_share(Op& op, const StateModel& state, Random& random) {
  make_flag(op, state, random);
  if (!random.one_in(3)) return;
  op.a = random.one_in(2);
  op.x = 1 + random.below(3);
}

void make_repatch(Op& op, const StateModel&, Random& random) {
  op.x = random.below(3);
}

void make_paging_buffer(Op& op, const StateModel&, Random& random) {
  const SomeSize bytes = some_capacity(static_cast<std::uint32_t>(kPagingBytes.size()), 4, random);
  op.a = static_cast<std::uint8_t>(bytes.measure);
  op.x = bytes.measure == Measure::Absolute ? kPagingBytes[bytes.number] : bytes.number;
  op.b = !random.one_in(4);
}

void make_patch_paging(Op& op, const StateModel&, Random& random) {
  op.a = random.one_in(4);
}

void make_transfer_chunk(Op& op, const StateModel&, Random& random) {
  op.x = random.below(4);
}

void make_queue_depth(Op& op, const StateModel&, Random& random) {
  op.x = random.one_in(8) ? 64 : 1 + random.below(4);
}

void make_paging_node(Op& op, const StateModel& state, Random& random) {
  op.a = static_cast<std::uint8_t>(some_node(state, random));
}

void make_physical_adapter(Op& op, const StateModel&, Random& random) {
  op.a = random.one_in(2);
}

void make_advance_inside(Op& op, const StateModel&, Random& random) {
  op.x = random.below(12);
  op.y = random.one_in(4) ? 0 : 1 + random.below(64);
}

// Numbers that wrap soon, in as many bits as a counter may have.
void make_first_fence(Op& op, const StateModel&, Random& random) {
  static constexpr std::uint32_t kBits[] = {8, 16, 24, 31, 32};
  const std::uint32_t bits = random.pick(std::span<const std::uint32_t>(kBits));
  op.z = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1 - random.below(16));
}

// Mostly one engine, and with no time to answer in.
void make_time_out(Op& op, const StateModel&, Random& random) {
  op.b = random.one_in(4);
  op.x = random.one_in(3) ? random.below(40) : 0;
}

void make_touch(Op& op, const StateModel& state, Random& random) {
  make_cpu_write(op, state, random);
  op.z = 0;
  op.b = random.one_in(2);
}

// -- anomalies

void make_pool_failure(Op& op, const StateModel&, Random& random) {
  op.x = 1 + random.below(random.one_in(4) ? 32 : 6);
  op.a = random.one_in(4);
}

constexpr std::uint32_t kFallibleCallbacks =
    static_cast<std::uint32_t>(FallibleCallback::AcquireHandleData) + 1;

void make_callback_failure(Op& op, const StateModel&, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(kFallibleCallbacks));
  op.x = 1 + random.below(3);
  op.b = random.one_in(4);
}

void make_schedule(Op& op, const StateModel&, Random& random) {
  op.a = static_cast<std::uint8_t>(1 + random.below(2));
  op.x = random.below(1u << 16);
}

void make_neighbour(Op& op, const StateModel&, Random& random) {
  op.x = 1 + random.below(4);
  op.z = random.below(1u << 16);
}

// Sizes beside what structures begin and end with, and values that pass for a length or an index.
constexpr std::uint32_t kCuts[] = {0, 1, 4, 8, 16, 64, 65536};
constexpr std::uint32_t kHostileWords[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};

void make_hostile_data(Op& op, const StateModel&, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(3));
  op.x = random.pick(std::span<const std::uint32_t>(kCuts));
  op.b = op.x == 0 || random.one_in(2);
  op.y = 4 * random.below(16);
  op.z = random.one_in(4) ? random.below(1u << 16)
                          : random.pick(std::span<const std::uint32_t>(kHostileWords));
}

constexpr Maker kMakers[] = {
    {OpKind::Cycle, make_cycle},
    {OpKind::InitializeStatus, make_initialize_status},
    {OpKind::Configure, make_setting},
    {OpKind::WaitTime, make_wait_time},
    {OpKind::DestroyDevice, make_device_end, device_end_urgency},
    {OpKind::CreateContext, make_context, context_urgency},
    {OpKind::CreateAllocation, make_allocation},
    {OpKind::Advance, make_advance},
    {OpKind::Preempt, nullptr, engine_urgency},
    {OpKind::HoldDpcs, make_hold, engine_urgency},
    {OpKind::KeepStopped, make_flag, engine_urgency},
    {OpKind::TimeOut, make_time_out},
    {OpKind::TouchMemory, make_touch},
    {OpKind::FillMemory, make_memory_fill},
    {OpKind::TransferSegments, make_transfer, transfer_urgency},
    {OpKind::TransferPlaces, make_transfer_by_role, transfer_urgency},
    {OpKind::MapAperture, make_mapping},
    {OpKind::UnmapAperture, make_unmapping, unmapping_urgency},
    {OpKind::CpuWrite, make_cpu_write},
    {OpKind::EvictSeen, make_cpu_write},
    {OpKind::SplitPoints, make_split_points},
    {OpKind::Interleave, make_flag},
    {OpKind::Share, make_share},
    {OpKind::NullRendering, make_flag},
    {OpKind::Scramble, make_flag},
    {OpKind::Repatch, make_repatch},
    {OpKind::PagingBuffer, make_paging_buffer},
    {OpKind::PatchPaging, make_patch_paging},
    {OpKind::TransferChunk, make_transfer_chunk},
    {OpKind::QueueDepth, make_queue_depth},
    {OpKind::PagingNode, make_paging_node},
    {OpKind::PhysicalAdapter, make_physical_adapter},
    {OpKind::AdvanceInside, make_advance_inside},
    {OpKind::FirstFence, make_first_fence},
    {OpKind::FailPool, make_pool_failure},
    {OpKind::FailCallback, make_callback_failure},
    {OpKind::Schedule, make_schedule},
    {OpKind::Neighbour, make_neighbour},
    {OpKind::HostileData, make_hostile_data},
    {OpKind::RenameAllocation, make_renaming},
};

}  // namespace

std::span<const Maker> other_makers() {
  return kMakers;
}

}  // namespace wddm::fuzz
