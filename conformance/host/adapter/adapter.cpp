#include "conformance/host/adapter/adapter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "conformance/host/adapter/interrupts.h"
#include "conformance/host/adapter/objects/resources.h"
#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/adapter/power_management.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/memory/reach.h"
#include "conformance/host/nt/registry/registry.h"

namespace wddm::host {
namespace {

Adapter* g_adapter = nullptr;

// What the headers here lay out: those of WDDM 2.7, which a driver of WDDM 3.0 that is built with
// them has too, and what of 3.0 fits into their reserves (MapApertureSegment2). Newer drivers may
// fill members that this host does not know.
bool offers(ULONG version) {
  return version >= DXGKDDI_INTERFACE_VERSION_VISTA && version <= DXGKDDI_INTERFACE_VERSION_WDDM3_2;
}

// The id Dxgkrnl gives to each start, so that a handle kept from an earlier one is recognised.
HANDLE handle_of_start(std::uint32_t start, std::uint32_t physical_adapter) {
  constexpr std::uintptr_t kFirst = 0xD0000000u, kStart = 0x10u, kAdapter = 0x1000000u;
  return reinterpret_cast<HANDLE>(kFirst + start * kStart + physical_adapter * kAdapter);
}

// Before WDDM 3.0, where a driver may have its DMA remapped, memory that a device cannot reach
// keeps it from starting. Said of devices that only compute.
bool cannot_reach_memory(const DXGK_DRIVERCAPS& caps) {
  if (caps.MiscCaps.ComputeOnly == 0) return false;
  if (Adapter::knows(InterfaceVersion{DXGKDDI_INTERFACE_VERSION_WDDM3_0})) return false;
  const auto reach = static_cast<std::uint64_t>(caps.HighestAcceptableAddress.QuadPart);
  if (reach >= memory::highest_physical_address()) return false;
  session().tap(
      ev::StartRefused{.highest = memory::highest_physical_address(),
                       .why = static_cast<std::uint32_t>(StartRefusal::MemoryOutOfReach)});
  return true;
}

// Whether such an adapter does not start; what else there is are faults of ours.
bool refuses(const DXGK_DRIVERCAPS& caps) {
  DecisionSeat& seat = decisions();
  if (seat.commits(OracleFault::RefuseWithoutPreemption) &&
      caps.SchedulingCaps.PreemptionAware == 0)
    return true;
  if (seat.commits(OracleFault::InsistOnFlips) && caps.FlipCaps.FlipOnVSyncMmIo == 0) return true;
  return !seat.commits(OracleFault::StartOutOfReach) && cannot_reach_memory(caps);
}

}  // namespace

Adapter* current_adapter() {
  return g_adapter;
}
void set_current_adapter(Adapter* adapter) {
  g_adapter = adapter;
}

DEVICE_OBJECT* Adapter::make_device_object() {
  return static_cast<DEVICE_OBJECT*>(memory::arena_allocate(sizeof(DEVICE_OBJECT), 16));
}

Adapter::Adapter(Bus& bus) : bus_(bus) {
  driver_object_ = static_cast<DRIVER_OBJECT*>(memory::arena_allocate(sizeof(DRIVER_OBJECT), 16));
  physical_.front().device = make_device_object();
  registry_path_ = service_key_path();
  entry_path_ = entry_path();
}

// What does not start is taken away (irp-mn-remove-device.md), and added anew if it is tried again.
bool Adapter::bring_up() {
  if (stage_ == Stage::Absent && !enter()) return false;
  if (stage_ == Stage::Entered && !add()) return false;
  if (stage_ == Stage::Added && !start()) remove(Departure::Watched);
  return running_;
}

void Adapter::tear_down(Stage stage, Departure departure) {
  if (stage_ == Stage::Started && stage < Stage::Started) stop(departure);
  if (stage_ == Stage::Added && stage < Stage::Added) remove(departure);
  if (stage_ == Stage::Entered && stage < Stage::Entered) unload(departure);
}

void Adapter::reset_from_timeout(ResetCause cause) {
  if (!may_call(DdiId::ResetFromTimeout)) return;
  const NTSTATUS status = call_ddi<DdiId::ResetFromTimeout>(kNone, miniport());
  bus_.drain_log();
  session().tap(ev::AdapterReset{.stage = 0,
                                 .status = static_cast<std::uint32_t>(status),
                                 .cause = static_cast<std::uint32_t>(cause)});
}

void Adapter::restart_from_timeout(ResetCause cause) {
  if (!may_call(DdiId::RestartFromTimeout)) return;
  const NTSTATUS status = call_ddi<DdiId::RestartFromTimeout>(kNone, miniport());
  session().tap(ev::AdapterReset{.stage = 1,
                                 .status = static_cast<std::uint32_t>(status),
                                 .cause = static_cast<std::uint32_t>(cause)});
}

NTSTATUS Adapter::initialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                             PDRIVER_INITIALIZATION_DATA data) {
  ++entry_.initialize_calls;
  entry_.same_object = object == driver_object_;
  entry_.same_path = path == &entry_path_;
  NTSTATUS status = static_cast<NTSTATUS>(initialize_status_);
  if (data == nullptr) {
    status = STATUS_INVALID_PARAMETER;
  } else {
    entry_.version = data->Version;
    entry_.reserved_set = count_reserved_members(*data);
    session().wire->driver = *data;
    if (status == STATUS_SUCCESS && !offers(data->Version)) status = STATUS_REVISION_MISMATCH;
  }
  entry_.initialize_status = static_cast<std::uint32_t>(status);
  return status;
}

