// What the tests of the host share: a booted machine with a fake driver behind the wire, and the
// trace of what happened on it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/host/boundary/session.h"
#include "conformance/host/boundary/witness.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/run/world.h"
#include "conformance/host/tests/fake_driver.h"
#include "reference/trace/names.h"
#include "reference/trace/op.h"

namespace wddm::host {

using Calls = std::vector<std::string>;

/// Allocations of scenarios.
inline constexpr AllocationId kSlot{2}, kOtherSlot{3};

class HostTest : public testing::Test {
 protected:
  HostTest() : storage_(trace_storage_bytes(kEvents, kBlobBytes) / sizeof(Line) + 1) {
    memory::map();
    writer_ = TraceWriter::create(storage_.data(), kEvents, kBlobBytes);
    session().tap.attach(&writer_);
    session().wire = &driver;
    session().callback_failure.disarm();
    session().process = Process::ManyRuns;  // a hang ends the machine and not the test
    session().read_contents = false;
    nt::boot(witness_, nullptr);
    nt::clear_registry();
  }
  ~HostTest() override {
    set_current_adapter(nullptr);
    session().wire = nullptr;
  }

  /// Runs `body(world)` as the first thread of the machine. Once in each test.
  template <class Body>
  void on_machine(Body body) {
    struct Play {
      HostTest& test;
      Body& body;
    } play{*this, body};
    nt::run(
        [](void* context) {
          Play& p = *static_cast<Play*>(context);
          p.test.world_ = std::make_unique<World>(p.test.device, p.test.client);
          set_current_adapter(&p.test.world_->adapter);
          p.body(*p.test.world_);
          p.test.ended_ = true;
        },
        &play);
    EXPECT_TRUE(ended_) << "the machine stopped: " << text();
    world_.reset();
    set_current_adapter(nullptr);
  }

  /// The adapter runs and all workers wait for work, as after the first op of a scenario.
  static void begin(World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    world.residency.begin();
    world.memory.begin();
    world.vidsch.begin();
    world.vidmm.begin();
    world.processes.begin();
    ASSERT_TRUE(world.objects.create_device({0}));
  }

  /// The events of one kind, in order.
  template <class Payload>
  std::vector<Payload> seen() const {
    const Trace trace(storage_.data());
    std::vector<Payload> all;
    for (const std::uint32_t index : trace.of<Payload>()) all.push_back(trace.at<Payload>(index));
    return all;
  }
  /// The ops that they belong to.
  template <class Payload>
  std::vector<std::uint16_t> ops_of() const {
    const Trace trace(storage_.data());
    std::vector<std::uint16_t> all;
    for (const std::uint32_t index : trace.of<Payload>()) all.push_back(trace.events()[index].op);
    return all;
  }
  /// The texts that came with them.
  template <class Payload>
  Calls texts() const {
    const Trace trace(storage_.data());
    Calls all;
    for (const std::uint32_t index : trace.of<Payload>()) {
      all.emplace_back(trace.blob_text(trace.events()[index]));
    }
    return all;
  }
  /// The records that came with them.
  template <class Payload, class Record>
  std::vector<std::vector<Record>> blobs() const {
    const Trace trace(storage_.data());
    std::vector<std::vector<Record>> all;
    for (const std::uint32_t index : trace.of<Payload>()) {
      const auto records = trace.template blob<Record>(trace.events()[index]);
      all.emplace_back(records.begin(), records.end());
    }
    return all;
  }
  /// The whole trace, for messages.
  std::string text() const {
    const Trace trace(storage_.data());
    std::string all;
    for (std::uint32_t i = 0; i < trace.events().size(); ++i) all += print_event(trace, i) + "\n";
    return all;
  }

  FakeDriver driver;
  const WddmDevice* device = nullptr;
  const WddmClient* client = nullptr;

 private:
  static constexpr std::uint32_t kEvents = 4096;
  static constexpr std::uint32_t kBlobBytes = 1 << 20;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
  Witness witness_{session().tap};
  std::unique_ptr<World> world_;
  bool ended_ = false;
};

}  // namespace wddm::host
