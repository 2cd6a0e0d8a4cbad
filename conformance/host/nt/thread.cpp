// System threads of drivers and work items.
#include "conformance/host/nt/threads.h"

namespace wddm::nt {
void threads_boot() {}
}  // namespace wddm::nt
