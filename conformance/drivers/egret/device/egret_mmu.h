// Memory as the Egret's jobs see it: page tables of three levels, and a TLB for each size of page.
//
// An entry of the middle level is a pair: one leaf table for pages of 4 KB, one for pages of 64 KB
// over the same addresses. A valid entry of the latter is taken before the former is asked.
#pragma once

#include <unordered_map>

#include "conformance/drivers/egret/device/egret_memory.h"

namespace egret {

struct Fault {
  std::uint64_t va = 0;
  std::uint32_t level = 0;
  bool write = false;
};

class Mmu {
 public:
  Mmu(Memory& memory, Log& log) : memory_(memory), log_(log) {}

  /// Page by page; false at the first that may not be accessed, which is logged and told of in
  /// `fault`.
  bool access(const Accessor& by, std::uint64_t va, void* buffer, std::uint64_t bytes, bool write,
              Fault& fault);
  /// Of space ~0: of all. From 0 to 0: all of it.
  void flush(std::uint32_t space, std::uint64_t start, std::uint64_t end);
  void lose_power();

 private:
  struct Tlb {
    std::uint32_t shift;
    std::unordered_map<std::uint64_t, std::uint64_t> entries;

    [[nodiscard]] static std::uint64_t key(std::uint32_t space, std::uint64_t page) {
      return std::uint64_t{space} << 40 | page;
    }
    [[nodiscard]] const std::uint64_t* find(std::uint32_t space, std::uint64_t va) const;
    void flush(std::uint32_t space, std::uint64_t start, std::uint64_t end);
  };
  struct Translation {
    std::uint64_t entry = 0;
    std::uint32_t shift = 0;  // of the page
  };

  bool translate(const Accessor& by, std::uint64_t va, bool write, Translation& found,
                 Fault& fault);
  bool walk(const Accessor& by, std::uint64_t va, bool write, Translation& found, Fault& fault);
  bool take(const Accessor& by, std::uint64_t va, std::uint64_t entry, Tlb& tlb,
            Translation& found);
  bool refuse(const Accessor& by, std::uint64_t va, std::uint32_t level, bool write, Fault& fault);
  void read_entry(const Accessor& by, std::uint64_t at, std::uint64_t* words, std::uint32_t bytes,
                  std::uint64_t va, std::uint32_t level, bool write);

  Memory& memory_;
  Log& log_;
  Tlb small_{12, {}}, large_{16, {}};
};

}  // namespace egret
