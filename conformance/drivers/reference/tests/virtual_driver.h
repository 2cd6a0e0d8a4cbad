// The reference driver with GPU virtual addresses, driven DDI by DDI: the part of Dxgkrnl is played
// here, over the real kernel, bus and device.
//
// All memory is video memory: page n of segment 1 is at `bytes(n)` for the CPU. The address space
// of the system process and that of an application have their tables in pages of their own. Leaves
// out everything that VidMm would decide.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/boundary/witness.h"
#include "conformance/host/execute.h"
#include "conformance/host/interposer.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/run/world.h"

namespace wddm::reference_kmd_tests {

class VirtualDriver : public testing::Test {
 protected:
  using Settings = std::initializer_list<std::pair<const char*, std::uint32_t>>;

  static void SetUpTestSuite() {
    static std::string error;
    static const bool loaded =
        host::load({WDDM_DRIVER_FILE, WDDM_DEVICE_FILE, WDDM_CLIENT_FILE}, error);
    ASSERT_TRUE(loaded) << error;
  }

  VirtualDriver() : storage_(trace_storage_bytes(kEvents, kBlobBytes) / sizeof(Line) + 1) {}

  /// Runs `body()` with the adapter started and the registry as `settings` say.
  template <class Body>
  void play(Settings settings, Body body) {
    ended_ = false;
    host::keep_driver_pristine();
    memory::map();
    writer_ = TraceWriter::create(storage_.data(), kEvents, kBlobBytes);
    host::Session& session = host::session();
    session.tap.attach(&writer_);
    session.wire = &wire;
    session.callback_failure.disarm();
    session.process = host::Process::ManyRuns;
    host::Witness witness(session.tap);
    nt::boot(witness, nullptr);
    nt::clear_registry();
    nt::set_registry_dword("Addressing", 1);
    for (const auto& [name, value] : settings) nt::set_registry_dword(name, value);
    struct Play {
      VirtualDriver& test;
      Body& body;
    } context{*this, body};
    nt::run(
        [](void* given) {
          Play& p = *static_cast<Play*>(given);
          p.test.world_ = std::make_unique<host::World>(host::device_plug_in(), nullptr);
          host::set_current_adapter(&p.test.world_->adapter);
          if (p.test.world_->adapter.bring_up()) {
            p.body();
            p.test.world_->adapter.tear_down(host::Adapter::Stage::Absent);
            p.test.ended_ = true;
          }
        },
        &context);
    EXPECT_TRUE(ended_) << "the machine stopped, or the adapter did not start";
    world_.reset();
    host::set_current_adapter(nullptr);
    session.wire = nullptr;
    host::restore_driver();
  }

  // What the driver told.
  struct Wire : Interposer {
    std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> told;
    void NotifyInterrupt(HANDLE, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
      told.push_back(*data);
    }
    void NotifyDpc(HANDLE) override {}
  };

