// What the kernel costs: switches, services, locks, a whole machine.
#include <benchmark/benchmark.h>

#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

// Runs `body(state)` as application 0 of a fresh machine.
template <typename Body>
void in_machine(benchmark::State& state, Body body) {
  test::run_machine([&] { body(state); });
}

void switches(benchmark::State& state) {
  HostEvent ping(true);
  HostEvent pong(true);
  auto other = [&] {
    for (;;) {
      ping.wait("ping");
      pong.set();
    }
  };
  in_machine(state, [&](benchmark::State& s) {
    test::spawn("other", other);
    for (auto _ : s) {
      ping.set();
      pong.wait("pong");
    }
  });
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(switches);

void service_entry(benchmark::State& state) {
  in_machine(state, [](benchmark::State& s) {
    for (auto _ : s) benchmark::DoNotOptimize(KeGetCurrentIrql());
  });
}
BENCHMARK(service_entry);

void interlocked_increment(benchmark::State& state) {
  LONG value = 0;
  in_machine(state, [&](benchmark::State& s) {
    for (auto _ : s) InterlockedIncrement(&value);
  });
}
BENCHMARK(interlocked_increment);

void spin_lock(benchmark::State& state) {
  in_machine(state, [](benchmark::State& s) {
    KSPIN_LOCK lock = 0;
    KIRQL old;
    for (auto _ : s) {
      KeAcquireSpinLock(&lock, &old);
      KeReleaseSpinLock(&lock, old);
    }
  });
}
BENCHMARK(spin_lock);

void interrupt_and_dpc(benchmark::State& state) {
  HostDpc dpc(
      "dpc", [](void*) {}, nullptr);
  in_machine(state, [&](benchmark::State& s) {
    connect_interrupt(
        [](void* context, std::uint32_t) { return static_cast<HostDpc*>(context)->queue(); }, &dpc);
    for (auto _ : s) {
      raise_message(0);
      benchmark::DoNotOptimize(KeGetCurrentIrql());
    }
  });
}
BENCHMARK(interrupt_and_dpc);

// Boot, one driver thread that is left waiting, end.
void whole_machine(benchmark::State& state) {
  test::Recorder recorder;
  HostEvent never(false);
  memory::map();
  for (auto _ : state) {
    memory::reset();
    boot(recorder, nullptr);
    run(
        [](void* event) {
          spawn_host_thread(
              "leftover", [](void* e) { static_cast<HostEvent*>(e)->wait("never"); }, event);
          settle();
        },
        &never);
  }
}
BENCHMARK(whole_machine);

}  // namespace
}  // namespace wddm::nt

BENCHMARK_MAIN();
