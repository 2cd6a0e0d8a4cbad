#include "kmd_addressing.h"

#include "settings.h"

namespace reference_kmd {

namespace {

Addressing g_addressing = Addressing::PatchLists;

}  // namespace

void choose_addressing(PUNICODE_STRING service_key) {
  PAGED_CODE();
  ULONG value = 0;
  HANDLE key = open_key(service_key);
  if (key != nullptr) {
    read_dword(key, L"Addressing", &value);
    ZwClose(key);
  }
  const bool known = value <= static_cast<ULONG>(Addressing::PatchLists2);
  g_addressing = known ? static_cast<Addressing>(value) : Addressing::PatchLists;
}

Addressing addressing() {
  return g_addressing;
}

}  // namespace reference_kmd
