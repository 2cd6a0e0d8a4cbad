// DPCs that an interrupt, or another DPC, comes into.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Intr005 : public TraceTest {
 protected:
  void interrupt() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED}); }
  void tell() {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc),
                           .place = static_cast<std::uint32_t>(CallPlace::Dpc)});
  }
  void dpc_begins() { add(ev::DpcEntered{}); }
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
}  // namespace wddm
