// A device that goes, and one that comes in its place or elsewhere.
#include <cstring>

#include "conformance/host/adapter/bus.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {

void Bus::pull_out() {
  if (device_ == nullptr) return;
  drain_log();
  gone_ = true;
  set_line(this, 0);
}

// One that reports writes takes its memory as it finds it.
void Bus::plug_in_again() {
  if (!gone_) return;
  device_->destroy(instance_);
  for (const BarPlace& bar : bars_) {
    if (bar.bytes != nullptr && !bar.reports_writes) std::memset(bar.bytes, 0, bar.size);
  }
  gone_ = false;
  make_device();
}

bool Bus::move(BarPlace& bar) {
  if (bar.size == 0) return false;
  if (bar.bytes == nullptr) return memory::bar_registers_move(bar.bus_address, bar.size);
  memory::BarMemory place{bar.bus_address, bar.bytes, bar.size};
  const auto content = bar.reports_writes ? memory::BarContent::Unused : memory::BarContent::Zero;
  if (!memory::bar_memory_move(place, content)) return false;
  bar.bus_address = place.bus_address;
  bar.bytes = place.bytes;
  return true;
}

bool Bus::move() {
  if (device_ == nullptr || gone_) return false;
  lead_->drain_log();
  device_->destroy(instance_);
  set_line(this, 0);
  bool any = false;
  for (BarPlace& bar : bars_) {
    const bool moved = move(bar);
    any |= moved;
    if (!moved && bar.bytes != nullptr && !bar.reports_writes) std::memset(bar.bytes, 0, bar.size);
  }
  make_device();
  moves_ += any;
  return any;
}

}  // namespace wddm::host
