// The adapter: what AddDevice makes and RemoveDevice frees, with everything one GPU consists of.
#pragma once

#include "dxgkrnl.h"
#include "kmd_addressing.h"
#include "kmd_driver.h"
#include "node.h"
#include "paging/page_table_format.h"
#include "power_components.h"
#include "registers.h"
#include "settings.h"

namespace reference_kmd {

class Context;
class Device;
class PagingBuilder;
class Process;
class Renderer;

class Adapter : public KernelObject {
 public:
  explicit Adapter(PDEVICE_OBJECT physical_device) : physical_device_(physical_device) {}
  ~Adapter() override;

  // Life cycle (adapter.cpp).
  NTSTATUS add();
  NTSTATUS start(const DXGK_START_INFO& information, const DXGKRNL_INTERFACE& callbacks);
  void stop();
  /// Frees what add() made.
  void remove();
  NTSTATUS set_power(DEVICE_POWER_STATE state);
  NTSTATUS set_component_state(UINT component, UINT state) {
    return power_components_.set_state(dxgkrnl_, component, state);
  }
  /// Makes the hardware quiet at once; any IRQL.
  void quiesce();
  /// It was pulled out.
  void forget_hardware() { registers_.forget_device(); }

  // Links (kmd_link.cpp).
  /// Says which link this GPU is one of; the first that is asked leads.
  NTSTATUS link(LINKED_DEVICE* description);
  /// Which one of its link this is.
  ULONG index() const { return index_; }
  /// A GPU of the link that this one leads, which is the 0th; null if there is no such GPU.
  Adapter* gpu(ULONG index) { return index < kMostLinked ? gpus_[index] : nullptr; }

  // Capabilities (caps.cpp, segments.cpp, virtual_caps.cpp).
  NTSTATUS query_info(const DXGKARG_QUERYADAPTERINFO& query);
  NTSTATUS node_metadata(UINT ordinal, DXGKARG_GETNODEMETADATA* metadata);
  NTSTATUS answer_escape(const DXGKARG_ESCAPE& escape) const;

  // The window to hidden memory (segments.cpp).
  NTSTATUS map_cpu_host_aperture(const DXGKARG_MAPCPUHOSTAPERTURE& request);
  NTSTATUS unmap_cpu_host_aperture(const DXGKARG_UNMAPCPUHOSTAPERTURE& request);

  // Views of primaries and of what is Swizzled (segments.cpp).
  NTSTATUS acquire_swizzling_range(DXGKARG_ACQUIRESWIZZLINGRANGE& request);
  NTSTATUS release_swizzling_range(const DXGKARG_RELEASESWIZZLINGRANGE& request);

  // Interrupts (adapter_interrupt.cpp).
  BOOLEAN handle_interrupt();
  void handle_dpc() { dxgkrnl_.notify_dpc(); }
  UINT video_sources() const { return settings_.video_sources; }
  bool guarantees_contract() const { return settings_.guaranteed_contract != 0; }
  /// Whether vertical retrace is reported from here on.
  void report_retrace(bool report);

  // Timeout recovery (timeout.cpp).
  NTSTATUS reset_engine(DXGKARG_RESETENGINE* request);
  void reset_from_timeout();
  void restart_from_timeout();
  NTSTATUS collect_debug_information(const DXGKARG_COLLECTDBGINFO& request);

  // Contexts (adapter.cpp).
  NTSTATUS create_context(Device* device, DXGKARG_CREATECONTEXT* request);
  void destroy_context(Context* context);

