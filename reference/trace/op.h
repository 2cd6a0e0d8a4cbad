// What a scenario asks for: a list of ops, each 16 bytes.
//
// The list is total (any bytes are some scenario), closed under deletion and stable; see op.def for
// the catalogue and scenario.md for the text form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wddm {

enum class OpKind : std::uint8_t {
  None = 0,
#define OP(number, type, ...) type = number,
#include "reference/trace/op.def"
#undef OP
};

/// What an op is in a list of ops. A set: an op may be opener and modifier in one, and what hostile
/// user mode does, as no correct one would, is some of these too.
enum class OpRole : std::uint8_t {
  Do = 1,
  Open = 2,
  Element = 4,
  Choose = 8,
  Modify = 16,
  Hostile = 32,
};
[[nodiscard]] constexpr OpRole operator|(OpRole one, OpRole other) {
  return static_cast<OpRole>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}

/// Which part of a run an op is about.
enum class OpDomain : std::uint8_t {
  Life,
  Objects,
  Rendering,
  Engine,
  Memory,
  Choices,
  Anomalies,
};

/// What generated scenarios circle around; each op has a weight in each. Append only: golden
/// outputs and corpora name them.
enum class Family : std::uint8_t {
  PatchLists,     ///< order, shared SplitOffsets, slot reuse, many allocations, little memory
  BindingLeaks,   ///< slots left bound where a buffer is cut
  Preemption,     ///< at any point, idle and busy, back to back, completions racing
  Splits,         ///< portions with paging and other contexts between them
  Residency,      ///< allocations come, move and go
  HostileRender,  ///< user mode lies to Render
  Failures,       ///< pool allocations and callbacks fail at the k-th call
  Schedules,      ///< threads run in other orders
  Everything,
  AddressSpaces,  ///< GPU virtual addresses come and go, in several processes and far apart
  PageTables,     ///< page tables grow, shrink, move and leave under work
};
inline constexpr std::size_t kFamilies = 11;

/// States without which an op can do nothing. A set.
enum class Need : std::uint8_t {
  Nothing = 0,
  Running = 1,     ///< the adapter runs; the first op that needs it brings it up
  Begun = 2,       ///< like Running, but it goes on after a stop as well: remove, unload, ...
  Stopped = 4,     ///< a start is still to come
  Unstarted = 8,   ///< the first start is still to come
  Recording = 16,  ///< an Open has begun a list
  Honest = 32,     ///< nothing in the list lies yet: a second lie mostly hides behind the first
  Resident = 64,   ///< some allocation is resident
  Work = 128,      ///< the GPU has something to do
};
[[nodiscard]] constexpr Need operator|(Need one, Need other) {
  return static_cast<Need>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}
[[nodiscard]] constexpr bool has(Need needs, Need one) {
  return (static_cast<unsigned>(needs) & static_cast<unsigned>(one)) != 0;
}

/// One op. Which member carries what is written in op.def.
struct Op {
  OpKind kind = OpKind::None;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::uint8_t c = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  friend bool operator==(const Op&, const Op&) = default;
};
static_assert(sizeof(Op) == 16);

/// Which of an op's members carry a field. `q` is y (low half) and z (high half) together.
enum class Member : std::uint8_t { a, b, c, x, y, z, q };
[[nodiscard]] constexpr unsigned bits_of(Member member) {
  return member <= Member::c ? 8 : member == Member::q ? 64 : 32;
}
/// "a", ...
[[nodiscard]] const char* member_name(Member member);

