// Drivers of a link that take another GPU than the one that a call names, in each argument that
// names one: the clause says so in its own scenario.
//
// Left out: queries of capabilities, which further_faults_test.cpp has.
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class LinkedFaults : public ReplayTest {
 protected:
  /// Whether the clause fires in its own scenario, played in a configuration with a link.
  bool fires(const char* id, const Fault* fault, Configured where = Configured::Linked,
             std::uint32_t variant = 0) {
    EXPECT_TRUE(find_rule(id)->played_in.has(where)) << id;
    std::vector<Op> settings =
        default_configurations(true).at(static_cast<std::size_t>(where)).settings;
    settings.push_back({.kind = OpKind::Configure,
                        .a = static_cast<std::uint8_t>(Setting::Variant),
                        .x = variant});
    return fires_in_its_own(id, settings, fault);
  }
  template <class Kind>
  bool fires(const char* id, Configured where = Configured::Linked) {
    const Fault fault = fault_of<Kind>();
    return fires(id, &fault, where);
  }
};

// -- PhysicalAdapterIndex

struct MapsWindowsOfTheLead final : Interposer {
  NTSTATUS MapCpuHostAperture(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE* map) override {
    DXGKARG_MAPCPUHOSTAPERTURE lead = *map;
    lead.PhysicalAdapterIndex = 0;
    return Interposer::MapCpuHostAperture(adapter, &lead);
  }
};

TEST_F(LinkedFaults, WindowsOfTheLeadAreMapped) {
  EXPECT_TRUE(fires<MapsWindowsOfTheLead>("PT-021", Configured::LinkedHostAperture));
}

struct UnmapsWindowsOfTheLead final : Interposer {
  NTSTATUS UnmapCpuHostAperture(HANDLE adapter,
                                const DXGKARG_UNMAPCPUHOSTAPERTURE* unmap) override {
    DXGKARG_UNMAPCPUHOSTAPERTURE lead = *unmap;
    lead.PhysicalAdapterIndex = 0;
    return Interposer::UnmapCpuHostAperture(adapter, &lead);
  }
};

TEST_F(LinkedFaults, WindowsOfTheLeadAreUnmapped) {
  EXPECT_TRUE(fires<UnmapsWindowsOfTheLead>("APER-006", Configured::LinkedHostAperture));
}

// -- EngineOrdinal

struct AsksTheLead final : Interposer {
  NTSTATUS QueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* query) override {
    DXGKARG_QUERYENGINESTATUS lead = *query;
    lead.EngineOrdinal = 0;
    const NTSTATUS status = Interposer::QueryEngineStatus(adapter, &lead);
    query->EngineStatus = lead.EngineStatus;
    return status;
  }
};

TEST_F(LinkedFaults, StatusOfTheLead) {
  EXPECT_TRUE(fires<AsksTheLead>("ENGRST-008"));
}

// -- what each GPU keeps of a process

TEST_F(LinkedFaults, TranslationsThatOnlyTheLeadForgets) {
  EXPECT_TRUE(fires("PROC-005", nullptr, Configured::Linked, 32));
}

}  // namespace
}  // namespace wddm::harness
