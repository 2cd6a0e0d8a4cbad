// The faulty subclasses, one for each line of device_variants.def.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/drivers/reference/device/mmu.h"

namespace wddm::reference_device {

// MMU-002: before the leaf, reads look at the entry of the table above it as if that were the leaf;
// what stands there is not used.
class LevelLeavingMmu final : public Mmu {
 public:
  using Mmu::Mmu;

 protected:
  std::uint64_t index_of(std::uint32_t level, std::uint64_t address) const override;
  TableEntry entry_of(const Place& table, std::uint32_t level, std::uint32_t shift,
                      std::uint64_t address, Access access) override;

 private:
  Place above_{};
  bool looks_above_ = false;
};

// MMU-006: what copies of paging write begins where 64 bytes do.
class AligningMmu final : public Mmu {
 public:
  using Mmu::Mmu;
  Translation translate(std::uint64_t address, Access access, Leaves leaves) override;
};

// MMU-007: takes one bit less than there is for the index of the level above the leaf.
class ShortIndexMmu final : public Mmu {
 public:
  using Mmu::Mmu;

 protected:
  std::uint64_t index_of(std::uint32_t level, std::uint64_t address) const override;
};

// MMU-012: a write that no entry permits goes nowhere, and the packet goes on.
class FaultlessMmu final : public Mmu {
 public:
  using Mmu::Mmu;
  Translation translate(std::uint64_t address, Access access, Leaves leaves) override;
};

// ROOT-011: knows where the root begins and not how many entries it has.
class EndlessRootMmu final : public Mmu {
 public:
  using Mmu::Mmu;
  void use(const AddressSpace& space) override;
};

// VPAGE-006: keeps what was found invalid, and flushes only what was found valid.
class StubbornMmu final : public Mmu {
 public:
  using Mmu::Mmu;
  Translation translate(std::uint64_t address, Access access, Leaves leaves) override;

 private:
  struct Invalid {
    bool used = false;
    std::uint32_t space = 0;
    std::uint64_t page = 0;
    std::uint32_t level = 0;
  };
  std::array<Invalid, HW_TLB_ENTRIES> invalid_{};
  std::size_t next_ = 0;
};

// PTE-007: writes within large pages go a word behind their place.
class BesideMmu final : public Mmu {
 public:
  using Mmu::Mmu;
  Translation translate(std::uint64_t address, Access access, Leaves leaves) override;
};

}  // namespace wddm::reference_device