/// How a field is written in text and which values it has.
enum class FieldShape : std::uint8_t {
  // Slots of the scenario that ops make and end.
  Device,
  Context,
  Allocation,
  // What else a number may name.
  SlotRow,       ///< a SlotId of the driver's slot table: `bind` makes it name an allocation
  Semaphore,     ///< of the hardware
  AperturePage,  ///< where map_aperture mapped
  Node,          ///< NodeOrdinal
  Segment,       ///< SegmentId
  Process,       ///< of devices
  // Plain values.
  Number,
  Hex,
  Flag,  ///< true, false
  // Values that go by name.
  CycleDepth,    ///< start, add
  Setting,       ///< PreemptionAware, NoDmaPatching, LocalSegmentPages, ApertureSegmentPages,
                 ///< DmaBufferSize, PagingBufferSize, Variant, Addressing, PageTableLevels,
                 ///< PageTableUpdateMode, PageTableSegment, PageSize64K, DualPte, LargePages,
                 ///< InvalidTlbEntriesCached, UpdatesNeedIdle, ExplicitInvalidation,
                 ///< IndexBits, HighSegment, CpuHostAperture, NotifyResidency, ReservedRanges,
                 ///< LinkedAdapters, ContextAllocations, IoMmu, AccessedPhysically,
                 ///< MapAperture2, PagingTableSegment, PagingNode, ComputeOnly,
                 ///< PatchLocationListSize, AllocationListSize, PagingPrivateData,
                 ///< CommandPadding, AllocationAlignment, SlotCount, SegmentLayout,
                 ///< PowerComponents, SurpriseRemoval, SecureMode, AddressableBits,
                 ///< ModernStandby, VideoSources, KernelModeTesting, AlternateView,
                 ///< GuaranteedContract, DmaBuffersInAperture, PagingBuffersInAperture,
                 ///< Swizzled, EngineResets
  Place,         ///< any, local, aperture
  PatchMember,   ///< AllocationIndex, SlotId, DriverId, AllocationOffset, PatchOffset, SplitOffset
  Input,         ///< command, patch_list
  Take,          ///< none, all, mask
  PrepatchMode,  ///< auto, always_repatch, never_prepatch, skip_patch
  FallibleCallback,  ///< MapMemory, GetDeviceInformation, ReadDeviceSpace, WriteDeviceSpace,
                     ///< ReserveGpuVirtualAddressRange, CreateContextAllocation,
                     ///< UpdateContextAllocation, MapContextAllocation, GetHandleData,
                     ///< AcquireHandleData
  Policy,            ///< first_come, random, pct
  Measure,           ///< absolute, needed_plus, needed_minus, needed_times
  AddressPlace,      ///< next, top, bit, same
  Protection,        ///< read_write, read_only, no_execute, zero, no_access
  AddressChoice,     ///< base, limits, base_and_limits, base_without_allocation
  AddressUpdate,     ///< map, unmap, zero, copy
  DataOf,            ///< allocation, resource, opened, context
};
/// Slots of the scenario: each object lives in one, made by an op and ended by another.
inline constexpr std::size_t kObjectSpaces = 3;
[[nodiscard]] constexpr bool is_object(FieldShape shape) {
  return shape <= FieldShape::Allocation;
}
/// Whether another number for all that bear it leaves a scenario's meaning as it is.
[[nodiscard]] constexpr bool is_renamable(FieldShape shape) {
  return shape <= FieldShape::Semaphore;
}
[[nodiscard]] constexpr bool names_something(FieldShape shape) {
  return shape <= FieldShape::Process;
}

/// Fields of one quantity are compared with each other in a run, so that equal values may have to
/// change together: a value signalled and one waited for.
enum class Quantity : std::uint8_t { Alone, Bytes, Pages, GpuTime, Calls, Word, Progress };

