#include "conformance/host/interposer.h"

namespace wddm {

// What ddi.h says in numbers of its own, because the oracle knows no headers of drivers.
static_assert(static_cast<ULONG>(InterfaceVersion::Vista) == DXGKDDI_INTERFACE_VERSION_VISTA);
static_assert(static_cast<ULONG>(InterfaceVersion::Win7) == DXGKDDI_INTERFACE_VERSION_WIN7);
static_assert(static_cast<ULONG>(InterfaceVersion::Win8) == DXGKDDI_INTERFACE_VERSION_WIN8);
static_assert(static_cast<ULONG>(InterfaceVersion::Wddm1_3) == DXGKDDI_INTERFACE_VERSION_WDDM1_3);
static_assert(static_cast<ULONG>(InterfaceVersion::Wddm2_0) == DXGKDDI_INTERFACE_VERSION_WDDM2_0);
static_assert(static_cast<ULONG>(InterfaceVersion::Wddm2_2) == DXGKDDI_INTERFACE_VERSION_WDDM2_2);
static_assert(static_cast<ULONG>(InterfaceVersion::Wddm2_4) == DXGKDDI_INTERFACE_VERSION_WDDM2_4);
static_assert(static_cast<ULONG>(InterfaceVersion::Wddm3_2) == DXGKDDI_INTERFACE_VERSION_WDDM3_2);

bool Interposer::has(DdiId ddi) const {
  switch (ddi) {
#define FIELD(...)
#define EXPORT(name, ...) \
  case DdiId::name:       \
    return true;
#define DDI(name, ...) \
  case DdiId::name:    \
    return driver.DxgkDdi##name != nullptr;
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
  }
  return false;
}

}  // namespace wddm
