#include "conformance/host/boundary/link_faults.h"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "conformance/host/boundary/fault_seats.h"

namespace wddm::host {
namespace {

using gpummu::Decision;
using gpummu::UpdateEntries;

// LDA-003: of the roots of a client only that of GPU 0 is kept up to date. The first table of all
// is the root of the paging process, without whose tables no GPU would come to anything.
class UpdatesOneRoot final : public DecisionSeat {
  std::vector<Decision> tables(std::span<const Decision> decided) override {
    std::vector<Decision> altered(decided.begin(), decided.end());
    std::erase_if(altered, [this](const Decision& decision) {
      if (const auto* const table = std::get_if<gpummu::CreateTable>(&decision)) {
        if (roots_ == 0) root_level_ = table->level;
        if (table->level == root_level_) ++roots_;
      }
      const auto* const update = std::get_if<UpdateEntries>(&decision);
      return roots_ > 1 && update != nullptr && !update->initial && update->adapter.value != 0 &&
             update->level == root_level_;
    });
    return altered;
  }
  std::uint32_t root_level_ = 0, roots_ = 0;
};

// Behind the windows of the paging process, without which no GPU would come to anything.
constexpr std::uint64_t kBehindWindows = 0x200000;

// LDA-004: entries of leaves all go to the leaf of GPU 0.
class SharesLeaves final : public DecisionSeat {
  std::vector<Decision> tables(std::span<const Decision> decided) override {
    std::vector<Decision> altered(decided.begin(), decided.end());
    for (Decision& decision : altered) {
      auto* const update = std::get_if<UpdateEntries>(&decision);
      if (update == nullptr || update->initial || update->level != 0) continue;
      if (update->first_va.value >= kBehindWindows) update->adapter = {};
    }
    return altered;
  }
};

// VA-010: tiles are mapped on GPU 0, whichever context asks.
class UpdatesFirstGpu final : public DecisionSeat {
  std::uint32_t gpu_of_update(std::uint32_t) override { return 0; }
};

constexpr FaultSeat kLinkSeats[] = {
    {OracleFault::RootsDifferOnLink, make_seat<UpdatesOneRoot>},
    {OracleFault::CompanionUpdatesOneGpu, make_seat<UpdatesFirstGpu>},
    {OracleFault::OneLeafForLink, make_seat<SharesLeaves>},
};

}  // namespace

std::unique_ptr<DecisionSeat> link_fault(OracleFault fault) {
  return seat_among(kLinkSeats, fault);
}

}  // namespace wddm::host
