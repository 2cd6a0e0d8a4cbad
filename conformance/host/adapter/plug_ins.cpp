#include "conformance/host/adapter/plug_ins.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "conformance/host/adapter/package.h"
#include "conformance/host/adapter/plug_in_tables.h"
#include "conformance/host/execute.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/image/image.h"
#include "conformance/host/nt/image/load_error.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

std::unique_ptr<nt::Image> g_image;
bool g_kept = false;
DeviceTable g_device_table;
WddmClient g_client_table;
const WddmDevice* g_device = nullptr;
const WddmClient* g_client = nullptr;
std::optional<std::string> g_package;
std::string g_memory_imports;

std::string beside_executable(const char* name) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  std::string directory(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  directory.resize(directory.rfind('/') + 1);
  return directory + name;
}

// Loads a plug-in and reads its table. False with one line in `error` if that can't be done.
template <class Entry, class Table>
bool open_plug_in(const std::string& path, const char* entry_name, std::uint32_t version,
                  Table& table, std::string& error) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = path + ": cannot be loaded: " + nt::explained_load_error(dlerror());
    return false;
  }
  const auto entry = reinterpret_cast<Entry>(dlsym(library, entry_name));
  if (entry == nullptr) {
    error = path + ": exports no " + entry_name;
    return false;
  }
  const std::string trouble = take_table(entry(version), table);
  if (!trouble.empty()) error = path + ": " + trouble;
  return trouble.empty();
}

}  // namespace

PDRIVER_INITIALIZE driver_entry() {
  if (g_image == nullptr) return nullptr;
  return reinterpret_cast<PDRIVER_INITIALIZE>(g_image->driver_entry());
}
void keep_driver_pristine() {
  if (g_kept || g_image == nullptr) return;
  g_image->snapshot();
  g_kept = true;
}
void restore_driver() {
  if (g_image == nullptr) return;
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

const std::string* memory_imports_of_driver() {
  return g_image != nullptr ? &g_memory_imports : nullptr;
}

const std::string* package_of_driver() {
  return g_package ? &*g_package : nullptr;
}

bool load(const DriverUnderTest& what, std::string& error) {
  DriverUnderTest paths = what;
  if (paths.driver.empty()) {
    paths = {beside_executable("reference_kmd.so"), beside_executable("reference_device.so"),
             what.client.empty() ? beside_executable("reference_client.so") : what.client,
             what.inf.empty() ? beside_executable("reference.inf") : what.inf};
  }
  g_package.reset();
  if (!paths.inf.empty()) {
    std::string package;
    if (!read_package(paths.inf, package, error)) return false;
    g_package = std::move(package);
  }
  if (!paths.device.empty()) {
    if (!open_plug_in<WddmDeviceEntryFunction>(paths.device, "WddmDeviceEntry", WDDM_DEVICE_VERSION,
                                               g_device_table, error)) {
      return false;
    }
    g_device = &g_device_table.table;
  }
  if (!paths.client.empty()) {
    if (!open_plug_in<WddmClientEntryFunction>(paths.client, "WddmClientEntry", WDDM_CLIENT_VERSION,
                                               g_client_table, error)) {
      return false;
    }
    g_client = &g_client_table;
  }
  g_kept = false;
  g_image = nt::Image::open(paths.driver, error);
  if (g_image == nullptr) return false;
  nt::set_driver_code(is_of_driver);
  g_memory_imports.clear();
  for (const std::string& name : g_image->imports()) {
    if (name.starts_with("Mm")) g_memory_imports += name + '\n';
  }
  return true;
}

}  // namespace wddm::host
