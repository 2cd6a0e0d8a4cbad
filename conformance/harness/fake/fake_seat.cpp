// Stands in for interposer_seat.cpp as long as there are no DDI headers to build it with.
#include "conformance/harness/child.h"

namespace wddm::harness {

std::shared_ptr<Interposer> make_interposer(const Fault&) {
  return nullptr;
}

}  // namespace wddm::harness
