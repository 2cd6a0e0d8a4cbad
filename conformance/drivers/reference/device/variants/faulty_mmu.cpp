#include "conformance/drivers/reference/device/variants/faulty_mmu.h"

namespace wddm::reference_device {

std::uint64_t LevelLeavingMmu::index_of(std::uint32_t level, std::uint64_t address) const {
  return Mmu::index_of(looks_above_ ? level + 1 : level, address);
}

// The TLB is to know nothing of it: the entries of the address are read again.
TableEntry LevelLeavingMmu::entry_of(const Place& table, std::uint32_t level, std::uint32_t shift,
                                     std::uint64_t address, Access access) {
  if (level == 1) above_ = table;
  if (level == 0 && access == Access::Read) {
    looks_above_ = true;
    flush(space().id, address, address);
    static_cast<void>(Mmu::entry_of(above_, 0, shift, address, access));
    flush(space().id, address, address);
    looks_above_ = false;
  }
  return Mmu::entry_of(table, level, shift, address, access);
}

Translation AligningMmu::translate(std::uint64_t address, Access access, Leaves leaves) {
  Translation result = Mmu::translate(address, access, leaves);
  constexpr std::uint64_t kUnit = 64;
  // Only copies of paging name the tables that they go through.
  if (result.valid && access == Access::Write && leaves != Leaves::Any) {
    result.address &= ~(kUnit - 1);
  }
  return result;
}

std::uint64_t ShortIndexMmu::index_of(std::uint32_t level, std::uint64_t address) const {
  const std::uint64_t index = Mmu::index_of(level, address);
  if (level != 1) return index;
  return index & ((std::uint64_t{1} << (geometry().index_bits(level) - 1)) - 1);
}

Translation FaultlessMmu::translate(std::uint64_t address, Access access, Leaves leaves) {
  Translation result = Mmu::translate(address, access, leaves);
  if (result.valid || access != Access::Write) return result;
  result.valid = result.zero = true;
  result.bytes = HW_PAGE_SIZE - address % HW_PAGE_SIZE;
  return result;
}

void EndlessRootMmu::use(const AddressSpace& space) {
  AddressSpace endless = space;
  endless.root_entries = 1u << 20;
  Mmu::use(endless);
}

Translation StubbornMmu::translate(std::uint64_t address, Access access, Leaves leaves) {
  const std::uint64_t page = address / HW_PAGE_SIZE;
  for (const Invalid& one : invalid_) {
    if (!one.used || one.space != space().id || one.page != page) continue;
    Translation nothing;
    nothing.fault_level = one.level;
    return nothing;
  }
  const Translation result = Mmu::translate(address, access, leaves);
  if (!result.valid) {
    invalid_[next_] = {true, space().id, page, result.fault_level};
    next_ = (next_ + 1) % invalid_.size();
  }
  return result;
}

Translation BesideMmu::translate(std::uint64_t address, Access access, Leaves leaves) {
  Translation result = Mmu::translate(address, access, leaves);
  constexpr std::uint64_t kLargestLeafPage = 65536, kWord = 4;
  if (result.valid && access == Access::Write && result.bytes > kLargestLeafPage) {
    result.address += kWord;
  }
  return result;
}

}  // namespace wddm::reference_device
