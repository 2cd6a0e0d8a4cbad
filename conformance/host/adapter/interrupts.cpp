#include "conformance/host/adapter/interrupts.h"

#include <optional>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/nt/sync/dpc.h"

namespace wddm::host {
namespace {

std::optional<nt::HostDpc> g_dpc;
// QueueDpc calls since the DPC last ran; more than one means that interrupts merged.
std::uint32_t g_merged = 0;
// Between start and stop. A stopped adapter has no context for the routine.
bool g_dpc_connected = false;

bool isr(void* context, std::uint32_t message) {
  auto& adapter = *static_cast<Adapter*>(context);
  if (!may_call(DdiId::InterruptRoutine)) return false;
  session().tap(ev::IsrEntered{.message = message});
  BOOLEAN claimed;
  enter_driver(DdiId::InterruptRoutine, CallPlace::Isr, DdiRow<DdiId::InterruptRoutine>::kIrql,
               [&] { claimed = session().wire->InterruptRoutine(adapter.miniport(), message); });
  session().tap(ev::IsrLeft{.claimed = claimed != FALSE});
  return claimed != FALSE;
}

void dpc(void* context) {
  auto& adapter = *static_cast<Adapter*>(context);
  const std::uint32_t merged = g_merged;
  g_merged = 0;
  if (!may_call(DdiId::DpcRoutine)) return;
  session().tap(ev::DpcEntered{.merged = merged});
  enter_driver(DdiId::DpcRoutine, CallPlace::Dpc, DdiRow<DdiId::DpcRoutine>::kIrql,
               [&] { session().wire->DpcRoutine(adapter.miniport()); });
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
  g_merged = 0;
  g_dpc_connected = true;
  g_dpc.emplace("DxgkDdiDpcRoutine", &dpc, &adapter);
  nt::connect_interrupt(&isr, &adapter);
}

void disconnect_dpc() {
  static_cast<void>(g_dpc->remove());
  g_dpc_connected = false;
}

bool queue_dpc() {
  if (!g_dpc_connected) return false;
  ++g_merged;
  return g_dpc->queue();
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
