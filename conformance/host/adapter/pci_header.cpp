#include "conformance/host/adapter/pci_header.h"

#include <bit>
#include <cstddef>

namespace wddm::host {
namespace {

constexpr std::size_t kCommand = 0x04, kStatus = 0x06, kRevision = 0x08, kClass = 0x09;
constexpr std::size_t kBars = 0x10, kBarsEnd = 0x28, kSubsystem = 0x2c;
constexpr std::size_t kCapabilities = 0x34, kInterruptPin = 0x3d;
constexpr std::size_t kPower = 0x40, kMessages = 0x50, kExpress = 0x70;

constexpr std::uint16_t kMemoryAndMaster = 0x0006, kHasCapabilities = 0x0010;
constexpr std::uint32_t kDisplayController = 0x038000;  // other than VGA
constexpr std::uint32_t kMemory64Prefetchable = 0xc;
constexpr std::uint8_t kPowerId = 0x01, kMessagesId = 0x05, kExpressId = 0x10;

class Writer {
 public:
  explicit Writer(PciHeader& header) : header_(header) {}
  void put(std::size_t at, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      header_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

 private:
  PciHeader& header_;
};

void put_bars(Writer& out, std::span<const Bus::BarPlace> bars) {
  std::size_t at = kBars;
  for (const Bus::BarPlace& bar : bars) {
    const bool memory = bar.bytes != nullptr;
    const std::size_t bytes = memory ? 8 : 4;
    if (bar.size == 0 || at + bytes > kBarsEnd) continue;
    out.put(at, bar.bus_address | (memory ? kMemory64Prefetchable : 0), bytes);
    at += bytes;
  }
}

// 64-bit addresses; how many messages the device has, and how many of them, if any, it was granted.
std::uint64_t message_control(std::uint32_t messages) {
  constexpr std::uint64_t k64BitAddresses = 0x0080, kEnabled = 0x0001;
  if (messages == 0) return k64BitAddresses;
  const auto log = static_cast<std::uint64_t>(std::countr_zero(messages));
  return k64BitAddresses | kEnabled | log << 1 | log << 4;
}

// Each names the next; the last one 0.
void put_capabilities(Writer& out, const WddmDevice& device) {
  const bool has_table = device.messages != 0 && device.message_table != 0;
  out.put(kCapabilities, kPower, 1);
  out.put(kPower, kPowerId | (has_table ? kExpress : kMessages) << 8, 2);
  out.put(kPower + 2, 0x0603, 2);  // version 3, D0, D1, D2 and D3hot
  if (!has_table) {
    out.put(kMessages, kMessagesId | kExpress << 8, 2);
    out.put(kMessages + 2, message_control(device.messages), 2);
  }
  out.put(kExpress, kExpressId, 2);
  out.put(kExpress + 2, 0x0002, 2);  // version 2, an endpoint
}

}  // namespace

PciHeader pci_header(const WddmDevice& device, std::span<const Bus::BarPlace> bars) {
  PciHeader header{};
  Writer out(header);
  out.put(0, device.vendor_id, 2);
  out.put(2, device.device_id, 2);
  out.put(kCommand, kMemoryAndMaster, 2);
  out.put(kStatus, kHasCapabilities, 2);
  out.put(kRevision, 0, 1);
  out.put(kClass, kDisplayController, 3);
  put_bars(out, bars);
  out.put(kSubsystem, device.vendor_id, 2);
  out.put(kSubsystem + 2, device.device_id, 2);
  out.put(kInterruptPin, 1, 1);  // INTA
  put_capabilities(out, device);
  return header;
}

}  // namespace wddm::host
