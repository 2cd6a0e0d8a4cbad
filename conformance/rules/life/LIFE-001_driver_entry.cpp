// LIFE-001: DriverEntry registers and returns the DxgkInitialize status.

#include <algorithm>
#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/rule.h"

namespace wddm::life_001 {
namespace {

// Those of kits that were released, oldest first.
constexpr std::uint32_t kVersions[] = {
    DXGKDDI_INTERFACE_VERSION_VISTA,
    DXGKDDI_INTERFACE_VERSION_VISTA_SP1,
    DXGKDDI_INTERFACE_VERSION_WIN7,
    DXGKDDI_INTERFACE_VERSION_WIN8,
    DXGKDDI_INTERFACE_VERSION_WDDM1_3,
    DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION,
    DXGKDDI_INTERFACE_VERSION_WDDM2_0,
    DXGKDDI_INTERFACE_VERSION_WDDM2_1,
    DXGKDDI_INTERFACE_VERSION_WDDM2_1_5,
    DXGKDDI_INTERFACE_VERSION_WDDM2_1_6,
    DXGKDDI_INTERFACE_VERSION_WDDM2_2,
    DXGKDDI_INTERFACE_VERSION_WDDM2_3,
    DXGKDDI_INTERFACE_VERSION_WDDM2_4,
    DXGKDDI_INTERFACE_VERSION_WDDM2_5,
    DXGKDDI_INTERFACE_VERSION_WDDM2_6,
    DXGKDDI_INTERFACE_VERSION_WDDM2_7,
    DXGKDDI_INTERFACE_VERSION_WDDM2_8,
    DXGKDDI_INTERFACE_VERSION_WDDM2_9,
    DXGKDDI_INTERFACE_VERSION_WDDM3_0,
    DXGKDDI_INTERFACE_VERSION_WDDM3_1,
    DXGKDDI_INTERFACE_VERSION_WDDM3_2,
};

// One behind the last may be that of a newer kit than is known here.
bool is_version(std::uint32_t version) {
  return version > std::end(kVersions)[-1] ||
         std::binary_search(std::begin(kVersions), std::end(kVersions), version);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntryReturned>()) {
    const auto entry = trace.at<ev::EntryReturned>(index);
    // It may find no memory, say, before it comes to register.
    if (entry.initialize_calls == 0 && !NT_SUCCESS(static_cast<NTSTATUS>(entry.status))) continue;
    judgement.reached(index);
    if (entry.initialize_calls != 1) {
      judgement.fail(index, "DriverEntry calls DxgkInitialize once",
                     std::to_string(entry.initialize_calls) + " calls");
      continue;
    }
    if (entry.status != entry.initialize_status) {
      judgement.fail(index,
                     "DriverEntry returns the status of DxgkInitialize, " +
                         status_name(entry.initialize_status),
                     status_name(entry.status));
    }
    if (entry.same_object == 0 || entry.same_path == 0) {
      judgement.fail(index, "DxgkInitialize gets DriverEntry's own DriverObject and RegistryPath",
                     "another pointer");
    }
    if (!is_version(entry.version)) {
      judgement.fail(index, "the DXGKDDI_INTERFACE_VERSION of a kit in Version",
                     hex_text(entry.version));
    }
    if (entry.reserved_set != 0) {
      judgement.fail(index, "members reserved for the system are zero",
                     std::to_string(entry.reserved_set) + " of them are set");
    }
  }
}

// A driver that ignores a failing DxgkInitialize.
class AlwaysSucceeds final : public Interposer {
 public:
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    static_cast<void>(Interposer::DriverEntry(entry, object, path));
    return STATUS_SUCCESS;
  }
};

const Rule kRule{
    .id = "LIFE-001",
    .title = "DriverEntry registers and returns the DxgkInitialize status",
    .rule =
        "DriverEntry calls DxgkInitialize once with its own DriverObject and "
        "RegistryPath and a DRIVER_INITIALIZATION_DATA whose Version is the "
        "DXGKDDI_INTERFACE_VERSION it was built with and whose reserved members are "
        "zero, and returns exactly the status that DxgkInitialize returned. It may fail "
        "before that call.",
    .sources =
        "driverentry-of-display-miniport-driver.md # Remarks\n"
        "initializing-the-display-miniport-driver.md\n"
        "ns-dispmprt-_driver_initialization_data.md # Version\n"
        "wddm-2-1-features.md # interface version constants",
    .note =
        "Versions of kits that were never released count as none; one that is higher than all that "
        "are known here is not judged. RegistryPath is freed when DriverEntry has returned: a key "
        "that is named by it later is NT-BadParameter.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: DxgkInitialize fails
ops:
- initialize_status: {status: 0xC0000001}
- start
)",
    .control = R"(
about: DxgkInitialize succeeds
ops:
- start
)",
    .fault = {.about = "DriverEntry returns STATUS_SUCCESS whatever DxgkInitialize returned",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlwaysSucceeds); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_001