bool Adapter::enter() {
  entry_ = {};
  session().wire->driver = {};
  // Windows has unloaded the image behind the last call, and loads it with its variables as they
  // were built. Where code of the driver still runs, or is to run, it goes on with what it had: its
  // end would be no more than a crash.
  if (was_entered_ && !nt::driver_is_at_work()) restore_driver();
  was_entered_ = true;
  nt::entry_path_is_gone(nullptr);
  const NTSTATUS status =
      call_ddi<DdiId::DriverEntry>(kNone, driver_entry(), driver_object_, &entry_path_);
  nt::entry_path_is_gone(entry_path_.Buffer);
  entry_.status = static_cast<std::uint32_t>(status);
  session().tap(entry_);
  if (entry_.initialize_calls > 0) {
    report_ddis();
    report_entries();
  }
  const bool registered =
      entry_.initialize_calls > 0 && NT_SUCCESS(static_cast<NTSTATUS>(entry_.initialize_status));
  initialize_status_ = 0;
  if (!NT_SUCCESS(status) || !registered) return false;
  stage_ = Stage::Entered;
  return true;
}

bool Adapter::add() {
  report_pool(1);
  if (!may_call(DdiId::AddDevice) || !add(0)) return false;
  stage_ = Stage::Added;
  if (enumerate_link()) return true;
  remove(Departure::Watched);
  return false;
}

bool Adapter::add(std::uint32_t index) {
  PhysicalAdapter& adapter = physical_[index];
  adapter.miniport = nullptr;
  const NTSTATUS status = call_ddi<DdiId::AddDevice>(kNone, adapter.device, &adapter.miniport);
  return NT_SUCCESS(status) && adapter.miniport != nullptr;
}

NTSTATUS Adapter::start(std::uint32_t index) {
  PhysicalAdapter& adapter = physical_[index];
  DXGK_START_INFO info{};
  info.RequiredDmaQueueEntry = queue_entries_;
  // What is left as it was tells nothing, and is told as kNone.
  ULONG sources = kNone, children = kNone;
  const NTSTATUS status = call_ddi<DdiId::StartDevice>(kNone, adapter.miniport, &info,
                                                       &adapter.callbacks, &sources, &children);
  // A driver saves what stands there. Who looks at it later finds the handle of no start.
  adapter.callbacks.DeviceHandle = handle_of_start(0, index);
  adapter.sources = sources == kNone ? 0 : sources;
  adapter.children = children == kNone ? 0 : children;
  session().tap(ev::DeviceStarted{.physical_adapter = index,
                                  .status = static_cast<std::uint32_t>(status),
                                  .sources = sources,
                                  .children = children});
  return status;
}

