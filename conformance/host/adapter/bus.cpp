#include "conformance/host/adapter/bus.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/adapter/pci_header.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/boundary/witness.h"
#include "conformance/host/nt/core/foreign_call.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "conformance/host/vidsch/fault_recovery.h"
#include "conformance/host/vidsch/log_tags.h"
#include "reference/harness_assert.h"
#include "reference/types.h"

namespace wddm::host {

Bus::Bus(const WddmDevice* device) : device_(device), lead_(this) {
  nt::set_register_hook({&Bus::register_read, &Bus::register_write, this});
  nt::set_pci_identity(device_ ? device_->vendor_id : 0xffff,
                       device_ ? device_->device_id : 0xffff);
  build();
}

Bus::Bus(const WddmDevice* device, Bus& lead, std::uint32_t index)
    : device_(device), lead_(&lead), index_(index) {
  build();
}

void Bus::plug_in() {
  const std::uint32_t index = devices();
  of(index - 1).next_.reset(new Bus(device_, *this, index));
}

std::uint32_t Bus::devices() const {
  return next_ == nullptr ? index_ + 1 : next_->devices();
}

Bus& Bus::of(std::uint32_t physical_adapter) {
  Bus* bus = this;
  while (bus->index_ != physical_adapter) bus = bus->next_.get();
  return *bus;
}

const Bus& Bus::of(std::uint32_t physical_adapter) const {
  return const_cast<Bus*>(this)->of(physical_adapter);
}

void Bus::build() {
  services_ = {.size = sizeof(WddmDeviceHost),
               .version = WDDM_DEVICE_VERSION,
               .host = this,
               .dma_read = &Bus::dma_read,
               .dma_write = &Bus::dma_write,
               .set_interrupt_line = &Bus::set_line,
               .raise_message = &Bus::raise_message,
               .memory_written = &Bus::memory_written,
               .dma_read_pasid = &Bus::dma_read_pasid,
               .dma_write_pasid = &Bus::dma_write_pasid,
               .bar_address = &Bus::bar_address};
  if (device_ == nullptr) return;
  HARNESS_ASSERT(device_->bar_count <= bars_.size());
  HARNESS_ASSERT(device_->bar_count == 0 || device_->bar_stride == sizeof(WddmBar));
  for (std::size_t i = 0; i < device_->bar_count; ++i) {
    const WddmBar& bar = device_->bars[i];
    if (bar.size == 0) continue;
    if (bar.memory != 0) {
      const auto content =
          bar.reports_writes != 0 ? memory::BarContent::Unused : memory::BarContent::Zero;
      const memory::BarMemory place = memory::bar_memory_allocate(bar.size, content);
      bars_[i] = {place.bus_address, place.size, place.bytes, bar.reports_writes != 0};
    } else {
      bars_[i] = {memory::bar_registers_allocate(bar.size), bar.size, nullptr};
    }
  }
  make_device();
}

void Bus::make_device() {
  std::array<void*, WDDM_DEVICE_MAX_BARS> memory_bars{};
  for (std::size_t i = 0; i < bars_.size(); ++i) memory_bars[i] = bars_[i].bytes;
  instance_ = device_->create(&services_, memory_bars.data());
  if (instance_ == nullptr) {
    session().tap.text(ev::Crashed{}, "create() of the device plug-in returned null");
    end_run();
  }
}

Bus::~Bus() {
  if (device_ != nullptr) device_->destroy(instance_);
}

std::uint32_t Bus::power(bool on) {
  constexpr std::uint32_t kD0 = 0, kD3 = 3;
  const std::uint32_t others = next_ == nullptr ? 0 : next_->power(on);
  if (device_ == nullptr || device_->power == nullptr || gone_) return others;
  // What it has logged is of before.
  drain_own_log();
  nt::call_foreign([&] { device_->power(instance_, on ? kD0 : kD3); });
  return others + (on ? 0 : 1);
}

bool Bus::there(std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes, bool write) const {
  if (!gone_) return true;
  session().tap(ev::GoneDeviceTouched{.offset = offset,
                                      .bar = bar,
                                      .bytes = bytes,
                                      .write = write,
                                      .place = static_cast<std::uint32_t>(call_place()),
                                      .physical_adapter = index_});
  return false;
}

Bus::Accesses Bus::take_accesses() {
  Accesses sum = std::exchange(accesses_, {});
  if (next_ == nullptr) return sum;
  const Accesses others = next_->take_accesses();
  return {sum.reads + others.reads, sum.writes + others.writes};
}

const Bus::BarPlace* Bus::memory_bar(std::uint64_t bus_address, std::uint64_t bytes) const {
  for (const BarPlace& bar : bars_) {
    if (bar.bytes == nullptr || bus_address < bar.bus_address) continue;
    const std::uint64_t offset = bus_address - bar.bus_address;
    if (offset <= bar.size && bytes <= bar.size - offset) return &bar;
  }
  return next_ == nullptr ? nullptr : next_->memory_bar(bus_address, bytes);
}

std::uint8_t* Bus::memory_at(std::uint64_t bus_address, std::uint64_t bytes) const {
  const BarPlace* const bar = memory_bar(bus_address, bytes);
  return bar != nullptr ? bar->bytes + (bus_address - bar->bus_address) : nullptr;
}

bool Bus::writes_known(std::uint64_t bus_address, std::uint64_t bytes) const {
  const BarPlace* const bar = memory_bar(bus_address, bytes);
  return bar != nullptr && bar->reports_writes;
}

bool Bus::begins_unused(std::uint64_t bus_address, std::uint64_t bytes) const {
  const BarPlace* const bar = memory_bar(bus_address, bytes);
  return bar != nullptr && bar->reports_writes && bar->size <= memory::kMostUnusedBytes;
}

std::uint8_t* Bus::peer_memory(std::uint64_t bus_address, std::uint64_t bytes) const {
  if (lead_->next_ == nullptr || bytes == 0) return nullptr;
  return lead_->memory_at(bus_address, bytes);
}

std::uint64_t Bus::cpu_read(std::uint64_t bus_address) {
  std::uint64_t value = 0;
  if (const std::uint8_t* const bytes = memory_at(bus_address, sizeof(value))) {
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  return register_read(this, bus_address, sizeof(value));
}

void Bus::cpu_write(std::uint64_t bus_address, std::uint64_t value) {
  if (std::uint8_t* const bytes = memory_at(bus_address, sizeof(value))) {
    std::memcpy(bytes, &value, sizeof(value));
    memory::note_written(bus_address, sizeof(value));
    return;
  }
  register_write(this, bus_address, sizeof(value), value);
}

std::uint32_t Bus::advance(std::uint32_t units) {
  if (device_ == nullptr || gone_ || lead_->stands_) return 0;
  std::uint32_t used = 0;
  // The device may interrupt the driver.
  nt::call_foreign([&] { used = device_->advance(instance_, units); });
  if (next_ != nullptr) return std::max(used, next_->advance(units));
  lead_->drain_log();
  return used;
}

void Bus::scramble(EngineId engine) {
  if (!has_scramble()) return;
  device_->scramble(of(engine.physical_adapter).instance_, engine.node.value, scramble_seed_++);
}

// What the device says lies over what any PCI device says.
std::uint32_t Bus::config_read(std::uint32_t offset, void* buffer, std::uint32_t bytes) const {
  std::memset(buffer, 0xff, bytes);
  if (device_ == nullptr || gone_) return bytes;
  const PciHeader header = pci_header(*device_, bars_);
  if (offset < header.size()) {
    std::memcpy(buffer, header.data() + offset,
                std::min<std::size_t>(bytes, header.size() - offset));
  }
  if (device_->config_read != nullptr) {
    device_->config_read(instance_, offset, buffer, bytes);
  }
  return bytes;
}

std::uint64_t Bus::bar_address(void* host, std::uint32_t bar) {
  const Bus& bus = *static_cast<const Bus*>(host);
  return bar < bus.bars_.size() ? bus.bars_[bar].bus_address : 0;
}

std::uint32_t Bus::config_write(std::uint32_t offset, const void* buffer, std::uint32_t bytes) {
  if (device_ == nullptr || gone_ || device_->config_write == nullptr) return 0;
  return device_->config_write(instance_, offset, buffer, bytes);
}

std::uint32_t Bus::take_interrupt_count() {
  const std::uint32_t count = interrupts_;
  interrupts_ = 0;
  return next_ == nullptr ? count : count + next_->take_interrupt_count();
}

int Bus::dma_read(void* host, std::uint64_t address, void* buffer, std::uint32_t bytes) {
  if (const std::uint8_t* const peer = static_cast<Bus*>(host)->peer_memory(address, bytes)) {
    std::memcpy(buffer, peer, bytes);
    return 0;
  }
  ++static_cast<Bus*>(host)->accesses_.reads;
  static_cast<Bus*>(host)->accesses_system_memory(address, false);
  if (memory::physical_read(address, buffer, bytes)) return 0;
  std::memset(buffer, 0, bytes);
  session().tap.finding(nt::FindingKind::DmaOutsideMemory,
                        "device read of system memory that nobody gave it");
  return -1;
}

int Bus::dma_write(void* host, std::uint64_t address, const void* buffer, std::uint32_t bytes) {
  if (std::uint8_t* const peer = static_cast<Bus*>(host)->peer_memory(address, bytes)) {
    std::memcpy(peer, buffer, bytes);
    memory::note_written(address, bytes);
    return 0;
  }
  ++static_cast<Bus*>(host)->accesses_.writes;
  static_cast<Bus*>(host)->accesses_system_memory(address, true);
  if (memory::physical_write(address, buffer, bytes)) return 0;
  session().tap.finding(nt::FindingKind::DmaOutsideMemory,
                        "device write to system memory that nobody gave it");
  return -1;
}

int Bus::dma_read_pasid(void* host, std::uint32_t node, std::uint32_t pasid, std::uint64_t address,
                        void* buffer, std::uint32_t bytes) {
  auto& bus = *static_cast<Bus*>(host);
  ++bus.accesses_.reads;
  ProcessMemory* const memory = bus.lead_->process_memory_;
  const std::span into(static_cast<std::uint8_t*>(buffer), bytes);
  if (memory != nullptr && memory->read({bus.index_, node, pasid}, address, into)) return 0;
  std::memset(buffer, 0, bytes);
  return -1;
}

int Bus::dma_write_pasid(void* host, std::uint32_t node, std::uint32_t pasid, std::uint64_t address,
                         const void* buffer, std::uint32_t bytes) {
  auto& bus = *static_cast<Bus*>(host);
  ++bus.accesses_.writes;
  ProcessMemory* const memory = bus.lead_->process_memory_;
  const std::span from(static_cast<const std::uint8_t*>(buffer), bytes);
  return memory != nullptr && memory->write({bus.index_, node, pasid}, address, from) ? 0 : -1;
}

void Bus::set_line(void* host, int level) {
  auto& bus = *static_cast<Bus*>(host);
  if (level != 0 && !bus.line_) ++bus.interrupts_;
  bus.line_ = level != 0;
  bus.has_line_ |= bus.line_;
  bool any = false;
  for (const Bus* each = bus.lead_; each != nullptr; each = each->next_.get()) any |= each->line_;
  nt::set_interrupt_line(any);
}

void Bus::raise_message(void* host, std::uint32_t message) {
  auto& bus = *static_cast<Bus*>(host);
  if (bus.messages() != 0 && message >= bus.messages()) return;
  ++bus.interrupts_;
  bus.sends_messages_ = true;
  const std::uint32_t own = message & ((1u << kMessageAdapterShift) - 1);
  nt::raise_message(own | bus.index_ << kMessageAdapterShift);
}

void Bus::memory_written(void* host, std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes) {
  const auto& bus = *static_cast<Bus*>(host);
  if (bar >= bus.bars_.size() || bytes == 0) return;
  const BarPlace& place = bus.bars_[bar];
  if (place.bytes == nullptr || offset >= place.size || bytes > place.size - offset) return;
  memory::note_written(place.bus_address + offset, bytes);
}

std::uint64_t Bus::register_read(void* context, std::uint64_t bus_address, std::uint32_t bytes) {
  auto& bus = *static_cast<Bus*>(context);
  for (std::uint32_t i = 0; i < bus.bars_.size(); ++i) {
    const BarPlace& bar = bus.bars_[i];
    if (bar.size == 0 || bar.bytes != nullptr || bus_address < bar.bus_address) continue;
    const std::uint64_t offset = bus_address - bar.bus_address;
    if (offset >= bar.size) continue;
    if (!bus.there(i, offset, bytes, false)) return ~std::uint64_t{0};
    ++bus.lead_->register_accesses_;
    const std::uint64_t value = bus.device_->bar_read(bus.instance_, i, offset, bytes);
    bus.lead_->drain_log();
    return value;
  }
  if (bus.next_ != nullptr) return register_read(bus.next_.get(), bus_address, bytes);
  return ~std::uint64_t{0};
}

void Bus::register_write(void* context, std::uint64_t bus_address, std::uint32_t bytes,
                         std::uint64_t value) {
  auto& bus = *static_cast<Bus*>(context);
  for (std::uint32_t i = 0; i < bus.bars_.size(); ++i) {
    const BarPlace& bar = bus.bars_[i];
    if (bar.size == 0 || bar.bytes != nullptr || bus_address < bar.bus_address) continue;
    const std::uint64_t offset = bus_address - bar.bus_address;
    if (offset < bar.size) {
      if (!bus.there(i, offset, bytes, true)) return;
      ++bus.lead_->register_accesses_;
      bus.device_->bar_write(bus.instance_, i, offset, bytes, value);
      bus.lead_->drain_log();
      return;
    }
  }
  if (bus.next_ != nullptr) register_write(bus.next_.get(), bus_address, bytes, value);
}

void Bus::drain_log() {
  if (process_memory_ != nullptr) process_memory_->report();
  drain_own_log();
  if (next_ != nullptr) next_->drain_log();
}

void Bus::drain_own_log() {
  if (!has_log() || gone_) return;
  for (;;) {
    // Emptied each time: a device built with an older header leaves out what it doesn't know.
    WddmDeviceEvent record{};
    record.size = sizeof(record);
    if (device_->log(instance_, &record) != 1) return;
    if (record.kind == WDDM_DEVICE_WALK && lead_->walks_ != nullptr) {
      lead_->walks_->walked(record, index_);
      continue;
    }
    record.tag = fence_of(record, index_, device_->tag_bits);
    session().tap(ev::DeviceLogged{.address = record.address,
                                   .kind = record.kind,
                                   .node = record.node,
                                   .tag = record.tag,
                                   .length = record.length,
                                   .engine = index_});
    switch (record.kind) {
      case WDDM_DEVICE_PAGE_FAULT:
        note_page_fault(record, index_);
        break;
      default:  // DeviceLogged says it all
        break;
    }
  }
}

// -- a device that goes, and one that comes in its place or elsewhere

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
