// PROC-002: a driver reserves addresses while a process is created, and in whole leaf tables.

#include <bit>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::proc_002 {
namespace {

constexpr std::uint32_t kOffsetBits = 12;

// Of address space: what a leaf table covers, and what an entry of the root does; 0: not known.
struct Coverage {
  std::uint64_t leaf = 0, root_entry = 0;
};

Coverage coverage_of(const Trace& trace) {
  const mmu::ReportedTables tables(trace);
  if (!tables.complete()) return {};
  std::uint32_t bits = kOffsetBits;
  Coverage coverage;
  for (std::uint32_t level = 0; level + 1 < tables.caps().levels; ++level) {
    bits += tables.level(level)->said.index_bits;
    if (bits >= 64) return {};
    if (level == 0) coverage.leaf = std::uint64_t{1} << bits;
  }
  coverage.root_entry = std::uint64_t{1} << bits;
  return coverage;
}

bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Coverage coverage = coverage_of(trace);
  for (const std::uint32_t index : trace.of<ev::RangeReserved>()) {
    const auto range = trace.at<ev::RangeReserved>(index);
    judgement.reached(index);
    if (range.creating == kNone) {
      judgement.fail(index, "addresses are reserved inside CreateProcess alone",
                     "DxgkCbReserveGpuVirtualAddressRange outside of it");
      continue;
    }
    if (range.process != range.creating) {
      judgement.fail(index, "the hDxgkProcess that CreateProcess was given",
                     range.process == kNone ? "a handle of no process" : "another process");
      continue;
    }
    if (coverage.leaf == 0) continue;
    const auto whole = [&](std::uint64_t value) { return value % coverage.leaf == 0; };
    const auto unit = [&] { return std::to_string(coverage.leaf) + ", what a leaf table covers"; };
    if (range.size == 0 || !whole(range.size)) {
      judgement.fail(index, "SizeInBytes is a multiple of " + unit(), std::to_string(range.size));
    }
    if (!whole(range.base)) {
      judgement.fail(index, "BaseAddress is a multiple of " + unit(), std::to_string(range.base));
    }
    if (!std::has_single_bit(range.alignment) || !whole(range.alignment)) {
      judgement.fail(index, "Alignment is a power of two and a multiple of " + unit(),
                     std::to_string(range.alignment));
    }
    const std::uint64_t first = succeeded(range.status) ? range.start : range.base;
    if (range.base != 0 && first < coverage.root_entry) {
      judgement.fail(index, "the first entry of the root is not the driver's",
                     "BaseAddress " + std::to_string(range.base));
    }
  }
}

// A driver that reserves when the first context shows that it will need to.
class ReservesLate final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    callbacks_ = *callbacks;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* create) override {
    process_ = create->hDxgkProcess;
    return Interposer::CreateProcess(adapter, create);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (!create->Flags.SystemContext) {
      DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range{};
      range.hDxgkProcess = process_;
      range.SizeInBytes = range.Alignment = 1u << 21;
      static_cast<void>(
          callbacks_.DxgkCbReserveGpuVirtualAddressRange(callbacks_.DeviceHandle, &range));
    }
    return Interposer::CreateContext(device, create);
  }

 private:
  DXGKRNL_INTERFACE callbacks_{};
  HANDLE process_ = nullptr;
};

const Rule kRule{
    .id = "PROC-002",
    .title = "Drivers reserve addresses while a process is created, and in whole leaf tables",
    .rule =
        "DxgkCbReserveGpuVirtualAddressRange is called inside CreateProcess only, with the "
        "hDxgkProcess of that call. SizeInBytes, BaseAddress and Alignment are multiples of what a "
        "leaf table covers, Alignment is a power of two, and nothing of the first entry of the "
        "root is asked for.",
    .sources =
        "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange.md # remarks\n"
        "ns-d3dkmddi-_dxgkargcb_reservegpuvirtualaddressrange.md\n"
        "nc-d3dkmddi-dxgkddi_createprocess.md # remarks",
    .note =
        "The structure's page speaks of what an entry covers, the page of the callback of what a "
        "leaf table does: the latter is followed. An example that reserves when the system device "
        "is created contradicts the page of the callback, and is not.",
    .unreached = "the driver reserves no GPU virtual addresses",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::Services, Configured::Linked},
    .scenario = R"(
about: a process with a device and contexts, and one whose wish is refused
ops:
- configure: {setting: ReservedRanges, value: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
# Of a link, where all GPUs have one address space, on the other GPU.
- physical_adapter: {index: 1}
- create_context: {context: 2, device: 1}
- fail_callback: {callback: ReserveGpuVirtualAddressRange}
- create_device: {device: 2, process: 2}
)",
    .control = R"(
about: processes that come and go, also behind others whose wish is refused
ops:
- configure: {setting: ReservedRanges, value: 1}
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 2}
- destroy_device: {device: 1}
- create_device: {device: 1, process: 1}
# Behind processes whose wish, or part of it, is refused comes one that has what it wants and works;
# so does one of the next start.
- fail_callback: {callback: ReserveGpuVirtualAddressRange}
- create_device: {device: 3, process: 3}
- fail_callback: {callback: ReserveGpuVirtualAddressRange, kth: 2}
- create_device: {device: 4, process: 4}
- create_device: {device: 3, process: 3}
- create_context: {context: 3, device: 3}
- create_allocation: {allocation: 3, device: 3, pages: 2, place: local}
- render: {context: 3}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, size: 8192, value: 0x31323334}
- idle
- stop
- start
- create_device: {device: 3, process: 3}
- create_context: {context: 3, device: 3}
- create_allocation: {allocation: 3, device: 3, pages: 2, place: local}
- render: {context: 3}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, size: 8192, value: 0x41424344}
- idle
)",
    .fault = {.about = "addresses are reserved when a context is created",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReservesLate); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_002
