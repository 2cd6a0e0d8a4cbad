// A stub loads its import's name and jumps to one piece of assembly, which keeps the return address
// in the driver at hand and reports the call.
#include "conformance/host/nt/image/image_stubs.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

extern "C" {

// Called with the stack as the driver's call left it. STATUS_NOT_IMPLEMENTED is a failure for
// whoever expects a status, and faults at once for whoever expects a pointer.
__attribute__((used)) std::uint64_t wddm_missing_import_called(const char* name,
                                                               const void* caller) {
  wddm::nt::report(wddm::nt::FindingKind::MissingImport, name, "the host does not offer it",
                   caller);
  return 0xc0000002;
}

void wddm_missing_import_entry();
__asm__(
    ".text\n"
    ".globl wddm_missing_import_entry\n"
    ".type wddm_missing_import_entry,@function\n"
    "wddm_missing_import_entry:\n"
    "  movq %r11, %rdi\n"
    "  movq (%rsp), %rsi\n"
    "  jmp wddm_missing_import_called@PLT\n"
    ".size wddm_missing_import_entry, .-wddm_missing_import_entry\n");

}  // extern "C"

namespace wddm::nt {
namespace {

struct [[gnu::packed]] Stub {
  std::uint8_t load_name[2] = {0x49, 0xbb};  // movabs $name, %r11
  const char* name;
  std::uint8_t load_entry[2] = {0x48, 0xb8};  // movabs $entry, %rax
  void (*entry)() = wddm_missing_import_entry;
  std::uint8_t jump[2] = {0xff, 0xe0};  // jmp *%rax
  std::uint8_t padding[10] = {};
};
static_assert(sizeof(Stub) == 32);

}  // namespace

std::vector<void*> make_import_stubs(const std::vector<std::string>& names) {
  std::vector<void*> stubs;
  if (names.empty()) return stubs;
  // The names follow the stubs in the same pages.
  std::size_t bytes = names.size() * sizeof(Stub);
  for (const std::string& name : names) bytes += name.size() + 1;
  void* code = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  HARNESS_ASSERT(code != MAP_FAILED);
  auto* at = static_cast<std::uint8_t*>(code);
  auto* text = static_cast<char*>(code) + names.size() * sizeof(Stub);
  for (const std::string& name : names) {
    Stub stub;
    stub.name = text;
    std::memcpy(at, &stub, sizeof stub);
    stubs.push_back(at);
    at += sizeof stub;
    text = std::copy_n(name.c_str(), name.size() + 1, text);
  }
  HARNESS_ASSERT(mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0);
  return stubs;
}

}  // namespace wddm::nt
