#include "conformance/host/adapter/shared_line.h"

#include "conformance/host/nt/core/kernel.h"

namespace wddm::host {

void share_the_line(Adapter& adapter) {
  const Bus& bus = adapter.bus();
  if (!bus.present() || !bus.has_line() || bus.sends_messages() || bus.line_is_high()) return;
  if (adapter.physical_adapters() > 1) return;
  nt::raise_message(0);
  nt::settle();
}

}  // namespace wddm::host
