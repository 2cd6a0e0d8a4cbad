// Which pages of a zone can be accessed: only a page whose protection is another is given one, so
// that what stays open from buffer to buffer costs no system call. Internal to this folder.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "conformance/host/memory/layout.h"

namespace wddm::memory::internal {

class OpenPages {
 public:
  explicit OpenPages(const Zone& zone) : zone_(zone), open_(zone.pages) {}

  void open(std::uint64_t page, std::uint64_t count) { change(page, count, 1); }
  void close(std::uint64_t page, std::uint64_t count) { change(page, count, 0); }
  /// Of the whole zone; nothing is known of a fresh one.
  void close_all(bool fresh) {
    if (fresh) highest_ = zone_.pages;
    if (highest_ != 0) protect(zone_.view, highest_ << kPageShift, PROT_NONE);
    std::fill_n(open_.begin(), highest_, std::uint8_t{0});
    highest_ = 0;
  }

 private:
  void change(std::uint64_t page, std::uint64_t count, std::uint8_t wanted) {
    const auto first = open_.begin() + static_cast<std::ptrdiff_t>(page);
    const auto end = first + static_cast<std::ptrdiff_t>(count);
    for (auto at = std::find(first, end, 1 - wanted); at != end;
         at = std::find(at, end, 1 - wanted)) {
      const auto last = std::find(at, end, wanted);
      protect(zone_.view + (static_cast<std::uint64_t>(at - open_.begin()) << kPageShift),
              static_cast<std::uint64_t>(last - at) << kPageShift,
              wanted ? PROT_READ | PROT_WRITE : PROT_NONE);
      std::fill(at, last, wanted);
      at = last;
    }
    if (wanted) highest_ = std::max(highest_, page + count);
  }

  const Zone& zone_;
  std::vector<std::uint8_t> open_;
  std::uint64_t highest_ = 0;  // one past the highest page opened since close_all()
};

}  // namespace wddm::memory::internal
