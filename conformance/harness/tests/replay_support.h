// What tests over the real host share: scenarios from text, faults from interposers, and a replayer
// with the built-in driver loaded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "conformance/drivers/reference/device/variants/device_variant.h"
#include "conformance/harness/isolate/replayer.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {

template <class Kind>
Fault fault_of() {
  return {.about = "", .interposer = [] { return std::unique_ptr<Interposer>(new Kind); }};
}

/// Hardware that takes every packet with GPU virtual addresses for one that is to run nothing.
struct RunsNothing final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (!submit->Flags.Paging) altered.Flags.NullRendering = 1;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
};

/// Every allocation is evicted through aperture segment 1.
struct EvictsThroughTheAperture : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      create->pAllocationInfo[i].EvictionSegmentSet = 1u << 1;
    }
    return status;
  }
};

/// Settings of the built-in driver that a test is played with.
struct Shape {
  const char* name;
  const char* settings;  ///< `configure` ops
};
inline void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

inline Scenario scenario_of(const std::string& text) {
  Scenario scenario;
  TextError error;
  EXPECT_TRUE(parse_scenario(text, "scenario", scenario, error)) << error.message;
  return scenario;
}

/// Settings of the built-in driver: "Addressing=1,PageTableLevels=4", a configuration that clauses
/// are played in, or the one that the clause's own fault is played in.
inline std::vector<Op> settings_of(const char* text) {
  Configuration configuration;
  std::string error;
  EXPECT_TRUE(parse_configuration(text, configuration, error)) << error;
  return configuration.settings;
}
inline std::vector<Op> settings_of(Configured configured) {
  return default_configurations(true).at(static_cast<std::size_t>(configured)).settings;
}
inline std::vector<Op> settings_of_fault(const char* id) {
  return configuration_of_fault(*find_rule(id)).settings;
}

class ReplayTest : public testing::Test {
 protected:
  // Once in a process, whichever suites of it run.
  static void SetUpTestSuite() {
    static std::string error;
    static const bool loaded =
        host::load({WDDM_DRIVER_FILE, WDDM_DEVICE_FILE, WDDM_CLIENT_FILE}, error);
    ASSERT_TRUE(loaded) << error;
  }

  const Judged& run(const Scenario& scenario, const Fault* fault = nullptr) {
    return replayer_.run({.scenario = &scenario,
                          .fault = fault,
                          .device_variable = reference_device::kDeviceVariantVariable});
  }
  /// Whether the clause fires in its own scenario.
  bool fires_in_its_own(const char* id, const std::vector<Op>& settings, const Fault* fault) {
    return says(run(with_settings(scenario_of(find_rule(id)->scenario), settings), fault), id);
  }
  template <class Kind>
  bool fires(const char* id) {
    const Fault fault = fault_of<Kind>();
    return fires_in_its_own(id, settings_of_fault(id), &fault);
  }
  template <class Kind>
  bool fires(const char* id, const char* settings) {
    const Fault fault = fault_of<Kind>();
    return fires_in_its_own(id, settings_of(settings), &fault);
  }
  /// ... which has to be one that the clause is played in.
  template <class Kind>
  bool fires(const char* id, Configured where) {
    EXPECT_TRUE(find_rule(id)->played_in.has(where)) << id;
    const Fault fault = fault_of<Kind>();
    return fires_in_its_own(id, settings_of(where), &fault);
  }
  /// Whether `id` fires in the scenario of another clause.
  template <class Kind>
  bool fires_in_that_of(const char* other, const char* id) {
    const Fault fault = fault_of<Kind>();
    return says(
        run(with_settings(scenario_of(find_rule(other)->scenario), settings_of_fault(other)),
            &fault),
        id);
  }
  static bool says(const Judged& judged, const char* id) {
    return std::any_of(judged.failures.begin(), judged.failures.end(),
                       [id](const Failure& failure) { return failure.id == id; });
  }
  // ---- Of the trace of the last run.
  template <class Payload>
  std::size_t count() const {
    return replayer_.trace().of<Payload>().size();
  }
  template <class Payload>
  std::vector<Payload> seen() const {
    std::vector<Payload> all;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<Payload>()) all.push_back(trace.at<Payload>(index));
    return all;
  }
  /// The fates of packets of renders, in order; one that went back is in it twice.
  std::vector<PacketFate> fates() const {
    std::vector<PacketFate> all;
    for (const ev::PacketEnded& ended : seen<ev::PacketEnded>()) {
      if (ended.paging == 0) all.push_back(static_cast<PacketFate>(ended.fate));
    }
    return all;
  }
  /// Why ops were skipped.
  std::vector<std::string> skipped() const {
    std::vector<std::string> all;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::OpSkipped>()) {
      all.emplace_back(trace.blob_text(trace.events()[index]));
    }
    return all;
  }

  /// What is gone is used: a clause says so, or the driver crashes.
  void expect_failure_or_crash(const Scenario& scenario, const Fault& fault) {
    EXPECT_DEATH(
        {
          if (!run(scenario, &fault).failures.empty()) std::abort();
        },
        "");
  }

  Replayer replayer_;
};

}  // namespace wddm::harness
