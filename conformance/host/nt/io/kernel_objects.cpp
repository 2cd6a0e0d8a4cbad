// The object and handle tables. See objects.h.
#include "conformance/host/nt/io/kernel_objects.h"

#include <vector>

#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/threads.h"
#include "reference/harness_assert.h"

namespace wddm::nt {
namespace {

struct Entry {
  const ObjectType* type;
  void* body;
  std::uint32_t ordinal;     // among objects of its type, from 0
  std::uint32_t references;  // handles included
  std::uint32_t handles;
  bool host;
};

constexpr std::uint64_t kHandleBase = 0xffffffff80000000;
constexpr std::uint64_t kHandleStep = 4;

std::vector<Entry> g_objects;
std::vector<void*> g_handles;  // index: handle number; null: closed

Entry* find(const void* body) {
  for (Entry& entry : g_objects)
    if (entry.body == body) return &entry;
  return nullptr;
}

void drop(Entry& entry) {
  if (--entry.references != 0) return;
  const Entry gone = entry;
  entry = g_objects.back();
  g_objects.pop_back();
  if (gone.type->destroy != nullptr) gone.type->destroy(gone.body);
}

void** slot_of(std::uint64_t handle) {
  const std::uint64_t number = (handle - kHandleBase) / kHandleStep;
  if (handle < kHandleBase || handle % kHandleStep != 0) return nullptr;
  if (number == 0 || number > g_handles.size()) return nullptr;
  void** slot = &g_handles[number - 1];
  return *slot != nullptr ? slot : nullptr;
}

}  // namespace

void objects_boot() {
  g_objects.clear();
  g_handles.clear();
}

void object_create(const ObjectType& type, void* body, bool host) {
  HARNESS_ASSERT(find(body) == nullptr);
  std::uint32_t ordinal = 0;
  for (const Entry& entry : g_objects)
    if (entry.type == &type && entry.ordinal >= ordinal) ordinal = entry.ordinal + 1;
  g_objects.push_back({&type, body, ordinal, 1, 0, host});
}

std::uint64_t handle_open(void* body) {
  Entry* entry = find(body);
  HARNESS_ASSERT(entry != nullptr);
  ++entry->references;
  ++entry->handles;
  g_handles.push_back(body);
  return kHandleBase + g_handles.size() * kHandleStep;
}

bool handle_close(std::uint64_t handle) {
  void** slot = slot_of(handle);
  if (slot == nullptr) return false;
  Entry* entry = find(*slot);
  HARNESS_ASSERT(entry != nullptr && entry->handles != 0);
  *slot = nullptr;
  --entry->handles;
  drop(*entry);
  return true;
}

void* handle_body(std::uint64_t handle, const ObjectType* type) {
  void** slot = slot_of(handle);
  if (slot == nullptr) return nullptr;
  const Entry* entry = find(*slot);
  HARNESS_ASSERT(entry != nullptr);
  return type == nullptr || entry->type == type ? *slot : nullptr;
}

const ObjectType* object_type(const void* body) {
  const Entry* entry = find(body);
  return entry != nullptr ? entry->type : nullptr;
}

bool object_reference(void* body) {
  Entry* entry = find(body);
  if (entry == nullptr) return false;
  ++entry->references;
  return true;
}

std::uint32_t object_references(const void* body) {
  const Entry* entry = find(body);
  return entry != nullptr ? entry->references : 0;
}

bool object_dereference(void* body) {
  Entry* entry = find(body);
  // References of handles and of the host are not the caller's to give back.
  if (entry == nullptr || entry->references <= entry->handles + (entry->host ? 1 : 0)) return false;
  drop(*entry);
  return true;
}

void object_release(void* body) {
  Entry* entry = find(body);
  HARNESS_ASSERT(entry != nullptr && entry->host);
  entry->host = false;
  drop(*entry);
}

void report_object_leaks() {
  for (const Entry& entry : g_objects) {
    const std::uint32_t own = entry.references - entry.handles;
    const std::uint32_t expected = entry.host ? 1 : 0;
    if (entry.handles != 0) leak(entry.type->name, "handle", entry.handles);
    if (own > expected) leak(entry.type->name, "reference", own - expected);
  }
}

}  // namespace wddm::nt