// The lead comes after all others.
bool Adapter::start() {
  report_pool(3);
  ++starts_;
  mapped_ = unmapped_ = 0;
  isolated_memory_.begin();
  for (std::uint32_t index = 0; index < physical_adapters(); ++index) {
    PhysicalAdapter& adapter = physical_[index];
    adapter.handle = handle_of_start(starts_, index);
    fill_callbacks(adapter.callbacks, adapter.handle);
    adapter.device_info =
        device_information(bus_.of(index), adapter.miniport, adapter.device, registry_path_);
  }
  if (!may_call(DdiId::StartDevice)) return false;
  connect_interrupt(*this);
  starting_ = true;
  std::uint32_t started = physical_adapters();
  NTSTATUS status = STATUS_SUCCESS;
  while (started != 0 && NT_SUCCESS(status)) {
    status = start(started - 1);
    if (NT_SUCCESS(status)) --started;
  }
  if (!NT_SUCCESS(status)) {
    while (started != physical_adapters()) stop(started++);
    starting_ = false;
    nt::connect_interrupt(nullptr, nullptr);
    disconnect_dpc();
    return false;
  }
  starting_ = false;
  stage_ = Stage::Started;
  query();
  report_platform();
  report_memory_imports();
  bus_.watch_system_memory(can_be_isolated() ? &isolated_memory_ : nullptr);
  if (refuses(caps_)) {
    stop(Departure::Watched);
    return false;
  }
  begin_power_management(*this);
  running_ = true;
  session().tap(ev::Running{.start = starts_});
  if (decisions().commits(OracleFault::PollConnectors)) poll_connectors();
  return true;
}

void Adapter::report_platform() const {
  const nt::RegistryValue* const declared = nt::driver_key().value(u"ModernStandby");
  std::uint32_t value = 0;
  if (declared == nullptr || declared->data.size() != sizeof(value)) return;
  std::memcpy(&value, declared->data.data(), sizeof(value));
  session().tap(ev::PlatformDeclared{.modern_standby = value});
}

bool Adapter::can_be_isolated() const {
  return caps_.MemoryManagementCaps.IoMmuSecureModeSupported != 0 &&
         knows(InterfaceVersion::Wddm2_4);
}

void Adapter::report_memory_imports() const {
  const std::string* const read = memory_imports_of_driver();
  if (read == nullptr || !can_be_isolated()) return;
  std::string names = *read;
  session().wire->MemoryImports(names);
  session().tap.text(ev::MemoryImports{.count = static_cast<std::uint32_t>(
                                           std::count(names.begin(), names.end(), '\n'))},
                     names);
}

// Nobody does this to a device without connectors but a fault of ours.
void Adapter::poll_connectors() {
  DXGKARG_QUERYCONNECTIONCHANGE change{};
  if (may_call(DdiId::QueryConnectionChange)) {
    static_cast<void>(call_ddi<DdiId::QueryConnectionChange>(kNone, miniport(), &change));
  }
}

void Adapter::stop(std::uint32_t index) {
  if (may_call(DdiId::StopDevice)) call_ddi<DdiId::StopDevice>(kNone, miniport(index));
}

void Adapter::stop(Departure departure) {
  if (std::exchange(running_, false)) end_power_management(*this);
  nt::hold_threads(departure == Departure::AtOnce);
  for (std::uint32_t index = 0; index < physical_adapters(); ++index) stop(index);
  stage_ = Stage::Added;
  disconnect_dpc();
  if (departure == Departure::Watched) nt::settle();
  session().tap(ev::MappingBalance{.mapped = mapped_, .unmapped = unmapped_});
  isolated_memory_.tell_balance();
  if (departure == Departure::Watched) count_late_interrupts();
  nt::connect_interrupt(nullptr, nullptr);
  bus_.watch_system_memory(nullptr);  // whose memory is what the next start says
  if (departure == Departure::Watched) report_pool(4);
}

