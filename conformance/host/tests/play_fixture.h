// What tests of ops share: a scenario is played on the fake driver, and what was skipped is told.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/host/run/interpreter.h"
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {

class PlayTest : public HostTest {
 protected:
  void play(const std::vector<Op>& ops, const std::vector<Op>& configuration = {}) {
    on_machine([&](World& world) { interpret(world, configuration, ops); });
  }
  static Op op(OpKind kind, std::uint8_t a = 0, std::uint8_t b = 0, std::uint8_t c = 0,
               std::uint32_t x = 0) {
    Op made;
    made.kind = kind;
    made.a = a;
    made.b = b;
    made.c = c;
    made.x = x;
    return made;
  }
  /// "op: reason" of each op that was skipped.
  Calls skipped() const {
    const auto events = seen<ev::OpSkipped>();
    Calls all = texts<ev::OpSkipped>();
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::string(op_info(static_cast<OpKind>(events[i].kind))->name) + ": " + all[i];
    }
    return all;
  }
  std::ptrdiff_t times(const char* call) const {
    return std::count(driver.calls.begin(), driver.calls.end(), call);
  }
};

}  // namespace wddm::host
