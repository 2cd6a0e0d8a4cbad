// The replayer of this process, with the built-in driver: there can be only one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "conformance/harness/isolate/replayer.h"
#include "conformance/host/execute.h"

namespace wddm::fuzz {

inline harness::Replayer& one_replayer() {
  static const bool loaded = [] {
    std::string error;
    EXPECT_TRUE(host::load({}, error)) << error;
    return error.empty();
  }();
  static harness::Replayer replayer;
  static_cast<void>(loaded);
  return replayer;
}

}  // namespace wddm::fuzz