enum class Setting : std::uint8_t {
  PreemptionAware,
  NoDmaPatching,
  LocalSegmentPages,
  ApertureSegmentPages,
  DmaBufferSize,
  PagingBufferSize,
  Variant,
  Addressing,
  PageTableLevels,
  PageTableUpdateMode,
  PageTableSegment,
  PageSize64K,
  DualPte,
  LargePages,
  InvalidTlbEntriesCached,
  UpdatesNeedIdle,
  ExplicitInvalidation,
  IndexBits,
  HighSegment,
  CpuHostAperture,
  NotifyResidency,
  ReservedRanges,
  LinkedAdapters,
  ContextAllocations,
  IoMmu,
  AccessedPhysically,
  MapAperture2,
  PagingTableSegment,
  PagingNode,
  ComputeOnly,
  PatchLocationListSize,
  AllocationListSize,
  PagingPrivateData,
  CommandPadding,
  AllocationAlignment,
  SlotCount,
  SegmentLayout,
  PowerComponents,
  SurpriseRemoval,
  SecureMode,
  AddressableBits,
  ModernStandby,
  VideoSources,
  KernelModeTesting,
  AlternateView,
  GuaranteedContract,
  DmaBuffersInAperture,
  PagingBuffersInAperture,
  Swizzled,
  EngineResets,
};
enum class Place : std::uint8_t { Any, Local, Aperture };
enum class PatchMember : std::uint8_t {
  AllocationIndex,
  Slot,
  DriverId,
  AllocationOffset,
  PatchOffset,
  SplitOffset,
};
enum class Input : std::uint8_t { Command, PatchList };
/// What a size is relative to: nothing, or what the driver under test needs in an undisturbed run.
enum class Measure : std::uint8_t { Absolute, NeededPlus, NeededMinus, NeededTimes };
/// Where a GPU virtual address lies.
enum class AddressPlace : std::uint8_t { Next, Top, Bit, Same };
/// D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE, one at a time.
enum class Protection : std::uint8_t { ReadWrite, ReadOnly, NoExecute, Zero, NoAccess };
/// What an address in a request is: BaseAddress, MinimumAddress with a MaximumAddress that leaves
/// no other place, BaseAddress beside limits that exclude it, or BaseAddress with hAllocation 0.
enum class AddressChoice : std::uint8_t { Base, Limits, BaseAndLimits, BaseWithoutAllocation };
/// D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE; Unmap to no access or to zeros.
enum class AddressUpdate : std::uint8_t { Map, Unmap, Zero, Copy };
enum class Take : std::uint8_t { None, All, Mask };
enum class PrepatchMode : std::uint8_t {
  Auto,           ///< addresses of resident allocations are given; Patch is called
  AlwaysRepatch,  ///< every allocation moves between Render and Patch where memory allows
  NeverPrepatch,  ///< SegmentId is 0 at Render time
  SkipPatch,      ///< Patch is left out while every address given to Render is still valid
};

enum class FallibleCallback : std::uint8_t {
  MapMemory,
  GetDeviceInformation,
  ReadDeviceSpace,
  WriteDeviceSpace,
  ReserveGpuVirtualAddressRange,
  CreateContextAllocation,
  UpdateContextAllocation,
  MapContextAllocation,
  GetHandleData,
  AcquireHandleData,
};
/// Private data that user mode hands to the driver when an allocation comes: of the allocation or
/// of its resource in CreateAllocation, or of the allocation in OpenAllocation; or when a context
/// comes, in CreateContext.
enum class DataOf : std::uint8_t { Allocation, Resource, Opened, Context };
enum class Policy : std::uint8_t {
  FirstCome,  ///< who is ready first runs first, and until it waits
  Random,     ///< at each point where control may move, anyone
  Pct,        ///< by random priorities that change at a few random points (Burckhardt et al. 2010)
};

struct FieldInfo {
  Member member;
  const char* name;
  FieldShape shape;
  std::uint64_t lowest, highest, fallback;
  Quantity compares;
  const char* about;
};

/// What an op does to what its fields name.
enum class EffectKind : std::uint8_t { Nothing, Makes, Ends, Moves, EndsAll };
struct Effect {
  EffectKind kind = EffectKind::Nothing;
  FieldShape space = FieldShape::Device;  ///< of the op's first field of that shape
};

