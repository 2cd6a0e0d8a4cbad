// What a run observes: 64-byte events plus blobs for lists and buffers.
//
// The payload of every kind and the format of its fields come from one table, event.def. Results
// hold no addresses: objects are the scenario's slots and ordinals.
//
// The payload of nearly every kind fits in its event. What is behind the first 48 bytes of a larger
// one stands before its blob in the arena, so that the others stay one cache line each: events of
// 128 bytes would double what a run writes and a check walks over, for the sake of a few kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/types.h"

namespace wddm {

enum class EventKind : std::uint16_t {
  None = 0,
#define FIELD(...)
#define EVENT(type, about, ...) type,
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD
  Count,
};
inline constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::Count);

/// Bytes of a payload that stand in the event itself, and of one at most.
inline constexpr std::size_t kPayloadInEvent = 48;
inline constexpr std::size_t kPayloadAtMost = 240;
/// Bytes of a payload of that size that stand before the blob.
[[nodiscard]] constexpr std::size_t payload_tail(std::size_t payload_bytes) {
  return payload_bytes > kPayloadInEvent ? payload_bytes - kPayloadInEvent : 0;
}

/// The payload of each kind, as a plain structure.
namespace ev {
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
#define FIELD(type, name, format) type name = 0;
#define EVENT(type, about, ...)                         \
  struct type {                                         \
    static constexpr EventKind kKind = EventKind::type; \
    __VA_ARGS__                                         \
  };                                                    \
  static_assert(sizeof(type) <= kPayloadAtMost);        \
  static_assert(payload_tail(sizeof(type)) % 8 == 0, "blobs begin at multiples of 8");
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD
}  // namespace ev

/// The engine that an event speaks of. One never has `node` without `engine`.
template <class Payload>
[[nodiscard]] constexpr EngineId engine_of(const Payload& payload) {
  return {.node = NodeId{payload.node}, .physical_adapter = payload.engine};
}

struct Event {
  EventKind kind = EventKind::None;
  std::uint8_t irql = 0;
  std::uint8_t cpu = 0;
  std::uint16_t op = 0;      ///< index of the op in the scenario, kNoOp outside of ops
  std::uint16_t thread = 0;  ///< ordinal of the virtual thread
  std::uint32_t blob_offset = 0;
  std::uint32_t blob_length = 0;
  alignas(8) std::byte payload[kPayloadInEvent] = {};
};
static_assert(sizeof(Event) == 64);
inline constexpr std::uint16_t kNoOp = 0xffff;
/// Stands for "no allocation", "no context", "no packet" in payloads and records.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// How a field is printed.
enum class FieldFormat : std::uint8_t {
  Dec,
  Hex,
  Status,
  Op,
  Finding,
  Ddi,
  Callback,
  Place,
  Interrupt,
  Paging,
};
struct EventField {
  const char* name;
  std::uint8_t offset;
  std::uint8_t size;
  bool is_signed;
  FieldFormat format;
};
/// Of a payload or a record that has the field; those of signed types are not extended.
[[nodiscard]] std::uint64_t field_value(const std::byte* record, const EventField& field);

struct EventInfo {
  const char* name;
  const char* about;
  std::span<const EventField> fields;
};
[[nodiscard]] const EventInfo& event_info(EventKind kind);

/// Bytes of each kind's payload that stand before its blob; index = EventKind.
inline constexpr std::uint8_t kPayloadTails[kEventKinds] = {
    0,
#define FIELD(...)
#define EVENT(type, about, ...) payload_tail(sizeof(ev::type)),
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD
};
[[nodiscard]] constexpr std::size_t payload_tail_of(EventKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kEventKinds ? kPayloadTails[index] : 0;
}

// Values of payload fields.

