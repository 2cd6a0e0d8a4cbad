// The host side of __try/__except; the contract is in conformance/sdk/ddi/seh.h. Internal to the
// kernel.
#pragma once

#include "conformance/host/nt/core/machine.h"

namespace wddm::nt {

/// Installs the fault hook; part of boot().
void seh_boot();

/// While it lives, exceptions are not caught by __try blocks entered before: calls of the host into
/// the driver, ISRs and DPCs are not part of whatever they are nested in.
class SehBarrier {
 public:
  SehBarrier() : outer_(running().seh_top) { running().seh_top = nullptr; }
  ~SehBarrier() { running().seh_top = outer_; }
  SehBarrier(const SehBarrier&) = delete;
  SehBarrier& operator=(const SehBarrier&) = delete;

 private:
  void* outer_;
};

}  // namespace wddm::nt
