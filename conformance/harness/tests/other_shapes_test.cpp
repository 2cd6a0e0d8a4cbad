// The scenarios of all rules on drivers of other shapes than the built-in one: what they name by
// role is there, or is skipped, and nothing accuses the driver.
//
// Whether they still show their faults there is left out: a clause about two nodes shows nothing on
// a driver with one.
#include <utility>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"
#include "reference/platform.h"

namespace wddm::harness {
namespace {

class OtherShapes : public ReplayTest {
 protected:
  /// "CLAUSE in control of RULE", a line each.
  template <class Shape>
  std::string fired(const Configuration& configuration = {}) {
    const Fault fault = fault_of<Shape>();
    std::string all;
    for (const Rule* const rule : all_rules()) {
      for (const auto& [which, text] :
           {std::pair{"scenario", rule->scenario}, std::pair{"control", rule->control}}) {
        for (const Failure& failure : run(played(text, configuration), &fault).failures) {
          all += failure.id + " in " + which + " of " + rule->id + "\n";
        }
      }
    }
    return all;
  }
  /// The clauses that judge nothing in their own scenario.
  template <class Shape>
  std::string unreached(const Configuration& configuration = {}) {
    const Fault fault = fault_of<Shape>();
    std::string all;
    for (std::size_t i = 0; i < all_rules().size(); ++i) {
      const Rule& rule = *all_rules()[i];
      if (run(played(rule.scenario, configuration), &fault).rules.at(i).reached == 0) {
        all += std::string(rule.id) + "\n";
      }
    }
    return all;
  }

 private:
  static Scenario played(const std::string& text, const Configuration& configuration) {
    return with_settings(scenario_of(text), configuration.settings);
  }
};

struct OneNode final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
      auto* const caps = static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
      caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
      caps->MemoryManagementCaps.PagingNode = 0;
    }
    return status;
  }
  NTSTATUS GetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* data) override {
    if ((node & 0xffff) != 0) return STATUS_INVALID_PARAMETER;
    return Interposer::GetNodeMetadata(adapter, node, data);
  }
};

TEST_F(OtherShapes, OneNode) {
  EXPECT_EQ(fired<OneNode>(), "");
  EXPECT_EQ(platform_of(replayer_.trace()).nodes, 1u);
}

// The driver's own code cares for no SegmentId but 0.
struct ApertureFirst final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT3) return status;
    const auto& out = *static_cast<DXGK_QUERYSEGMENTOUT3*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr) return status;
    std::swap(out.pSegmentDescriptor[0], out.pSegmentDescriptor[1]);
    return status;
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      info.SupportedReadSegmentSet = swapped(info.SupportedReadSegmentSet);
      info.SupportedWriteSegmentSet = swapped(info.SupportedWriteSegmentSet);
      info.PreferredSegment.SegmentId0 = other(info.PreferredSegment.SegmentId0);
      info.PreferredSegment.SegmentId1 = other(info.PreferredSegment.SegmentId1);
    }
    return status;
  }
  static UINT swapped(UINT set) { return (set & 1) << 1 | (set & 2) >> 1; }
  static UINT other(UINT segment) { return segment == 0 ? 0 : 3 - segment; }
};

TEST_F(OtherShapes, ApertureFirst) {
  EXPECT_EQ(fired<ApertureFirst>(), "");
  EXPECT_TRUE(platform_of(replayer_.trace()).segments.at(0).flags.aperture());
}

TEST_F(OtherShapes, ApertureFirstHidesNoClause) {
  EXPECT_EQ(unreached<ApertureFirst>(), unreached<Interposer>());
}

// Its GPU fetches all commands through the aperture: the built-in driver has settings for that.
Configuration buffers_in_aperture() {
  Configuration configuration;
  std::string error;
  EXPECT_TRUE(
      parse_configuration("DmaBuffersInAperture=1,PagingBuffersInAperture=1", configuration, error))
      << error;
  return configuration;
}

TEST_F(OtherShapes, BuffersInAperture) {
  EXPECT_EQ(fired<Interposer>(buffers_in_aperture()), "");
}

TEST_F(OtherShapes, BuffersInApertureHideNoClause) {
  EXPECT_EQ(unreached<Interposer>(buffers_in_aperture()), unreached<Interposer>());
}

struct NoAperture final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT3)
      return Interposer::QueryAdapterInfo(adapter, query);
    auto& out = *static_cast<DXGK_QUERYSEGMENTOUT3*>(query->pOutputData);
    DXGK_SEGMENTDESCRIPTOR3 both[2]{};
    DXGK_SEGMENTDESCRIPTOR3* const asked = out.pSegmentDescriptor;
    if (asked != nullptr) {
      out.pSegmentDescriptor = both;
      out.NbSegment = 2;
    }
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (asked != nullptr) asked[0] = both[0];
    out.pSegmentDescriptor = asked;
    out.NbSegment = 1;
    return status;
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1;
      info.PreferredSegment.Value = 0;
      info.PreferredSegment.SegmentId0 = 1;
    }
    return status;
  }
};

TEST_F(OtherShapes, NoAperture) {
  EXPECT_EQ(fired<NoAperture>(), "");
  EXPECT_EQ(platform_of(replayer_.trace()).segments.size(), 1u);
}

}  // namespace
}  // namespace wddm::harness
