// The one place of the harness that knows what an interposer is.
#include "conformance/harness/isolate/child.h"
#include "conformance/host/interposer.h"

namespace wddm::harness {

std::shared_ptr<Interposer> make_interposer(const Fault& fault) {
  return fault.interposer();
}

}  // namespace wddm::harness
