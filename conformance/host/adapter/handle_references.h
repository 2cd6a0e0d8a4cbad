// References that drivers hold on what handles name: DxgkCbAcquireHandleData gives them,
// DxgkCbReleaseHandleData takes them back.
#pragma once

#include <d3dkmddi.h>

#include <cstdint>
#include <vector>

namespace wddm::host {

class HandleReferences {
 public:
  /// Counts and tells it. Returns the release handle.
  [[nodiscard]] DXGKARG_RELEASE_HANDLE acquire(D3DKMT_HANDLE object);
  /// Tells it, whatever the driver hands in.
  void release(DXGKARG_RELEASE_HANDLE handle);

 private:
  struct Reference {
    D3DKMT_HANDLE object;
    bool held;
  };
  std::vector<Reference> references_;
};

}  // namespace wddm::host
