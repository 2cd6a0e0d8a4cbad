// Copying, filling and comparing memory the same way on every machine.
//
// The C library's own pick a variant by the CPU: they differ in the order in which they read, in
// how often (the first and the last vector of a short copy overlap), and so in what a copy gets of
// bytes that change under it, how far it comes before a page that is gone, and which address
// faults. What a driver does with memory of the simulated process goes through these, so that a
// trace is the same everywhere. Every byte is read once and written once: words of 8 bytes from the
// first byte on, the rest as 4, 2 and 1, so that an aligned value is never torn. No sanitizer looks
// at them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wddm::memory {

/// Forward, except where that would overwrite what is still to be read: then backward.
void move_in_order(void* to, const void* from, std::size_t bytes);
void fill_in_order(void* to, std::uint8_t value, std::size_t bytes);
/// -1, 0 or 1 as the first byte that differs is less in `a`, there is none, or it is greater. Reads
/// nothing behind the word of that byte.
[[nodiscard]] int compare_in_order(const void* a, const void* b, std::size_t bytes);

/// Whether code is of these. They hold nothing: a fault in them is that of who called them.
[[nodiscard]] bool is_in_order(const void* code);

}  // namespace wddm::memory
