// Which allocation has the patterns that stand for what a client lacks, for each device.
//
// The marker allocation has them. With patch lists it is open on the first device alone: another
// device has an allocation of its own for them, in the last slot in which none lies, made when a
// render needs it first. It ends with its device, or by an op that names its slot; who needs
// patterns then gets another.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/render/repertoire.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"

namespace wddm::host {

class VidMmWorker;

class PatternPlaces {
 public:
  PatternPlaces(Objects& objects, VidMmWorker& vidmm, PredictedMemory& memory)
      : objects_(objects), vidmm_(vidmm), memory_(memory) {
    begin();
  }

  /// The adapter runs: no device has one.
  void begin() { own_.fill(kNoAllocation); }
  /// The CPU writes them into an allocation that nothing has used yet. False if it cannot.
  bool write(AllocationId id, const Repertoire& repertoire);
  /// That of a device which the marker allocation is not open on; kNoAllocation: it can have none.
  [[nodiscard]] AllocationId own_of(DeviceId device, const Repertoire& repertoire);

 private:
  [[nodiscard]] bool serves(DeviceId device, AllocationId id) const;
  [[nodiscard]] AllocationId make(DeviceId device, const Repertoire& repertoire);

  Objects& objects_;
  VidMmWorker& vidmm_;
  PredictedMemory& memory_;
  PerDevice<AllocationId> own_;
};

}  // namespace wddm::host
