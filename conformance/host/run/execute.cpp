#include "conformance/host/execute.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/witness.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/windows_version.h"
#include "conformance/host/nt/registry/registry.h"
#include "conformance/host/run/interpreter.h"
#include "conformance/host/run/survived_crash.h"
#include "conformance/sdk/ddi/nt/registry.h"
#include "reference/digest.h"

namespace wddm::host {
namespace {

Session g_session;

struct Run {
  const ExecuteOptions& options;
  // In the arena, not in a frame of play(), which is left without unwinding when a run is stopped.
  World* world = nullptr;
};

// The GPU works while every thread of the driver waits: a DDI that waits for it comes back. Where
// nothing comes of it, time goes on beside it, or a forged command could keep a run for hours.
bool let_device_work(void* context) {
  World& world = *static_cast<World*>(context);
  auto& work = world.idle_work;
  if (work.since != world.vidsch.progress()) work = {world.vidsch.progress(), 0};
  if (work.units == kStuckAfterUnits) return false;
  ++work.units;
  return world.bus.advance(1) != 0;
}

// In a process of many runs the buffers that a driver gives back stay open, but for one of some
// runs that the scenario picks: enough of them meet a driver that holds on to what is not its own.
std::uint32_t closed_buffer(const Scenario& scenario) {
  constexpr std::uint32_t kAmong = 512;
  static_assert(std::has_unique_object_representations_v<Op>);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(scenario.ops.data());
  return static_cast<std::uint32_t>(1 + digest({bytes, scenario.ops.size() * sizeof(Op)}) % kAmong);
}

// Of a device that has everything nothing is told.
void tell_what_lacks(const WddmDevice* device) {
  if (device == nullptr) return;
  std::uint32_t missing = 0;
  const auto needs = [&missing](DevicePart part, bool there) {
    if (!there) missing |= static_cast<std::uint32_t>(part);
  };
  needs(DevicePart::MemoryRead, device->memory_read != nullptr);
  needs(DevicePart::Scramble, device->scramble != nullptr);
  needs(DevicePart::Power, device->power != nullptr);
  needs(DevicePart::TagBits, device->tag_bits != 0 || device->log == nullptr);
  if (missing != 0) g_session.tap(ev::DeviceLacks{.missing = missing});
}

void tell_of_package() {
  const std::string* const read = package_of_driver();
  if (read == nullptr) return;
  std::string entries = *read;
  g_session.wire->Package(entries);
  g_session.tap.text(ev::PackageRead{.entries = static_cast<std::uint32_t>(
                                         std::count(entries.begin(), entries.end(), '\n'))},
                     entries);
}

void play(void* context) {
  Run& run = *static_cast<Run*>(context);
  const ExecuteOptions& options = run.options;
  const WddmDevice* const device = device_plug_in();
  const WddmClient* const client = client_plug_in();
  void* const room = memory::arena_allocate(sizeof(World), alignof(World));
  World& world = *(run.world = new (room) World(device, client));
  set_current_adapter(&world.adapter);
  nt::set_idle_hook(&let_device_work, &world);
  g_session.tap(
      ev::PlugInsLoaded{.device = device != nullptr,
                        .device_log = device != nullptr && device->log != nullptr,
                        .scramble = device != nullptr && device->scramble != nullptr,
                        .client = client != nullptr,
                        .decoder = client != nullptr && client->decode != nullptr,
                        .entry_decoder = client != nullptr && client->decode_entry != nullptr,
                        .escapes = client != nullptr && client->escape_data != nullptr});
  tell_what_lacks(device);
  tell_of_package();
  if (interpret(world, options.configuration, options.scenario->ops)) nt::report_leaks();
  if (!nt::validate()) {
    // The driver wrote over what is the kernel's: nothing can go on from here.
    g_session.tap.text(ev::Crashed{}, "the kernel's own structures are damaged");
    std::_Exit(kChildStopped);
  }
  g_session.tap(ev::Ended{.ops = static_cast<std::uint32_t>(options.scenario->ops.size())});
  g_session.tap.close();
}

// Text is REG_SZ: UTF-16 with its terminator. ASCII alone comes from the command line.
void write_values(const ExecuteOptions& options) {
  nt::set_windows_version({options.windows.major, options.windows.minor, options.windows.build});
  for (const ServiceValue& value : options.values) {
    if (!value.is_text) {
      nt::set_registry_dword(value.name, value.number);
      continue;
    }
    const std::u16string text(value.text.begin(), value.text.end());
    nt::driver_key().set(std::u16string(value.name.begin(), value.name.end()), REG_SZ, text.c_str(),
                         (text.size() + 1) * sizeof(char16_t));
  }
}

}  // namespace

Session& session() {
  return g_session;
}

// One run, from an empty machine to an empty machine.
void run_once(const ExecuteOptions& options, TraceWriter& trace) {
  forget_crash();
  keep_driver_pristine();
  memory::map(
      options.process == Process::ManyRuns ? memory::GivenBack::Open : memory::GivenBack::Closed,
      closed_buffer(*options.scenario));
  Interposer transparent;
  g_session.tap.attach(&trace);
  g_session.wire = options.interposer != nullptr ? options.interposer : &transparent;
  seat_decision_fault(options.oracle_fault);
  g_session.callback_failure.disarm();
  g_session.process = options.process;
  g_session.read_contents = options.read_contents;
  Witness witness(g_session.tap);
  nt::boot(witness, nullptr);
  nt::clear_registry();
  write_values(options);
  Run run{options};
  nt::run(&play, &run);
  if (run.world != nullptr) run.world->~World();
  set_current_adapter(nullptr);
  if (options.process != Process::OneRun) restore_driver();
}

// What the driver needs, from a run that no fault disturbs. Its trace is taken back, unless the
// driver crashes in it: it is as good as another then.
void measure_needs(const ExecuteOptions& options, TraceWriter& trace) {
  ExecuteOptions undisturbed = options;
  undisturbed.process = Process::ManyRuns;
  undisturbed.interposer = nullptr;
  undisturbed.oracle_fault = OracleFault::None;
  g_session.needs.measure();
  TraceWriter measured = trace;
  run_once(undisturbed, measured);
  trace.clear();
  g_session.needs.apply();
}

void execute(const ExecuteOptions& options, TraceWriter& trace) {
  g_session.needs.forget();
  if (any_relative_size(options.scenario->ops)) measure_needs(options, trace);
  run_once(options, trace);
}

}  // namespace wddm::host
