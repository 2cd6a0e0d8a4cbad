// DPCs that an interrupt, or another DPC, comes into.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_005 {
namespace {

class Intr005 : public TraceTest {
 protected:
  void interrupt() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED}); }
  void tell() {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc),
                           .place = static_cast<std::uint32_t>(CallPlace::Dpc)});
  }
  void interrupt_of(std::uint32_t adapter) {
    add(ev::IsrEntered{.physical_adapter = adapter});
    interrupt();
    add(ev::IsrLeft{.claimed = 1});
  }
  void dpc_begins(std::uint32_t adapter = 0) { add(ev::DpcEntered{.physical_adapter = adapter}); }
  void dpc_ends() { add(ev::DpcLeft{}); }
  bool holds() { return TraceTest::holds("INTR-005"); }
};

TEST_F(Intr005, ADpcAfterANotificationTells) {
  interrupt();
  dpc_begins();
  dpc_ends();
  EXPECT_FALSE(holds());
}

TEST_F(Intr005, ADpcThatHasToldOfAllOwesNothingToTheNext) {
  interrupt();
  dpc_begins();
  interrupt();
  tell();
  dpc_ends();
  dpc_begins();
  interrupt();
  dpc_ends();
  dpc_begins();
  tell();
  dpc_ends();
  EXPECT_TRUE(holds());
}

TEST_F(Intr005, WhatComesAfterADpcHasToldIsOwedByTheNext) {
  interrupt();
  dpc_begins();
  tell();
  interrupt();
  dpc_ends();
  dpc_begins();
  dpc_ends();
  EXPECT_FALSE(holds());
}

TEST_F(Intr005, TheDpcOfAnotherAdapterOfALinkTells) {
  platform_.linked_adapters = 2;
  interrupt();
  dpc_begins();
  dpc_ends();
  dpc_begins();
  tell();
  dpc_ends();
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr005, NoDpcOfALinkTells) {
  platform_.linked_adapters = 2;
  interrupt();
  dpc_begins();
  dpc_ends();
  dpc_begins();
  dpc_ends();
  add(ev::MappingBalance{});
  EXPECT_FALSE(holds());
}

// It was queued before, and the adapter stops before the DPC of the second one comes.
TEST_F(Intr005, TheDpcOfAnotherAdapterOwesNothing) {
  platform_.linked_adapters = 2;
  interrupt_of(1);
  dpc_begins(0);
  dpc_ends();
  EXPECT_EQ(times_reached("INTR-005"), 0u);
  add(ev::MappingBalance{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr005, TheDpcOfTheAdapterThatInterruptedDoesNotTell) {
  platform_.linked_adapters = 2;
  interrupt_of(1);
  dpc_begins(0);
  dpc_ends();
  dpc_begins(1);
  dpc_ends();
  EXPECT_EQ(times_reached("INTR-005"), 1u);
  add(ev::MappingBalance{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr005, WhatNoInterruptHasSaidAnyDpcMayOwe) {
  platform_.linked_adapters = 2;
  interrupt();
  dpc_begins(1);
  dpc_ends();
  add(ev::MappingBalance{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr005, AnotherStartOwesNothing) {
  interrupt();
  add(ev::MappingBalance{});
  dpc_begins();
  dpc_ends();
  EXPECT_TRUE(holds());
}

TEST_F(Intr005, DpcsOfTwoProcessorsMayOverlap) {
  interrupt();
  dpc_begins();
  interrupt();
  cpu_ = 1;
  dpc_begins();
  tell();
  dpc_ends();
  cpu_ = 0;
  dpc_ends();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::intr_005
