// The boundary between Dxgkrnl and a driver, as two tables say it: ddi.def what a driver may offer,
// callback.def what it may call.
//
// What is known of an entry point has its place in its row. Its number and name here, the seat of
// faults, the call with its IRQL and its arguments in the trace (conformance/host), and the page
// ddis.md are made of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "reference/trace/event.h"

namespace wddm {

enum class DdiId : std::uint32_t {
#define FIELD(...)
#define DDI(name, ...) name,
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
};
inline constexpr std::uint32_t kDdis = 0
#define FIELD(...)
#define DDI(...) +1
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
    ;
enum class CallbackId : std::uint32_t {
#define DXGKCB(name, ...) name,
#include "reference/trace/callback.def"
#undef DXGKCB
#undef NO_MEMBER
};

/// DXGKDDI_INTERFACE_VERSION of the headers that have an entry point first.
enum class InterfaceVersion : std::uint32_t {
  Vista = 0x1052,
  Win7 = 0x2005,
  Win8 = 0x300E,
  Wddm1_3 = 0x4002,
  Wddm2_0 = 0x5023,
  Wddm2_2 = 0x700A,
  Wddm2_4 = 0x9006,
  Wddm3_2 = 0x11007,
};

/// KIRQL, with one number for all levels of devices.
enum class Irql : std::uint8_t {
  Passive = 0,
  Apc = 1,
  Dispatch = 2,
  Device = 5,
  High = 15,
  Any = 31
};

/// Who else may be in the driver during a call.
enum class ThreadingLevel : std::uint8_t {
  Zero,   ///< any number of threads, but never two of one process
  One,    ///< at most one thread of the GPU scheduler's class; level 0 may overlap
  Two,    ///< nobody else, and the GPU is idle
  Three,  ///< ... and video memory is evicted
};

/// When a driver must offer it.
enum class DdiPresence : std::uint8_t {
  Start,                ///< always: no adapter starts without it
  Always,               ///< always; what needs it is left out without it
  Rendering,            ///< if user mode renders without GPU virtual addresses
  PatchLists,           ///< if packets are given by physical addresses
  GpuVirtualAddresses,  ///< with GPU virtual addresses
  EngineResets,         ///< if one engine can be reset alone (SupportPerEngineTDR)
  CancelAware,          ///< with CancelCommandAware
  CpuHostAperture,      ///< if a segment has a CPU host aperture
  Display,              ///< drivers with displays only
  Optional,
};

/// What the object in ev::DdiEntered is: the scenario's slot, an ordinal, or nothing (kNone).
enum class DdiObject : std::uint8_t {
  Nothing,
  InfoType,  ///< DXGK_QUERYADAPTERINFOTYPE
  Device,
  Context,
  Allocation,
  Packet,
  Node,
  Process,
};

struct DdiInfo {
  const char* name;  ///< "DxgkDdiRender"
  InterfaceVersion since;
  Irql irql;  ///< at which Dxgkrnl calls it
  ThreadingLevel level;
  DdiPresence presence;
  DdiObject object;
  std::span<const EventField> arguments;  ///< members of the blob of ev::DdiEntered
  const char* absence;                    ///< "the driver has no DxgkDdiRender"
};
/// Row by row; index = DdiId.
[[nodiscard]] std::span<const DdiInfo> ddi_table();
[[nodiscard]] const DdiInfo& ddi_info(DdiId id);

struct CallbackInfo {
  const char* name;  ///< "DxgkCbQueueDpc"
  InterfaceVersion since;
  Irql lowest, highest;  ///< at which a driver may call it
  bool fallible;         ///< a scenario may make it fail
  bool offered;          ///< by this host; else it is refused
};
/// Row by row; index = CallbackId.
[[nodiscard]] std::span<const CallbackInfo> callback_table();
[[nodiscard]] const CallbackInfo& callback_info(CallbackId id);

/// The arguments of each DDI that a trace holds, as plain structures without padding.
namespace ddi_arguments {
using u32 = ev::u32;
using u64 = ev::u64;
#define FIELD(type, name, format, value) type name = 0;
#define DDI(name, since, irql, level, presence, object, result, parameters, arguments, ...) \
  struct name {                                                                             \
    static constexpr DdiId kId = DdiId::name;                                               \
    __VA_ARGS__                                                                             \
  };                                                                                        \
  static_assert(std::is_empty_v<name> || std::has_unique_object_representations_v<name>);
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
}  // namespace ddi_arguments

}  // namespace wddm
