// Circular doubly linked lists with the layout of LIST_ENTRY, for links inside objects.
#pragma once

#include <cstddef>

/// The object of `type` whose `member` is at `link`.
#define WDDM_CONTAINER(type, member, link) \
  (reinterpret_cast<type*>(reinterpret_cast<std::byte*>(link) - offsetof(type, member)))

namespace wddm::nt {

struct Link {
  Link* next;
  Link* previous;
};

inline void list_init(Link& head) {
  head.next = head.previous = &head;
}
[[nodiscard]] inline bool list_empty(const Link& head) {
  return head.next == &head;
}
inline void list_insert_before(Link& position, Link& entry) {
  entry.next = &position;
  entry.previous = position.previous;
  position.previous->next = &entry;
  position.previous = &entry;
}
inline void list_push_back(Link& head, Link& entry) {
  list_insert_before(head, entry);
}
inline void list_push_front(Link& head, Link& entry) {
  list_insert_before(*head.next, entry);
}
/// Leaves `entry` pointing to itself, so that a second removal is harmless.
inline void list_remove(Link& entry) {
  entry.previous->next = entry.next;
  entry.next->previous = entry.previous;
  list_init(entry);
}
/// Neighbours agree with each other, within `limit` entries.
[[nodiscard]] inline bool list_consistent(const Link& head, unsigned limit) {
  const Link* at = &head;
  do {
    if (at->next == nullptr || at->next->previous != at || limit-- == 0) return false;
    at = at->next;
  } while (at != &head);
  return true;
}

}  // namespace wddm::nt
