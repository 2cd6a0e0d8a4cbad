#include "conformance/host/boundary/root_faults.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/host/adapter/objects/object_slots.h"
#include "conformance/host/boundary/fault_seats.h"

namespace wddm::host {
namespace {

using gpummu::Decision;
using gpummu::SetRoot;

// ROOT-013: of all contexts of clients the first alone gets a root. Those behind kSlots are
// Dxgkrnl's own: without their roots nothing is ever mapped.
class RunsWithoutRoot final : public DecisionSeat {
  std::vector<Decision> tables(std::span<const Decision> decided) override {
    std::vector<Decision> altered(decided.begin(), decided.end());
    std::erase_if(altered, [this](const Decision& decision) {
      const auto* const set = std::get_if<SetRoot>(&decision);
      if (set == nullptr || set->context.value >= kSlots) return false;
      if (!first_) first_ = set->context;
      return set->context != *first_;
    });
    return altered;
  }
  std::optional<ContextId> first_;
};

// ROOT-014: of the contexts that are told together of a new root the first alone is.
class TellsOneContext final : public DecisionSeat {
  std::vector<Decision> tables(std::span<const Decision> decided) override {
    std::vector<Decision> altered(decided.begin(), decided.end());
    bool told = false;
    std::erase_if(altered, [&told](const Decision& decision) {
      return std::holds_alternative<SetRoot>(decision) && std::exchange(told, true);
    });
    return altered;
  }
};

// ROOT-015: a root that comes in the place of another is written, as a new one is, and has nothing
// of the one before.
class BeginsEmpty final : public DecisionSeat {
  std::vector<Decision> tables(std::span<const Decision> decided) override {
    std::vector<Decision> altered(decided.begin(), decided.end());
    const std::optional<gpummu::TableId> root = new_root(decided);
    if (!root) return altered;
    std::erase_if(altered, [](const Decision& decision) {
      return std::holds_alternative<gpummu::CopyEntries>(decision);
    });
    // What lies behind all that is mapped is written by one invalid entry.
    std::optional<std::uint32_t> invalid;
    for (const Decision& decision : decided) {
      const auto* const update = std::get_if<gpummu::UpdateEntries>(&decision);
      if (update != nullptr && update->table == *root && update->repeat) invalid = update->elements;
    }
    for (Decision& decision : altered) {
      auto* const update = std::get_if<gpummu::UpdateEntries>(&decision);
      if (update == nullptr || update->table != *root || !invalid) continue;
      update->elements = *invalid;
      update->repeat = update->count > 1;
    }
    return altered;
  }
  // Of which contexts are told in the step that makes it.
  static std::optional<gpummu::TableId> new_root(std::span<const Decision> decided) {
    std::optional<gpummu::TableId> made;
    for (const Decision& decision : decided) {
      if (const auto* const create = std::get_if<gpummu::CreateTable>(&decision)) {
        made = create->table;
      }
      const auto* const set = std::get_if<SetRoot>(&decision);
      if (set != nullptr && made == set->root) return made;
    }
    return std::nullopt;
  }
};

constexpr FaultSeat kRootSeats[] = {
    {OracleFault::RunWithoutRoot, make_seat<RunsWithoutRoot>},
    {OracleFault::TellOneContext, make_seat<TellsOneContext>},
    {OracleFault::ResizedRootEmpty, make_seat<BeginsEmpty>},
};

}  // namespace

std::unique_ptr<DecisionSeat> root_fault(OracleFault fault) {
  return seat_among(kRootSeats, fault);
}

}  // namespace wddm::host
