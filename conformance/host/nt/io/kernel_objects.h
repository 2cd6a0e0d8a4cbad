// Kernel objects with references and handles (ObReferenceObject*, ObDereferenceObject, ZwClose).
//
// The body belongs to whoever made the object; the table knows its address. Ordinals count objects
// of a type in order of creation, so that reports need no address. Internal to the kernel.
#pragma once

#include <cstdint>

namespace wddm::nt {

struct ObjectType {
  const char* name;
  /// Called once, when the last reference and the last handle are gone. May be null.
  void (*destroy)(void* body);
};

/// Adds an object with one reference. `host`: it is the host's own, which neither counts as a leak
/// nor can be given back by the driver.
void object_create(const ObjectType& type, void* body, bool host);
/// A kernel handle (0xffffffff8000xxxx) to a known object; takes a reference of its own.
[[nodiscard]] std::uint64_t handle_open(void* body);
/// False if it is not an open handle.
[[nodiscard]] bool handle_close(std::uint64_t handle);
/// Body behind an open handle, or null. `type` may be null (any).
[[nodiscard]] void* handle_body(std::uint64_t handle, const ObjectType* type);
/// Type of a known object, null if the address is not one.
[[nodiscard]] const ObjectType* object_type(const void* body);
[[nodiscard]] bool object_reference(void* body);
/// References now, those of handles and of the host included; 0 if it is not an object (any more).
[[nodiscard]] std::uint32_t object_references(const void* body);
/// False if unknown or if there is no reference left to give back.
[[nodiscard]] bool object_dereference(void* body);
/// Gives the host's own reference back.
void object_release(void* body);

}  // namespace wddm::nt
