#include "conformance/host/adapter/plug_in_tables.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "conformance/host/memory/memory.h"
#include "reference/types.h"

namespace wddm::host {
namespace {

// How much of what has `given` bytes can be read into a T.
template <class T>
std::size_t common_bytes(std::uint32_t given) {
  return std::min<std::size_t>(given, sizeof(T));
}

// What both contracts demand of any table; `entry` and `header` tell the author what to look at.
template <class Table>
std::string trouble_with_version(const Table* table, std::uint32_t expected, const char* entry,
                                 const char* header) {
  const std::string remedy =
      "; rebuild it with conformance/sdk/" + std::string(header) + " of this wddmcheck";
  if (table == nullptr) {
    return std::string(entry) + " offers no table to a host of version " +
           std::to_string(expected) + remedy;
  }
  if (table->version != expected) {
    return std::string(entry) + " offers a table of version " + std::to_string(table->version) +
           ", and version " + std::to_string(expected) + " is expected" + remedy;
  }
  return {};
}

template <class Table>
void copy_known(const Table& given, Table& out) {
  out = {};
  std::memcpy(&out, &given, common_bytes<Table>(given.size));
}

// Whether the BARs of one kind have room, laid out in order at multiples of their sizes.
bool bars_fit(const DeviceTable& device, bool with_memory, std::uint64_t room) {
  std::uint64_t end = 0;
  for (const WddmBar& bar : device.bars) {
    if (bar.size == 0 || (bar.memory != 0) != with_memory) continue;
    if (bar.size > room) return false;
    end = (end + bar.size - 1) / bar.size * bar.size + bar.size;
  }
  return end <= room;
}

const char* take_bars(DeviceTable& device) {
  WddmDevice& table = device.table;
  device.bars = {};
  if (table.bar_count > WDDM_DEVICE_MAX_BARS) return "the table has more than 6 BARs";
  if (table.bar_count != 0 && table.bars == nullptr) return "the table has no bars";
  if (table.bar_count != 0 && table.bar_stride == 0) return "the BARs have no bar_stride";
  const auto* const first = reinterpret_cast<const std::uint8_t*>(table.bars);
  for (std::uint32_t i = 0; i < table.bar_count; ++i) {
    std::memcpy(&device.bars[i], first + std::size_t{i} * table.bar_stride,
                common_bytes<WddmBar>(table.bar_stride));
  }
  table.bars = device.bars.data();
  table.bar_count = WDDM_DEVICE_MAX_BARS;
  table.bar_stride = sizeof(WddmBar);
  return nullptr;
}

// Numbers that the capabilities of PCI can say.
const char* trouble_with_messages(const WddmDevice& table) {
  constexpr std::uint32_t kMostOfMsi = 32, kMostOfTable = 2048;
  if (table.messages == 0) return nullptr;
  if (table.message_table != 0) {
    return table.messages > kMostOfTable ? "MSI-X has at most 2048 messages" : nullptr;
  }
  return std::has_single_bit(table.messages) && table.messages <= kMostOfMsi
             ? nullptr
             : "MSI has 1, 2, 4, 8, 16 or 32 messages";
}

// What device.h demands; null if all is well.
const char* trouble_with(const DeviceTable& device) {
  bool registers = false;
  for (const WddmBar& bar : device.bars) {
    if (bar.size == 0) continue;
    if (bar.size < kPageSize || (bar.size & (bar.size - 1)) != 0) {
      return "the size of a BAR is not a power of two of at least 4096";
    }
    registers |= bar.memory == 0;
  }
  if (!bars_fit(device, true, memory::kBarMemoryBytes)) return "the memory BARs exceed 4 GiB";
  if (!bars_fit(device, false, memory::kBarRegisterBytes)) {
    return "the register BARs exceed 768 MiB";
  }
  if (device.table.create == nullptr) return "the table has no create()";
  if (device.table.destroy == nullptr) return "the table has no destroy()";
  if (device.table.advance == nullptr) return "the table has no advance()";
  if (registers && device.table.bar_read == nullptr) return "the table has no bar_read()";
  if (registers && device.table.bar_write == nullptr) return "the table has no bar_write()";
  return trouble_with_messages(device.table);
}

// What client.h demands.
const char* trouble_with(const WddmClient& client) {
  if (client.create == nullptr) return "the table has no create()";
  if (client.destroy == nullptr) return "the table has no destroy()";
  if (client.allocation_data == nullptr) return "the table has no allocation_data()";
  if (client.build == nullptr) return "the table has no build()";
  return nullptr;
}

std::string or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

std::string take_table(const WddmDevice* given, DeviceTable& out) {
  std::string trouble =
      trouble_with_version(given, WDDM_DEVICE_VERSION, "WddmDeviceEntry", "device.h");
  if (!trouble.empty()) return trouble;
  copy_known(*given, out.table);
  if (const char* const bars = take_bars(out); bars != nullptr) return bars;
  return or_empty(trouble_with(out));
}

std::string take_table(const WddmClient* given, WddmClient& out) {
  std::string trouble =
      trouble_with_version(given, WDDM_CLIENT_VERSION, "WddmClientEntry", "client.h");
  if (!trouble.empty()) return trouble;
  copy_known(*given, out);
  return or_empty(trouble_with(out));
}

}  // namespace wddm::host
