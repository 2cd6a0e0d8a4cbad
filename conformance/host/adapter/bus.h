// The bus between driver and device plug-in: BARs, configuration space, interrupt line, DMA.
//
// In a link there is one Bus for each adapter; the first knows the others, and whoever asks it of
// addresses, time or the log asks for all. Devices of a link reach each other's memory BARs.
//
// Without a device plug-in every BAR is missing, configuration space reads as all ones, and
// advance() gives the driver's own threads a turn.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "conformance/host/memory/memory.h"
#include "conformance/sdk/device.h"
#include "reference/types.h"

namespace wddm::host {

/// Who takes the device's records of entries of page tables that it has read.
class DeviceWalks {
 public:
  virtual void walked(const WddmDeviceEvent& record, std::uint32_t physical_adapter) = 0;

 protected:
  ~DeviceWalks() = default;
};

/// Who is told what system memory devices access.
class SystemMemoryWatch {
 public:
  virtual void accessed(std::uint64_t address, bool write, std::uint32_t physical_adapter) = 0;

 protected:
  ~SystemMemoryWatch() = default;
};

/// A message's number has in the bits from this one on which device of the link sent it.
inline constexpr std::uint32_t kMessageAdapterShift = 24;

/// Who translates requests that bear a PASID: the IOMMU of the platform. False: a page fault.
class ProcessMemory {
 public:
  /// Who asks: an engine of a node of a GPU of the link, for the process of the PASID.
  struct Requester {
    std::uint32_t physical_adapter = 0, node = 0, pasid = 0;
    friend bool operator==(const Requester&, const Requester&) = default;
  };
  virtual bool read(const Requester& who, std::uint64_t address, std::span<std::uint8_t> bytes) = 0;
  virtual bool write(const Requester& who, std::uint64_t address,
                     std::span<const std::uint8_t> bytes) = 0;
  /// The device has worked.
  virtual void report() = 0;

 protected:
  ~ProcessMemory() = default;
};

class Bus {
 public:
  /// `device` may be null. The table has static lifetime, and the BARs lie as this host lays them
  /// out.
  explicit Bus(const WddmDevice* device);
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  /// From here on these records go there, and not to the trace: there are many.
  void use(DeviceWalks& walks) { walks_ = &walks; }
  void use(ProcessMemory& memory) { process_memory_ = &memory; }
  /// Null: nobody.
  void watch_system_memory(SystemMemoryWatch* watch) { system_memory_watch_ = watch; }

  /// Plugs in one more device of this kind: the next physical adapter of the link.
  void plug_in();
  [[nodiscard]] std::uint32_t devices() const;
  /// One that is plugged in; this is the first.
  [[nodiscard]] Bus& of(std::uint32_t physical_adapter);
  [[nodiscard]] const Bus& of(std::uint32_t physical_adapter) const;
  /// Whether the device asserts its interrupt line.
  [[nodiscard]] bool asserts() const { return line_; }

  [[nodiscard]] bool present() const { return device_ != nullptr; }
  [[nodiscard]] bool has_log() const { return device_ != nullptr && device_->log != nullptr; }
  [[nodiscard]] bool has_scramble() const {
    return device_ != nullptr && device_->scramble != nullptr;
  }

  /// The device is pulled out: it does nothing any more, and whoever asks it finds all ones. Told
  /// of as ev::GoneDeviceTouched is what the driver asks its registers then. No link has it.
  void pull_out();
  /// ... and another of its kind plugged in, as it is after power-on.
  void plug_in_again();

  /// Plug and Play has given the device, which no driver has started, other addresses: it is as it
  /// was when it was plugged in. False if there are none for any of its BARs.
  [[nodiscard]] bool move();
  /// How often it has.
  [[nodiscard]] std::uint32_t moves() const { return moves_; }

  /// All devices lose their power, or have it back. How many of them forget their registers.
  std::uint32_t power(bool on);

  /// Accesses of the devices to system memory since the last call.
  struct Accesses {
    std::uint64_t reads = 0, writes = 0;
  };
  [[nodiscard]] Accesses take_accesses();

  struct BarPlace {
    std::uint64_t bus_address = 0;
    std::uint64_t size = 0;         ///< 0: there is no such BAR
    std::uint8_t* bytes = nullptr;  ///< memory BARs only
    bool reports_writes = false;    ///< memory BARs only: the device says what it writes
  };
  [[nodiscard]] const std::array<BarPlace, WDDM_DEVICE_MAX_BARS>& bars() const { return bars_; }
  /// The host's view of `bytes` bytes of BAR memory at a bus address; null if it is not BAR memory.
  [[nodiscard]] std::uint8_t* memory_at(std::uint64_t bus_address, std::uint64_t bytes) const;
  /// Whether they are BAR memory of which every write is known.
  [[nodiscard]] bool writes_known(std::uint64_t bus_address, std::uint64_t bytes) const;
  /// ... and that begins as memory::kUnusedWord throughout, which only small ones do.
  [[nodiscard]] bool begins_unused(std::uint64_t bus_address, std::uint64_t bytes) const;

