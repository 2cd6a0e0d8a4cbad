// Drivers that end another object than the one that was named: as long as all go in the end, this
// shows by the use of what has gone.
#include <algorithm>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class MixedUpHandles : public ReplayTest {
 protected:
  static Scenario scenario_in(Configured configured) {
    return with_settings(scenario_of(find_rule("LIFE-007")->scenario), settings_of(configured));
  }
};

enum class Which { Oldest, Newest };

// Those that live, in the order in which they came.
template <Which kWhich>
class Living {
 public:
  void came(HANDLE handle) { all_.push_back(handle); }
  /// Which of them goes, where `named` should; null if that is none of them.
  HANDLE goes(HANDLE named) {
    if (std::find(all_.begin(), all_.end(), named) == all_.end()) return nullptr;
    const auto victim = kWhich == Which::Oldest ? all_.begin() : all_.end() - 1;
    const HANDLE handle = *victim;
    all_.erase(victim);
    return handle;
  }

 private:
  std::vector<HANDLE> all_;
};

template <Which kWhich>
struct EndsAnotherContext final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && !create->Flags.SystemContext) living_.came(create->hContext);
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    const HANDLE victim = living_.goes(context);
    return Interposer::DestroyContext(victim != nullptr ? victim : context);
  }
  Living<kWhich> living_;
};

template <Which kWhich>
struct EndsAnotherDevice final : Interposer {
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    const bool system = create->Flags.SystemDevice;
    const NTSTATUS status = Interposer::CreateDevice(adapter, create);
    if (NT_SUCCESS(status) && !system) living_.came(create->hDevice);
    return status;
  }
  NTSTATUS DestroyDevice(HANDLE device) override {
    const HANDLE victim = living_.goes(device);
    return Interposer::DestroyDevice(victim != nullptr ? victim : device);
  }
  Living<kWhich> living_;
};

TEST_F(MixedUpHandles, NothingFiresWhereTheNamedOneGoes) {
  EXPECT_TRUE(run(scenario_in(Configured::Default)).failures.empty());
  EXPECT_TRUE(run(scenario_in(Configured::GpuVirtual)).failures.empty());
}

TEST_F(MixedUpHandles, AnotherContextGoes) {
  for (const Fault& fault : {fault_of<EndsAnotherContext<Which::Oldest>>(),
                             fault_of<EndsAnotherContext<Which::Newest>>()}) {
    expect_failure_or_crash(scenario_in(Configured::Default), fault);
    expect_failure_or_crash(scenario_in(Configured::GpuVirtual), fault);
  }
}

TEST_F(MixedUpHandles, AnotherDeviceGoes) {
  for (const Fault& fault : {fault_of<EndsAnotherDevice<Which::Oldest>>(),
                             fault_of<EndsAnotherDevice<Which::Newest>>()}) {
    expect_failure_or_crash(scenario_in(Configured::Default), fault);
    expect_failure_or_crash(scenario_in(Configured::GpuVirtual), fault);
  }
}

}  // namespace
}  // namespace wddm::harness