void Adapter::count_late_interrupts() {
  // A device that was left enabled shows itself within a second of its own time. Without one nobody
  // waits: what a driver has left to go off by itself may then go off behind its removal.
  static_cast<void>(bus_.take_interrupt_count());
  for (int step = 0; step < 10 && bus_.present(); ++step) {
    bus_.advance(100);
    nt::advance_time(1'000'000);
  }
  // A line that StopDevice left high goes on interrupting, though it does not rise any more.
  session().tap(ev::InterruptsAfterStop{.count = bus_.take_interrupt_count() +
                                                 (bus_.line_is_high() ? 1u : 0u)});
}

// In which order the GPUs of a link go nothing says: the lead is the first, and every other time
// the last.
void Adapter::remove(Departure departure) {
  const std::uint32_t count = physical_adapters();
  const bool lead_last = starts_ % 2 == 0;
  nt::hold_threads(departure == Departure::AtOnce);
  for (std::uint32_t i = 0; i < count && may_call(DdiId::RemoveDevice); ++i) {
    call_ddi<DdiId::RemoveDevice>(kNone, miniport(lead_last ? count - 1 - i : i));
  }
  forget_link();
  stage_ = Stage::Entered;
  if (departure == Departure::AtOnce) return;
  nt::settle();
  report_pool(2);
}

// Each item of IoQueueWorkItem holds on to a device object, without which no driver is unloaded.
void Adapter::unload(Departure departure) {
  nt::hold_threads(departure == Departure::AtOnce);
  if (nt::io_items_at_work()) nt::settle();
  if (may_call(DdiId::Unload)) call_ddi<DdiId::Unload>(kNone);
  nt::hold_threads(false);
  nt::report_unfinished();
  stage_ = Stage::Absent;
  nt::settle();
}

void Adapter::mapped(void* address) {
  ++mapped_;
  mappings_.push_back(address);
}

bool Adapter::unmapped(void* address) {
  const auto found = std::find(mappings_.begin(), mappings_.end(), address);
  if (found == mappings_.end()) return false;
  mappings_.erase(found);
  ++unmapped_;
  return true;
}

void Adapter::report_pool(std::uint32_t at) const {
  const nt::PoolUsage usage = nt::pool_usage();
  session().tap(ev::PoolBalance{.bytes = usage.bytes, .blocks = usage.blocks, .at = at});
}

void Adapter::report_ddis() const {
  std::array<std::uint32_t, kDdis> filled;
  std::uint32_t count = 0;
  for (std::uint32_t ddi = 0; ddi < kDdis; ++ddi) {
    if (may_call(static_cast<DdiId>(ddi))) filled[count++] = ddi;
  }
  session().tap(ev::DdisFilled{.count = count}, filled.data(), count * sizeof(filled[0]));
}

// What lies behind the members of the driver's own interface is the readers' to leave out.
void Adapter::report_entries() const {
  const DRIVER_INITIALIZATION_DATA& table = session().wire->driver;
  constexpr std::size_t kEntry = sizeof(void*);
  std::array<std::uint32_t, sizeof(table) / kEntry> filled;
  std::uint32_t count = 0;
  for (std::size_t place = kEntry; place < sizeof(table); place += kEntry) {
    const void* entry = nullptr;
    std::memcpy(&entry, reinterpret_cast<const std::uint8_t*>(&table) + place, kEntry);
    if (entry != nullptr) filled[count++] = static_cast<std::uint32_t>(place);
  }
  session().tap(ev::EntriesFilled{.count = count, .version = table.Version}, filled.data(),
                count * sizeof(filled[0]));
}

std::uint32_t Adapter::judge_handle(HANDLE handle) const {
  for (std::uint32_t index = 0; index < physical_adapters(); ++index) {
    if (handle == physical_[index].handle) return 0;
    if (handle == physical_[index].miniport) return 2;
    for (std::uint32_t start = 1; start < starts_; ++start) {
      if (handle == handle_of_start(start, index)) return 3;
    }
  }
  return 1;
}

std::uint32_t Adapter::index_of(HANDLE handle) const {
  for (std::uint32_t index = 1; index < physical_adapters(); ++index) {
    if (handle == physical_[index].handle) return index;
  }
  return 0;
}

}  // namespace wddm::host