  /// Memory that no BAR shows, as the device itself reads it. False if it does not.
  [[nodiscard]] bool device_read(std::uint64_t gpu_address, std::span<std::uint8_t> bytes) const {
    return device_ != nullptr && !gone_ && device_->memory_read != nullptr &&
           device_->memory_read(instance_, gpu_address, bytes.data(),
                                static_cast<std::uint32_t>(bytes.size())) == 0;
  }

  /// The CPU reads or writes 8 bytes at a bus address, in memory or in registers.
  [[nodiscard]] std::uint64_t cpu_read(std::uint64_t bus_address);
  void cpu_write(std::uint64_t bus_address, std::uint64_t value);

  /// Lets the GPU work for at most `units`; returns what the busiest engine used. Log records of
  /// the device go to the trace.
  std::uint32_t advance(std::uint32_t units);
  /// The GPU gets no time from here on, or gets it again.
  void stand_still(bool on) { lead_->stands_ = on; }
  /// How often the driver has accessed registers of the device, or of any of a link.
  [[nodiscard]] std::uint64_t register_accesses() const { return lead_->register_accesses_; }
  /// What the device has logged by now goes to the trace.
  void drain_log();
  void scramble(EngineId engine);
  /// Bytes transferred.
  std::uint32_t config_read(std::uint32_t offset, void* buffer, std::uint32_t bytes) const;
  std::uint32_t config_write(std::uint32_t offset, const void* buffer, std::uint32_t bytes);
  /// Times the device asserted its interrupt (line rising, or message) since the last call.
  [[nodiscard]] std::uint32_t take_interrupt_count();
  [[nodiscard]] bool line_is_high() const { return line_; }
  /// Whether the device has ever asserted it: until then nobody knows that it has one.
  [[nodiscard]] bool has_line() const { return has_line_; }
  /// Whether the device has sent a message, or was granted some, which needs no line.
  [[nodiscard]] bool sends_messages() const { return sends_messages_ || messages() != 0; }
  /// How many it was granted; 0: it has a line, whatever it sends.
  [[nodiscard]] std::uint32_t messages() const {
    return device_ == nullptr ? 0 : device_->messages;
  }
  /// Whether each of them has an address of its own.
  [[nodiscard]] bool has_message_table() const {
    return messages() != 0 && device_->message_table != 0;
  }

 private:
  static int dma_read(void* host, std::uint64_t address, void* buffer, std::uint32_t bytes);
  static int dma_write(void* host, std::uint64_t address, const void* buffer, std::uint32_t bytes);
  static int dma_read_pasid(void* host, std::uint32_t node, std::uint32_t pasid,
                            std::uint64_t address, void* buffer, std::uint32_t bytes);
  static int dma_write_pasid(void* host, std::uint32_t node, std::uint32_t pasid,
                             std::uint64_t address, const void* buffer, std::uint32_t bytes);
  static void set_line(void* host, int level);
  static void raise_message(void* host, std::uint32_t message);
  static void memory_written(void* host, std::uint32_t bar, std::uint64_t offset,
                             std::uint32_t bytes);
  static std::uint64_t bar_address(void* host, std::uint32_t bar);
  static std::uint64_t register_read(void* context, std::uint64_t bus, std::uint32_t bytes);
  static void register_write(void* context, std::uint64_t bus, std::uint32_t bytes,
                             std::uint64_t value);
  [[nodiscard]] const BarPlace* memory_bar(std::uint64_t bus_address, std::uint64_t bytes) const;
  /// Memory of a BAR of any device of a link; null where there is no link.
  [[nodiscard]] std::uint8_t* peer_memory(std::uint64_t bus_address, std::uint64_t bytes) const;
  void drain_own_log();
  void accesses_system_memory(std::uint64_t address, bool write) const {
    SystemMemoryWatch* const watch = lead_->system_memory_watch_;
    if (watch != nullptr) watch->accessed(address, write, index_);
  }

  Bus(const WddmDevice* device, Bus& lead, std::uint32_t index);
  void build();
  [[nodiscard]] bool move(BarPlace& bar);
  void make_device();
  /// Whether the device is there; else the access is told of.
  [[nodiscard]] bool there(std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes,
                           bool write) const;

  const WddmDevice* device_;
  Bus* const lead_;                      // the first of the link
  std::uint64_t register_accesses_ = 0;  // of all, in the lead
  const std::uint32_t index_ = 0;
  std::unique_ptr<Bus> next_;
  DeviceWalks* walks_ = nullptr;
  ProcessMemory* process_memory_ = nullptr;
  SystemMemoryWatch* system_memory_watch_ = nullptr;
  WddmDeviceHost services_{};
  void* instance_ = nullptr;
  std::array<BarPlace, WDDM_DEVICE_MAX_BARS> bars_{};
  std::uint32_t interrupts_ = 0;
  Accesses accesses_;
  std::uint32_t scramble_seed_ = 1;
  bool line_ = false;
  bool has_line_ = false;
  bool sends_messages_ = false;
  std::uint32_t moves_ = 0;
  bool gone_ = false;
  bool stands_ = false;  // of the lead: no device of the link gets time
};

}  // namespace wddm::host
