// How many context allocations are left when the device has stopped.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_016 {
namespace {

class Alloc016 : public TraceTest {
 protected:
  void makes(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ContextAllocationMade{.status = static_cast<std::uint32_t>(status)});
  }
  void destroys() {
    add(ev::CallbackCalled{.callback =
                               static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation)});
  }
  bool stops() {
    add(ev::MappingBalance{});
    return holds("ALLOC-016");
  }
};

TEST_F(Alloc016, AllAreDestroyed) {
  makes();
  makes();
  destroys();
  destroys();
  EXPECT_TRUE(stops());
  EXPECT_EQ(times_reached("ALLOC-016"), 1u);
}

TEST_F(Alloc016, OneIsLeft) {
  makes();
  makes();
  destroys();
  EXPECT_FALSE(stops());
}

TEST_F(Alloc016, WhatWasRefusedIsNone) {
  makes(STATUS_NO_MEMORY);
  EXPECT_TRUE(stops());
  EXPECT_EQ(times_reached("ALLOC-016"), 0u);
}

TEST_F(Alloc016, EachStartHasItsOwn) {
  makes();
  EXPECT_FALSE(stops());
  EXPECT_EQ(failures("ALLOC-016"), 1u);
  stops();
  EXPECT_EQ(failures("ALLOC-016"), 1u);
}

}  // namespace
}  // namespace wddm::alloc_016
