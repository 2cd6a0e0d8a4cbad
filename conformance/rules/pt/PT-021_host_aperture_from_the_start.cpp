// PT-021: the CPU host aperture can be mapped before there is anything but segments.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::pt_021 {
namespace {

constexpr std::uint32_t kSupportsCpuHostAperture = 1u << 13;

bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::HostApertureMapped>()) {
    const auto mapped = trace.at<ev::HostApertureMapped>(index);
    judgement.reached(index);
    const auto segment = [&] {
      return " for pages of segment " + std::to_string(mapped.segment) + " of GPU " +
             std::to_string(mapped.physical_adapter);
    };
    if (!succeeded(mapped.status)) {
      judgement.fail(index, "MapCpuHostAperture works without an allocation",
                     status_name(mapped.status) + segment());
    } else if (mapped.wrong != 0) {
      judgement.fail(index, "every aperture page shows the page that stands beside it in the lists",
                     std::to_string(mapped.wrong) + " of " + std::to_string(mapped.compared) +
                         " bytes are others, first at aperture page " +
                         std::to_string(mapped.first_wrong) + segment());
    } else if (!succeeded(mapped.unmap_status)) {
      judgement.fail(index, "UnmapCpuHostAperture works without an allocation",
                     status_name(mapped.unmap_status) + segment());
    }
  }
}

NotApplicable host_aperture(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::MapCpuHostAperture)) return reason;
  for (const PlatformSegment& segment : platform.segments) {
    if ((segment.flags.value & kSupportsCpuHostAperture) != 0) return nullptr;
  }
  if (platform.linked_adapters > 1) return nullptr;  // those are GPU 0's, others have their own
  return "no CPU host aperture: no segment supports one";
}

// A driver that sets its aperture up with the first device.
class SetUpLate final : public Interposer {
 public:
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    ready_ = true;
    return Interposer::CreateDevice(adapter, create);
  }
  NTSTATUS MapCpuHostAperture(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE* map) override {
    return ready_ ? Interposer::MapCpuHostAperture(adapter, map) : STATUS_UNSUCCESSFUL;
  }

 private:
  bool ready_ = false;
};

const Rule kRule{
    .id = "PT-021",
    .aliases = "APER-002 APER-003 APER-004",
    .title = "The CPU host aperture can reach page tables from the start",
    .evidence = Evidence::Memory,
    .rule =
        "MapCpuHostAperture and UnmapCpuHostAperture work as soon as segments have been queried, "
        "before there is a process, device or allocation, on each GPU of a link, and take "
        "hAllocation NULL. Each listed "
        "aperture page then shows the segment page listed beside it, in whatever order they lie.",
    .sources =
        "cpu-host-aperature.md\n"
        "ns-d3dkmddi-_dxgkarg_mapcpuhostaperture.md",
    .note =
        "What is written through some pages of the aperture is read through others after a second "
        "mapping, so that the segment itself need not be seen. Apertures and segments of fewer "
        "than three pages are left out.",
    .applies = host_aperture,
    .check = check,
    .played_in = {Configured::Services, Configured::LinkedHostAperture},
    .scenario = R"(
about: the adapter starts, twice
ops:
- start
- stop
- start
)",
    .control = R"(
about: the same, with work afterwards
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "the aperture is set up with the first device",
              .interposer = [] { return std::unique_ptr<Interposer>(new SetUpLate); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_021
