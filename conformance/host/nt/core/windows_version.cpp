#include "conformance/host/nt/core/windows_version.h"

namespace wddm::nt {
namespace {

WindowsVersion g_version = kWindows;

}  // namespace

WindowsVersion windows_version() {
  return g_version;
}

void set_windows_version(const WindowsVersion& version) {
  g_version = version;
}

}  // namespace wddm::nt