/// Where in the driver a callback was made.
enum class CallPlace : std::uint32_t { Ddi, Isr, Synchronize, Dpc, Thread };
enum class DmaStage : std::uint32_t { Rendered, BeforePatch, AfterPatch };
enum class GuardArea : std::uint32_t {
  DmaBuffer,
  DmaPrivateData,
  PatchListOut,
  PagingBuffer,
  PagingPrivateData,
  SegmentList,
  AdapterInfo,
  PatchedPagingBuffer,  ///< by Patch; PagingBuffer is by BuildPagingBuffer
};
enum class CutReason : std::uint32_t { End, NoMemory, Forced };
enum class PacketFate : std::uint32_t { Completed, Preempted, Rejected, Lost, Faulted };
enum class MemoryCause : std::uint32_t { Render, Paging, Idle, Preempted };
enum class MemoryPlace : std::uint32_t { Allocation, FreeSegmentPage, SystemPage, DummyPage };
enum class MarkerReason : std::uint32_t { AtCompleted, AtPreempted, AfterPreempted, AtEnd };
/// Where the CPU sees a segment, by what the driver says: nowhere; in one range of memory among the
/// resources of the device; beginning in one and ending behind it; elsewhere.
enum class SegmentWindow : std::uint32_t { None, Inside, Beyond, Elsewhere };
/// What has changed in a CPU host aperture: some pages were unmapped, and the others compared; the
/// same were mapped to other pages, and all compared; so was another GPU of the link meanwhile.
enum class ApertureChange : std::uint32_t { Unmapped, MappedAnew, OtherGpu };
/// How a query was asked: as it is meant to be, and again; with an output a byte too short; with no
/// input; with the index of something that is not there; a type that there is not; segments with
/// room between their descriptors, where `changed` are bytes of that room.
enum class InfoQuestion : std::uint32_t {
  Plain,
  Again,
  Short,
  NoInput,
  WrongIndex,
  Unknown,
  Strided,
  OfProcess,  ///< with a live hKmdProcessHandle; all others come without
};
/// Private data of an Escape: none, zeros, or other bytes; as the client's escape_data() says, a
/// part of that from its start, or with one word of 32 bits altered.
enum class EscapeData : std::uint32_t { None, Zeros, Ones, Counting, Client, Cut, Altered };
/// How BuildTestCommandBuffer was called: with no buffers, for their sizes; with buffers of just
/// these or more; with one of them a byte shorter than what was written then, or missing.
enum class TestCall : std::uint32_t { Sizes, Exact, Short };
/// What a device plug-in may leave out, as bits of DeviceLacks.
enum class DevicePart : std::uint32_t { MemoryRead = 1, Scramble = 2, Power = 4, TagBits = 8 };
/// Why this host does not start an adapter.
enum class StartRefusal : std::uint32_t { MemoryOutOfReach };
/// The system process, where events name one; those of scenarios have their slots.
inline constexpr std::uint32_t kSystemProcessNumber = 256;
/// The privileged address space of process 0, where events name spaces by process; those of others
/// follow.
inline constexpr std::uint32_t kPrivilegedSpaceNumber = 257;
/// What lies where the GPU read an entry of a page table.
enum class AstrayWalk : std::uint32_t {
  NoTable,      ///< no page table of anybody
  FormerTable,  ///< a page table once; it was moved or has gone
  OtherSpace,   ///< a table of another process
  OtherLevel,   ///< a table of the process, of another level
  OtherIndex,   ///< the right table, at an entry that does not lead to the address
  BehindRoot,   ///< the root, behind its last entry
};
/// What FaultedProcessHandle is.
enum class FaultHandle : std::uint32_t { Null, OfPacket, OfOther, Unknown };
/// What an access that must fault is reported as: an addition faults as it reads or as it writes.
enum class ForetoldAccess : std::uint32_t { Read, Write, Either };
/// What AddressAnswered was asked.
enum class AddressRequest : std::uint32_t { Map, Reserve, Free, Update, MapContextAllocation };

// Records inside blobs.

/// An entry of the allocation list: which allocation and where it was said to be.
struct AllocationRecord {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t allocation = kNone;  ///< kNone: NULL handle
  std::uint32_t segment = 0;
  std::uint32_t write = 0;
  std::uint32_t reserved = 0;
};
/// D3DDDI_PATCHLOCATIONLIST; `value` is the whole union with SlotId in bits 0..23.
struct PatchRecord {
  std::uint32_t allocation_index = 0;
  std::uint32_t value = 0;
  std::uint32_t driver_id = 0;
  std::uint32_t allocation_offset = 0;
  std::uint32_t patch_offset = 0;
  std::uint32_t split_offset = 0;
  [[nodiscard]] std::uint32_t slot() const { return value & 0xffffff; }
};
struct RangeRecord {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
struct PagingStepRecord {
  std::uint32_t kind = 0;
  std::uint32_t allocation = kNone;
  std::uint32_t segment = 0;
  std::uint32_t page = 0;
  std::uint32_t pages = 0;
};
/// The arguments of one BuildPagingBuffer call that clauses speak of.
struct PagingArguments {
  std::uint64_t size = 0;
  std::uint64_t source_address = 0, destination_address = 0;
  std::uint32_t source_segment = 0, destination_segment = 0;
  std::uint32_t offset = 0;      ///< TransferOffset
  std::uint32_t mdl_offset = 0;  ///< pages
  std::uint32_t pattern = 0;
  std::uint32_t page = 0, pages = 0;  ///< OffsetInPages, NumberOfPages
  std::uint32_t scattered = 0;        ///< 1 if the MDL's pages are not adjacent
  std::uint32_t written = 0;          ///< bytes of the buffer up to the last that was written
  std::uint32_t process = kNone;      ///< whose hProcess was given; kNone: the operation has none
  std::uint32_t start = 0;            ///< bytes of the paging buffer that others had before it
  std::uint32_t flags = 0;            ///< DXGK_TRANSFERFLAGS
  std::uint32_t of_buffer = 0;  ///< 1: an aperture is to show a DMA buffer or paging buffer, or not
  std::uint32_t unused = 0;     ///< no byte is left undefined
};

/// What an entry of a page table says, as the GPU sees it.
struct EntryRecord {
  std::uint64_t address = 0;  ///< of the page or table: BaseAddress of the segment + offset
  std::uint64_t driver_protection = 0;  ///< DriverProtection
  std::uint32_t flags = 0;              ///< see entry_flag
  std::uint32_t adapter = 0;            ///< PhysicalAdapterIndex
  friend bool operator==(const EntryRecord&, const EntryRecord&) = default;
};
namespace entry_flag {
// Those of WddmEntryFlags (client.h); kSystem: the address is of system memory.
inline constexpr std::uint32_t kValid = 1, kZero = 2, kSystem = 4, kCacheCoherent = 8,
                               kReadOnly = 16, kNoExecute = 32, kLargePage = 64, kLeaf64K = 128;
}  // namespace entry_flag

/// An entry that is not what was asked for, by the client's decoder.
struct EntryDifference {
  EntryRecord expected, seen;
  std::uint32_t index = 0;   ///< in the table
  std::uint32_t second = 0;  ///< 1: of a pair, the pointer to the table of 64 KB pages
};

}  // namespace wddm