  PVOID adapter() { return world_->adapter.miniport(); }
  /// Whether the oracle of the GPU MMU finds nothing wrong with what the driver said of its tables.
  bool geometry_is_sound() {
    return world_->adapter.gpummu().has_value() && world_->adapter.gpummu()->geometry.has_value();
  }
  DRIVER_INITIALIZATION_DATA& driver() { return wire.driver; }
  /// Lets the GPU work, and the interrupt routine with it.
  void advance(std::uint32_t units = 10000) {
    world_->bus.advance(units);
    nt::settle();
  }
  std::uint8_t* bytes(std::uint32_t page) {
    return world_->bus.bars()[HW_MEMORY_BAR].bytes + std::size_t{page} * HW_PAGE_SIZE;
  }
  std::uint32_t word(std::uint32_t page, std::uint32_t offset = 0) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes(page) + offset, sizeof value);
    return value;
  }

  template <class Output, class Input>
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, Input input, Output& output) {
    DXGKARG_QUERYADAPTERINFO request{};
    request.Type = type;
    request.pInputData = &input;
    request.InputDataSize = sizeof input;
    request.pOutputData = &output;
    request.OutputDataSize = sizeof output;
    return driver().DxgkDdiQueryAdapterInfo(adapter(), &request);
  }

  // An address space with a root, leaf tables for its lowest 2 MB, and one context on node 0.
  struct Space {
    HANDLE process = nullptr;
    HANDLE device = nullptr;
    HANDLE context = nullptr;
    std::uint32_t root = 0;  // page
    std::uint32_t leaf = 0;
  };
  Space make_space(HANDLE dxgkrnl_handle, std::uint32_t root, bool system) {
    Space space{.root = root, .leaf = root + levels - 1};
    DXGKARG_CREATEPROCESS process{};
    process.hDxgkProcess = dxgkrnl_handle;
    process.Flags.SystemProcess = system;
    EXPECT_EQ(driver().DxgkDdiCreateProcess(adapter(), &process), STATUS_SUCCESS);
    space.process = process.hKmdProcess;
    DXGKARG_CREATEDEVICE device{};
    device.Flags.SystemDevice = system;
    device.hKmdProcess = space.process;
    EXPECT_EQ(driver().DxgkDdiCreateDevice(adapter(), &device), STATUS_SUCCESS);
    space.device = device.hDevice;
    DXGKARG_CREATECONTEXT context{};
    context.Flags.SystemContext = system;
    context.Flags.VirtualAddressing = 1;
    EXPECT_EQ(driver().DxgkDdiCreateContext(space.device, &context), STATUS_SUCCESS);
    space.context = context.hContext;
    private_bytes = context.ContextInfo.DmaBufferPrivateDataSize;
    for (std::uint32_t t = 0; t < levels; ++t) std::memset(bytes(root + t), 0, HW_PAGE_SIZE);
    for (std::uint32_t t = 0; t + 1 < levels; ++t) {
      EXPECT_EQ(update_at_once(root + t, levels - 1 - t, 0, {entry_for(root + t + 1)}),
                STATUS_SUCCESS);
    }
    set_root(space, root, 512);
    return space;
  }
  void end_space(const Space& space) {
    driver().DxgkDdiDestroyContext(space.context);
    driver().DxgkDdiDestroyDevice(space.device);
    EXPECT_EQ(driver().DxgkDdiDestroyProcess(adapter(), space.process), STATUS_SUCCESS);
  }
  void set_root(const Space& space, std::uint32_t page, std::uint32_t entries) {
    DXGKARG_SETROOTPAGETABLE root{};
    root.hContext = space.context;
    root.Address = {1, std::uint64_t{page} * HW_PAGE_SIZE};
    root.NumEntries = entries;
    driver().DxgkDdiSetRootPageTable(adapter(), &root);
  }

  static DXGK_PTE entry_for(std::uint32_t page) {
    DXGK_PTE entry{};
    entry.Valid = 1;
    entry.Segment = 1;
    entry.PageAddress = page;
    return entry;
  }
  /// As for the tables of the paging process: by the CPU, without a DMA buffer.
  NTSTATUS update_at_once(std::uint32_t table, std::uint32_t level, std::uint32_t start,
                          std::vector<DXGK_PTE> entries) {
    DXGKARG_BUILDPAGINGBUFFER request{};
    request.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    auto& update = request.UpdatePageTable;
    update.PageTableLevel = level;
    update.PageTableAddress.CpuVirtual = bytes(table);
    update.pPageTableEntries = entries.data();
    update.StartIndex = start;
    update.NumPageTableEntries = static_cast<UINT>(entries.size());
    update.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    return driver().DxgkDdiBuildPagingBuffer(adapter(), &request);
  }
  void map(const Space& space, std::uint64_t address, std::uint32_t page) {
    EXPECT_EQ(update_at_once(space.leaf, 0, static_cast<std::uint32_t>(address / HW_PAGE_SIZE),
                             {entry_for(page)}),
              STATUS_SUCCESS);
  }

  /// Builds `operations` into pages from `page` on, as many buffers as it takes, each of
  /// `room` bytes. Bytes of each buffer.
  std::vector<std::uint32_t> build(std::uint32_t page,
                                   std::vector<DXGKARG_BUILDPAGINGBUFFER> operations,
                                   std::uint32_t room = HW_PAGE_SIZE) {
    std::vector<std::uint32_t> sizes(1);
    for (DXGKARG_BUILDPAGINGBUFFER& operation : operations) {
      for (;;) {
        std::uint8_t* const start = bytes(page + static_cast<std::uint32_t>(sizes.size()) - 1);
        operation.pDmaBuffer = start + sizes.back();
        operation.DmaSize = room - sizes.back();
        const NTSTATUS status = driver().DxgkDdiBuildPagingBuffer(adapter(), &operation);
        sizes.back() =
            static_cast<std::uint32_t>(static_cast<std::uint8_t*>(operation.pDmaBuffer) - start);
        EXPECT_LE(sizes.back(), room);
        if (status == STATUS_SUCCESS) break;
        EXPECT_EQ(status, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        if (sizes.size() > 64) {
          ADD_FAILURE() << "no end";
          return sizes;
        }
        sizes.push_back(0);
      }
    }
    return sizes;
  }
  NTSTATUS submit(const Space& space, std::uint64_t address, std::uint32_t size,
                  std::uint32_t fence, bool paging = false,
                  std::vector<std::uint8_t> user_data = {}) {
    const std::size_t user = user_data.size();
    user_data.resize(private_bytes);
    DXGKARG_SUBMITCOMMANDVIRTUAL packet{};
    packet.hContext = space.context;
    packet.DmaBufferVirtualAddress = address;
    packet.DmaBufferSize = size;
    packet.pDmaBufferPrivateData = user_data.data();
    packet.DmaBufferPrivateDataSize = private_bytes;
    packet.DmaBufferUmdPrivateDataSize = static_cast<UINT>(user);
    packet.SubmissionFenceId = fence;
    packet.Flags.Paging = paging;
    return driver().DxgkDdiSubmitCommandVirtual(adapter(), &packet);
  }

  Wire wire;
  std::uint32_t levels = 2;
  std::uint32_t private_bytes = 0;

 private:
  static constexpr std::uint32_t kEvents = 1 << 16;
  static constexpr std::uint32_t kBlobBytes = 1 << 20;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
  std::unique_ptr<host::World> world_;
  bool ended_ = false;
};

}  // namespace wddm::reference_kmd_tests
