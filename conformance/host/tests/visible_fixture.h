// A machine whose video memory the CPU sees: segment 1 lies in a memory BAR of two pages.
#pragma once

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {

class VisibleMemoryTest : public VidMmTest {
 protected:
  static constexpr std::uint32_t kPages = 2;  ///< of the BAR

  /// `alter` runs before the driver is asked for its segments.
  template <class Body>
  void with_visible(Body body, std::function<void()> alter = {}) {
    device = &gpu.table;
    on_machine([&](World& world) {
      const Bus::BarPlace& bar = world.bus.bars()[0];
      driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(bar.bus_address);
      driver.segments[0].Flags.CpuVisible = 1;
      driver.segments[0].Size = driver.segments[0].CommitLimit = kPages * 4096;
      if (alter) alter();
      ASSERT_NO_FATAL_FAILURE(begin(world));
      vram = bar.bytes;
      body(world);
    });
  }
  FakeDevice gpu;
  std::uint8_t* vram = nullptr;  ///< what the BAR holds
};

}  // namespace wddm::host