struct OpInfo {
  OpKind kind;
  const char* name;  ///< in YAML
  OpDomain domain;
  OpRole roles;
  const char* about;
  Need needs;
  std::array<Effect, 2> effects;
  std::array<std::uint8_t, kFamilies> weights;  ///< by Family
  std::span<const FieldInfo> fields;

  [[nodiscard]] constexpr bool is(OpRole role) const {
    return (static_cast<unsigned>(roles) & static_cast<unsigned>(role)) != 0;
  }
  [[nodiscard]] constexpr bool needs_state(Need state) const { return has(needs, state); }
  [[nodiscard]] constexpr bool does(EffectKind kind_of, FieldShape space) const {
    for (const Effect& effect : effects)
      if (effect.kind == kind_of && effect.space == space) return true;
    return false;
  }
  [[nodiscard]] constexpr bool ends_all() const {
    return effects[0].kind == EffectKind::EndsAll || effects[1].kind == EffectKind::EndsAll;
  }
  /// The first field of a shape; null if there is none.
  [[nodiscard]] constexpr const FieldInfo* field(FieldShape shape) const {
    for (const FieldInfo& one : fields)
      if (one.shape == shape) return &one;
    return nullptr;
  }
};

/// Ops of the catalogue.
inline constexpr std::size_t kOps = 0
#define OP(...) +1
#include "reference/trace/op.def"
#undef OP
    ;

/// The catalogue in order of number.
[[nodiscard]] std::span<const OpInfo> op_catalogue();
/// Null for a number that is not assigned (such an op is a no-op).
[[nodiscard]] const OpInfo* op_info(OpKind kind);
/// Whether a kind is assigned and has a role.
[[nodiscard]] inline bool has_role(OpKind kind, OpRole role) {
  const OpInfo* const info = op_info(kind);
  return info != nullptr && info->is(role);
}
/// The op with every field at its default.
[[nodiscard]] Op plain_op(OpKind kind);
/// Names of the values of an enumerated shape in order; empty for numbers.
[[nodiscard]] std::span<const char* const> shape_values(FieldShape shape);
[[nodiscard]] std::uint64_t field_of(const Op& op, Member member);
void set_field(Op& op, Member member, std::uint64_t value);

/// A scenario: what it is called, what it shows, its ops and where each stood in the file.
struct Scenario {
  std::string name;
  std::string about;
  std::vector<Op> ops;
  std::vector<std::uint32_t>
      lines;  ///< 1-based line of each op in its file; empty if not from text
};

/// The op with every field inside its limits: out-of-range values are brought to the nearest limit,
/// members without meaning become 0, unassigned kinds become None.
[[nodiscard]] Op canonical(Op op);

/// Ops a scenario can hold: events number them with 16 bits, and kNoOp is taken.
inline constexpr std::size_t kMaxOps = 65535;

/// Bytes for fuzzers: 16 bytes an op, little endian; a short tail and all beyond kMaxOps is
/// dropped. decode(encode(s)) == s for canonical s, and encode(decode(b)) is the canonical form of
/// b.
[[nodiscard]] std::vector<std::uint8_t> encode(std::span<const Op> ops);
[[nodiscard]] std::vector<Op> decode(std::span<const std::uint8_t> bytes);

/// A problem with a file: "FILE:LINE: what was found; what was expected".
struct TextError {
  std::string message;
};
/// Reads the YAML form (scenario.md), whatever `text` holds. `file` is only used in messages. On
/// error `out` is unspecified and the message is one line. Never throws, except when memory ends.
[[nodiscard]] bool parse_scenario(const std::string& text, const std::string& file, Scenario& out,
                                  TextError& error);
/// Writes the YAML form, fields at their default left out. parse(print(s)) == s for canonical ops
/// and texts within the limits of scenario.md; other texts are brought within them.
[[nodiscard]] std::string print_scenario(const Scenario& scenario);
/// One op as one line of YAML flow form, for reports.
[[nodiscard]] std::string print_op(const Op& op);

}  // namespace wddm
