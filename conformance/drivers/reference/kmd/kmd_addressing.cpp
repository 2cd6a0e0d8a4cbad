#include "kmd_addressing.h"

#include "settings.h"

namespace reference_kmd {

namespace {

Addressing g_addressing = Addressing::PatchLists;
ULONG g_linked = 0;
bool g_maps_by_address_lists = false;
bool g_tests_in_kernel_mode = false;
bool g_computes_only = false;
bool g_io_mmu_alone = false;
bool g_manages_power = false, g_can_be_pulled_out = false, g_can_be_isolated = false;
constexpr ULONG kIoMmuAlone = 2;

}  // namespace

void choose_addressing(PUNICODE_STRING service_key) {
  PAGED_CODE();
  ULONG value = 0, map_aperture2 = 0, compute_only = 0, io_mmu = 0;
  ULONG components = 0, removal = 0, secure_mode = 0, testing = 0;
  g_linked = 0;
  HANDLE key = open_key(service_key);
  if (key != nullptr) {
    read_dword(key, L"Addressing", &value);
    read_dword(key, L"LinkedAdapters", &g_linked);
    read_dword(key, L"MapAperture2", &map_aperture2);
    read_dword(key, L"ComputeOnly", &compute_only);
    read_dword(key, L"IoMmu", &io_mmu);
    read_dword(key, L"PowerComponents", &components);
    read_dword(key, L"SurpriseRemoval", &removal);
    read_dword(key, L"SecureMode", &secure_mode);
    read_dword(key, L"KernelModeTesting", &testing);
    ZwClose(key);
  }
  const bool known = value <= static_cast<ULONG>(Addressing::Contextless);
  g_addressing = known ? static_cast<Addressing>(value) : Addressing::PatchLists;
  g_maps_by_address_lists = uses_gpu_virtual_addresses() && map_aperture2 != 0;
  g_tests_in_kernel_mode = uses_gpu_virtual_addresses() && testing != 0;
  g_computes_only = is_wddm_2() && compute_only != 0;
  g_manages_power = computes_only() && components != 0;
  g_can_be_pulled_out = computes_only() && removal != 0;
  g_can_be_isolated = computes_only() && secure_mode != 0;
  g_io_mmu_alone = uses_gpu_virtual_addresses() && io_mmu == kIoMmuAlone;
}

ULONG gpus_of_link() {
  return uses_gpu_virtual_addresses() && g_linked == kMostLinked ? kMostLinked : 1;
}

bool computes_only() {
  return g_computes_only;
}

bool manages_power() {
  return g_manages_power;
}

bool can_be_pulled_out() {
  return g_can_be_pulled_out;
}

bool can_be_isolated() {
  return g_can_be_isolated;
}

bool io_mmu_alone() {
  return g_io_mmu_alone;
}

bool maps_by_address_lists() {
  return g_maps_by_address_lists;
}

bool tests_in_kernel_mode() {
  return g_tests_in_kernel_mode;
}

Addressing addressing() {
  return g_addressing;
}

}  // namespace reference_kmd
