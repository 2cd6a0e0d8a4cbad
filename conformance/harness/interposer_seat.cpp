// The one place of the harness that knows what an interposer is.
#include <memory>

#include "conformance/harness/child.h"
#include "conformance/host/interposer.h"

namespace wddm::harness {

Interposer* make_interposer(const Fault& fault) {
  static std::unique_ptr<Interposer> latest;
  // The one before may still be in use by a driver that was broken off, so it is not destroyed.
  (void)latest.release();
  latest = fault.interposer();
  return latest.get();
}

}  // namespace wddm::harness