  // Processes and page tables (kmd_process.cpp).
  NTSTATUS create_process(DXGKARG_CREATEPROCESS* request);
  void destroy_process(Process* process);
  void set_root_page_table(const DXGKARG_SETROOTPAGETABLE& request);
  /// Whether contexts of this node reach memory through the IOMMU. What pages, does where there is
  /// nothing else.
  bool uses_io_mmu(UINT ordinal, bool pages) const {
    return io_mmu_alone() || (settings_.io_mmu != 0 && ordinal == HW_NODE_COPY && !pages);
  }
  const PageTableFormat& page_tables() const { return page_tables_; }
  AllocationRules allocation_rules() const {
    // The other GPU of a link reaches what a BAR shows.
    const bool high = settings_.high_segment != 0 && gpus_of_link() == 1;
    return {high ? UMD_SEGMENT_HIGH : UMD_SEGMENT_LOCAL,
            settings_.page_size_64k != 0 ? kLargePageSize : PAGE_SIZE,
            settings_.allocation_alignment * PAGE_SIZE,
            settings_.notify_residency != 0,
            settings_.accessed_physically != 0,
            is_wddm_2() && !uses_gpu_virtual_addresses(),
            settings_.alternate_view != 0,
            settings_.swizzled != 0};
  }

  /// A node of a GPU of the link that this one leads.
  Node* node(UINT ordinal, UINT engine) {
    const Adapter* named = gpu(engine);
    return named != nullptr ? named->node(ordinal) : nullptr;
  }
  /// Null if there is no such node.
  Node* node(UINT ordinal) const { return ordinal < HW_NODE_COUNT ? nodes_[ordinal] : nullptr; }
  Dxgkrnl& dxgkrnl() { return dxgkrnl_; }
  Renderer& renderer() const { return *renderer_; }
  PagingBuilder& paging() const { return *paging_; }
  bool is_valid() const { return signature_ == kSignature; }

 protected:
  virtual void free_nodes();
  /// What the hardware is to tell the translations of a new process by; not 0.
  virtual ULONG space_for_process() {
    return static_cast<ULONG>(InterlockedIncrement(&next_address_space_));
  }
  virtual void flush_translations(const Process* process);
  /// A page of the window shows that page of the hidden segment; HW_HIDDEN_PAGES: none.
  virtual void show_hidden(ULONG window, ULONG page);

  Dxgkrnl dxgkrnl_;
  Registers registers_;
  Node** nodes_ = nullptr;

 private:
  static constexpr ULONG kSignature = 'afeR';

  void unlink();
  void meet_peers();
  void meet(const Adapter& peer);
  void enable_interrupts();
  void disable_interrupts();
  void begin_work();
  /// After the hardware was reset, or had no power.
  void resume();
  NTSTATUS start_hardware(ULONG packets);

  NTSTATUS fill_caps(const DXGKARG_QUERYADAPTERINFO& query);
  template <class Out>
  NTSTATUS fill_segments(const DXGKARG_QUERYADAPTERINFO& query);
  NTSTATUS fill_segments4(const DXGKARG_QUERYADAPTERINFO& query);
  NTSTATUS query_isolation(const DXGKARG_QUERYADAPTERINFO& query);
  NTSTATUS query_virtual_info(const DXGKARG_QUERYADAPTERINFO& query);
  void add_virtual_caps(DXGK_DRIVERCAPS* caps) const;
  void name_internal_range(DXGK_DRIVERCAPS* caps) const;
  UINT address_bits_of_link() const;
  void describe_context(const DXGKARG_CREATECONTEXT& request, DXGK_CONTEXTINFO* info) const;
  bool write_root(const Context& context, const RootTable& root);
  NTSTATUS reserve_addresses(Process* process);

  const ULONG signature_ = kSignature;
  PDEVICE_OBJECT const physical_device_;
  Adapter* lead_ = this;
  Adapter* gpus_[kMostLinked] = {this};  // of the lead
  ULONG index_ = 0;
  Settings settings_;
  PageTableFormat page_tables_;
  PowerComponents power_components_;
  ContiguousMemory dummy_page_;  // what unmapped aperture pages refer to until Dxgkrnl names one
  Renderer* renderer_ = nullptr;
  PagingBuilder* paging_ = nullptr;
  bool reports_retrace_ = false;
  LONG next_context_id_ = 0;
  LONG next_address_space_ = 0;
};

}  // namespace reference_kmd
