// Everything that crosses the boundary, one method each: the seat of boundary faults.
//
// Order at the boundary: host -> tap -> interposer -> driver, for calls and for callbacks, so that
// the trace holds what the host saw. The default passes everything on unchanged. A fault overrides
// one method and alters arguments, results or callbacks; it works on any driver.
#pragma once

#include <d3dkmddi.h>
#include <dispmprt.h>

#include <string>

#include "reference/trace/ddi.h"

namespace wddm {

class Interposer {
 public:
  virtual ~Interposer() = default;

  /// The table that the driver gave to DxgkInitialize. Set by the host before the first call.
  DRIVER_INITIALIZATION_DATA driver{};

  // Calls into the driver, one for each row of ddi.def and made of it: Render(context, render) and
  // so on. Who calls makes sure that the entry exists (has).
#define FIELD(...)
#define EXPORT(...)
#define DDI(name, since, irql, level, presence, object, result, parameters, arguments, ...) \
  virtual result name parameters {                                                          \
    return driver.DxgkDdi##name arguments;                                                  \
  }
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
  // The rows without an entry. This one is found by its name.
  virtual NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                               PUNICODE_STRING path) {
    return entry(object, path);
  }
  // Those that are found in interfaces which the driver gives.
  virtual NTSTATUS QueryFeatureSupport(PDXGKDDI_QUERYFEATURESUPPORT entry, HANDLE adapter,
                                       DXGKARG_QUERYFEATURESUPPORT* support) {
    return entry(adapter, support);
  }
  virtual NTSTATUS QueryFeatureInterface(PDXGKDDI_QUERYFEATUREINTERFACE entry, HANDLE adapter,
                                         DXGKARG_QUERYFEATUREINTERFACE* query) {
    return entry(adapter, query);
  }
  virtual NTSTATUS BuildTestCommandBuffer(PDXGKDDI_BUILDTESTCOMMANDBUFFER entry, HANDLE adapter,
                                          DXGKARG_BUILDTESTCOMMANDBUFFER* build) {
    return entry(adapter, build);
  }

  /// Whether the driver has filled the entry.
  [[nodiscard]] bool has(DdiId ddi) const;

  // Callbacks of the driver: what Dxgkrnl is told.
  virtual void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data);
  virtual void NotifyDpc(HANDLE adapter);
  virtual BOOLEAN QueueDpc(HANDLE adapter);
  virtual NTSTATUS UnmapMemory(HANDLE adapter, PVOID address);
  virtual void CompleteFStateTransition(HANDLE adapter, UINT component);

  /// What the INF of the driver's package says (ev::PackageRead), where there is one.
  virtual void Package(std::string&) {}
  /// What its image imports of the memory manager (ev::MemoryImports), where somebody asks.
  virtual void MemoryImports(std::string&) {}
};

}  // namespace wddm
