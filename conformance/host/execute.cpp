#include "conformance/host/execute.h"

#include <cstdlib>

#include "conformance/host/interpreter.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/plug_ins.h"
#include "conformance/host/witness.h"

namespace wddm::host {
namespace {

Session g_session;

struct Run {
  const ExecuteOptions& options;
};

// The GPU works while every thread of the driver waits: a DDI that waits for it comes back.
bool let_device_work(void* context) {
  return static_cast<World*>(context)->bus.advance(1) != 0;
}

void play(void* context) {
  const ExecuteOptions& options = static_cast<Run*>(context)->options;
  World world(device_plug_in(), client_plug_in());
  set_current_adapter(&world.adapter);
  nt::set_idle_hook(&let_device_work, &world);
  const WddmDevice* const device = device_plug_in();
  const WddmClient* const client = client_plug_in();
  g_session.tap(ev::PlugInsLoaded{
      .device = device != nullptr,
      .device_log = device != nullptr && device->log != nullptr,
      .scramble = device != nullptr && device->scramble != nullptr,
      .client = client != nullptr,
      .decoder = client != nullptr && client->decode != nullptr});
  Interpreter(world).run(options.configuration, options.scenario->ops);
  nt::report_leaks();
  HARNESS_ASSERT(nt::validate());
  g_session.tap(ev::Ended{.ops = static_cast<std::uint32_t>(options.scenario->ops.size())});
  nt::set_idle_hook(nullptr, nullptr);
  set_current_adapter(nullptr);
}

}  // namespace

Session& session() { return g_session; }

void execute(const ExecuteOptions& options, TraceWriter& trace) {
  memory::map();
  Interposer transparent;
  g_session.tap.attach(&trace);
  g_session.wire = options.interposer != nullptr ? options.interposer : &transparent;
  g_session.fault = options.oracle_fault;
  g_session.place = CallPlace::Ddi;
  Witness witness(g_session.tap);
  nt::boot(witness, nullptr);
  nt::clear_registry();
  Run run{options};
  nt::run(&play, &run);
}

}  // namespace wddm::host
