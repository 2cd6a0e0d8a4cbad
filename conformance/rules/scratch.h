// Containers that live no longer than one call of a check.
//
// The judge gives them memory that it has at hand and takes it back when the check returns, so that
// a check that holds asks the system for none. Not for ledgers (Trace::ledger), which outlive the
// check that made them.
#pragma once

#include <map>
#include <memory_resource>
#include <set>
#include <vector>

namespace wddm {

template <class Key, class Value>
using ScratchMap = std::pmr::map<Key, Value>;
template <class Key>
using ScratchSet = std::pmr::set<Key>;
template <class Value>
using ScratchVector = std::pmr::vector<Value>;

/// For as long as it lives, scratch containers take from `memory`.
class ScratchScope {
 public:
  explicit ScratchScope(std::pmr::memory_resource& memory)
      : before_(std::pmr::set_default_resource(&memory)) {}
  ~ScratchScope() { std::pmr::set_default_resource(before_); }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;

 private:
  std::pmr::memory_resource* before_;
};

}  // namespace wddm
