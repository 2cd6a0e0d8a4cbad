#include "conformance/host/adapter/interrupts.h"

#include <deque>
#include <optional>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/nt/sync/dpc.h"

namespace wddm::host {
namespace {

// One for each adapter of a link.
struct Dpc {
  Adapter* adapter = nullptr;
  std::uint32_t index = 0;
  // QueueDpc calls since the DPC last ran; more than one means that interrupts merged.
  std::uint32_t merged = 0;
  std::optional<nt::HostDpc> dpc;
};
std::deque<Dpc> g_dpcs;
// Between start and stop. A stopped adapter has no context for the routine.
bool g_dpc_connected = false;

// IsrEntered::asserted
constexpr std::uint32_t kLow = 0, kHigh = 1, kNoLine = 2;

std::uint32_t line_of(const Bus& bus) {
  if (!bus.present() || bus.sends_messages()) return kNoLine;
  return bus.line_is_high() ? kHigh : kLow;
}

bool isr_of(Adapter& adapter, std::uint32_t index, std::uint32_t message) {
  const Bus& bus = adapter.bus().of(index);
  session().tap(
      ev::IsrEntered{.message = message, .asserted = line_of(bus), .physical_adapter = index});
  BOOLEAN claimed;
  enter_driver(
      DdiId::InterruptRoutine, CallPlace::Isr, DdiRow<DdiId::InterruptRoutine>::kIrql,
      [&] { claimed = session().wire->InterruptRoutine(adapter.miniport(index), message); });
  session().tap(ev::IsrLeft{.claimed = claimed != FALSE, .asserted = line_of(bus)});
  return claimed != FALSE;
}

// Each adapter of a link has an interrupt of its own.
bool isr(void* context, std::uint32_t message) {
  auto& adapter = *static_cast<Adapter*>(context);
  if (!may_call(DdiId::InterruptRoutine)) return false;
  if (adapter.physical_adapters() == 1) return isr_of(adapter, 0, message);
  const std::uint32_t sender = message >> kMessageAdapterShift;
  if (sender >= adapter.physical_adapters()) return false;  // one of a link that is no more
  if (sender != 0) return isr_of(adapter, sender, message & ((1u << kMessageAdapterShift) - 1));
  bool asserted = false, claimed = false;
  for (std::uint32_t index = 0; index < adapter.physical_adapters(); ++index) {
    if (!adapter.bus().of(index).asserts()) continue;
    asserted = true;
    claimed |= isr_of(adapter, index, message);
  }
  return asserted ? claimed : isr_of(adapter, 0, message);
}

void dpc(void* context) {
  auto& self = *static_cast<Dpc*>(context);
  const std::uint32_t merged = self.merged;
  self.merged = 0;
  if (!may_call(DdiId::DpcRoutine)) return;
  session().tap(ev::DpcEntered{.merged = merged, .physical_adapter = self.index});
  enter_driver(DdiId::DpcRoutine, CallPlace::Dpc, DdiRow<DdiId::DpcRoutine>::kIrql,
               [&] { session().wire->DpcRoutine(self.adapter->miniport(self.index)); });
  session().tap(ev::DpcLeft{.merged = merged});
}

struct Synchronized {
  PKSYNCHRONIZE_ROUTINE routine;
  PVOID context;
};

bool run_synchronized(void* context) {
  const auto& call = *static_cast<const Synchronized*>(context);
  const PlaceScope place(CallPlace::Synchronize);
  return call.routine(call.context) != FALSE;
}

}  // namespace

void connect_interrupt(Adapter& adapter) {
  g_dpc_connected = true;
  g_dpcs.clear();
  for (std::uint32_t index = 0; index < adapter.physical_adapters(); ++index) {
    Dpc& made = g_dpcs.emplace_back();
    made.adapter = &adapter;
    made.index = index;
    made.dpc.emplace("DxgkDdiDpcRoutine", &dpc, &made);
  }
  nt::connect_interrupt(&isr, &adapter);
}

void disconnect_dpc() {
  for (Dpc& each : g_dpcs) static_cast<void>(each.dpc->remove());
  g_dpc_connected = false;
}

bool queue_dpc(std::uint32_t physical_adapter) {
  if (!g_dpc_connected) return false;
  Dpc& its = g_dpcs[physical_adapter];
  ++its.merged;
  return its.dpc->queue();
}

bool synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG message) {
  Synchronized call{routine, context};
  session().tap(ev::SyncEntered{.message = message});
  const bool result =
      nt::synchronize(&run_synchronized, &call, reinterpret_cast<const void*>(routine));
  session().tap(ev::SyncLeft{.result = result});
  return result;
}

}  // namespace wddm::host
