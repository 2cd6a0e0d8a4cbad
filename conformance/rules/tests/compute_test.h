// A trace in which a device that only computes says what it can.
#pragma once

#include <d3dkmddi.h>
#include <dispmprt.h>

#include <cstring>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

class ComputeTest : public TraceTest {
 protected:
  ComputeTest() { std::memset(static_cast<void*>(&caps_), 0, sizeof(caps_)); }
  void fills(const std::vector<std::uint32_t>& places) {
    add(ev::EntriesFilled{.count = static_cast<std::uint32_t>(places.size())}, places);
  }
  void answers(std::uint32_t before = 0, std::uint32_t status = 0) {
    std::vector<std::uint8_t> bytes(sizeof(caps_));
    std::memcpy(bytes.data(), &caps_, sizeof(caps_));
    add(ev::CapsAnswered{.status = status, .before = before}, bytes);
  }
  /// With other contents of `caps_` than before.
  template <class Change>
  std::size_t failures_with(const char* id, Change change) {
    const std::size_t before = failures(id);
    const DXGK_DRIVERCAPS kept = caps_;
    change(caps_);
    answers();
    caps_ = kept;
    return failures(id) - before;
  }

  DXGK_DRIVERCAPS caps_;
};

}  // namespace wddm
