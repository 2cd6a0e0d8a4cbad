// What a check says, kept: the first failures of a clause in one trace.
//
// A hostile driver can break a clause a hundred thousand times in one trace; the first ones explain
// it, so the rest are only counted.
#include <utility>

#include "conformance/rules/rule.h"

namespace wddm {
namespace {

constexpr std::size_t kKeptFailures = 64, kLookedAt = 8;

}  // namespace

void Judgement::fail(std::uint32_t event, std::string expected, std::string seen,
                     std::initializer_list<std::uint32_t> because) {
  fail(event, std::move(expected), std::move(seen), std::vector<std::uint32_t>(because));
}

void Judgement::fail(std::uint32_t event, std::string expected, std::string seen,
                     std::vector<std::uint32_t> because) {
  reached(event);
  if (failures_.size() >= kKeptFailures) return;
  failures_.push_back({event, std::move(expected), std::move(seen), std::move(because)});
}

bool Judgement::is_worth_a_look() const {
  return failures_.size() < kLookedAt;
}

}  // namespace wddm
