#include "conformance/host/adapter/plug_ins.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <memory>
#include <string>

#include "conformance/host/execute.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/image/image.h"
#include "reference/harness_assert.h"
#include "reference/types.h"

namespace wddm::host {
namespace {

std::unique_ptr<nt::Image> g_image;
bool g_kept = false;
const WddmDevice* g_device = nullptr;
const WddmClient* g_client = nullptr;

std::string beside_executable(const char* name) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  std::string directory(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  directory.resize(directory.rfind('/') + 1);
  return directory + name;
}

// Whether the BARs of one kind have room, laid out in order at multiples of their sizes.
bool bars_fit(const WddmDevice& device, bool with_memory, std::uint64_t room) {
  std::uint64_t end = 0;
  for (const WddmBar& bar : device.bars) {
    if (bar.size == 0 || (bar.memory != 0) != with_memory) continue;
    if (bar.size > room) return false;
    end = (end + bar.size - 1) / bar.size * bar.size + bar.size;
  }
  return end <= room;
}

// What device.h demands; null if all is well.
const char* trouble_with(const WddmDevice& device) {
  bool registers = false;
  for (const WddmBar& bar : device.bars) {
    if (bar.size == 0) continue;
    if (bar.size < kPageSize || (bar.size & (bar.size - 1)) != 0) {
      return "the size of a BAR is not a power of two of at least 4096";
    }
    registers |= bar.memory == 0;
  }
  if (!bars_fit(device, true, memory::kBarMemoryBytes)) return "the memory BARs exceed 4 GiB";
  if (!bars_fit(device, false, memory::kBarRegisterBytes))
    return "the register BARs exceed 768 MiB";
  if (device.create == nullptr) return "the table has no create()";
  if (device.destroy == nullptr) return "the table has no destroy()";
  if (device.advance == nullptr) return "the table has no advance()";
  if (registers && device.bar_read == nullptr) return "the table has no bar_read()";
  if (registers && device.bar_write == nullptr) return "the table has no bar_write()";
  return nullptr;
}

// What client.h demands.
const char* trouble_with(const WddmClient& client) {
  if (client.create == nullptr) return "the table has no create()";
  if (client.destroy == nullptr) return "the table has no destroy()";
  if (client.allocation_data == nullptr) return "the table has no allocation_data()";
  if (client.build == nullptr) return "the table has no build()";
  return nullptr;
}

// A plug-in's table, or null with one line in `error`.
template <class Table, class Entry>
const Table* open_plug_in(const std::string& path, const char* entry_name, std::uint32_t version,
                          std::string& error) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = path + ": cannot be loaded: " + dlerror();
    return nullptr;
  }
  const auto entry = reinterpret_cast<Entry>(dlsym(library, entry_name));
  if (entry == nullptr) {
    error = path + ": exports no " + entry_name;
    return nullptr;
  }
  const Table* const table = entry(version);
  if (table == nullptr || table->size < sizeof(Table) || table->version != version) {
    error = path + ": " + entry_name + " offers no table of version " + std::to_string(version) +
            "; rebuild it with the header of this wddmcheck";
    return nullptr;
  }
  if (const char* const trouble = trouble_with(*table); trouble != nullptr) {
    error = path + ": " + trouble;
    return nullptr;
  }
  return table;
}

}  // namespace

PDRIVER_INITIALIZE driver_entry() {
  return reinterpret_cast<PDRIVER_INITIALIZE>(g_image->driver_entry());
}
void keep_driver_pristine() {
  if (g_kept) return;
  g_image->snapshot();
  g_kept = true;
}
void restore_driver() {
  HARNESS_ASSERT(g_kept);
  g_image->restore();
}
bool is_of_driver(const void* address) {
  return g_image != nullptr && g_image->contains(address);
}
const WddmDevice* device_plug_in() {
  return g_device;
}
const WddmClient* client_plug_in() {
  return g_client;
}

bool load(const DriverUnderTest& what, std::string& error) {
  DriverUnderTest paths = what;
  if (paths.driver.empty()) {
    paths = {beside_executable("reference_kmd.so"), beside_executable("reference_device.so"),
             beside_executable("reference_client.so")};
  }
  if (!paths.device.empty()) {
    g_device = open_plug_in<WddmDevice, WddmDeviceEntryFunction>(paths.device, "WddmDeviceEntry",
                                                                 WDDM_DEVICE_VERSION, error);
    if (g_device == nullptr) return false;
  }
  if (!paths.client.empty()) {
    g_client = open_plug_in<WddmClient, WddmClientEntryFunction>(paths.client, "WddmClientEntry",
                                                                 WDDM_CLIENT_VERSION, error);
    if (g_client == nullptr) return false;
  }
  g_image = nt::Image::open(paths.driver, error);
  return g_image != nullptr;
}

}  // namespace wddm::host
