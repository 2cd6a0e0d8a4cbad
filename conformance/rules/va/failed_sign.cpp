// A failure by what a packet has shown, with the page, the entry and the update behind it.
#include <utility>

#include "conformance/rules/va/blamed_entry.h"
#include "conformance/rules/va/space_history.h"

namespace wddm {
namespace {

va::Blame blame_for(const SpaceSign& sign) {
  // Addresses of paging are of its operation, which no packet knows.
  if (sign.trace == nullptr || sign.packet.process == kNone) return {};
  const va::UsedSpace used{.process = sign.packet.process,
                           .gpu = sign.packet.engine.physical_adapter,
                           .event = sign.packet.submitted};
  switch (sign.kind) {
    case SpaceSign::Kind::Memory:
      return va::blame_for(*sign.trace, sign.memory, used);
    case SpaceSign::Kind::Faulted:
      return va::blame_for(*sign.trace, sign.address, sign.level, used);
    case SpaceSign::Kind::Right:
    case SpaceSign::Kind::Walk:  // says itself which entry was read
      break;
  }
  return {};
}

}  // namespace

void fail_by(const SpaceSign& sign, Judgement& judgement, std::string expected,
             std::initializer_list<std::uint32_t> because) {
  const va::Blame blame = judgement.is_worth_a_look() ? blame_for(sign) : va::Blame{};
  va::fail_with(blame, judgement, sign.event, std::move(expected), sign.seen(), because);
}

}  // namespace wddm
