// The factory of the faulty driver: one variant, chosen when the driver is loaded.
#include "../kmd_factory.h"

#include "../paging/kmd_paging_virtual.h"
#include "../settings.h"
#include "faulty.h"
#include "variants.h"

namespace reference_kmd {

namespace {

ULONG g_variant = 0;

}  // namespace

Variant variant() {
  return static_cast<Variant>(g_variant);
}

void prepare_factory(PUNICODE_STRING registry_path) {
  g_variant = 0;
  HANDLE key = open_key(registry_path);
  if (key == nullptr) return;
  read_dword(key, L"Variant", &g_variant);
  ZwClose(key);
}

Adapter* make_adapter(PDEVICE_OBJECT physical_device) {
  switch (variant()) {
    case Variant::NodeArrayLeaked:
      return new LeakingAdapter(physical_device);
    case Variant::SmallAperturePages:
      return new SmallWindowAdapter(physical_device);
    case Variant::SpacesGivenAgain:
      return new FewSpacesAdapter(physical_device);
    case Variant::OnlyTheLeadFlushed:
      return new LeadFlushingAdapter(physical_device);
    default:
      return new Adapter(physical_device);
  }
}

Node* make_node(Dxgkrnl& dxgkrnl, Registers& registers, UINT ordinal) {
  switch (variant()) {
    case Variant::ContextNotRestored:
      return new StatelessPortionNode(dxgkrnl, registers, ordinal);
    case Variant::QueueSurvivesPreemption:
      return new StubbornQueueNode(dxgkrnl, registers, ordinal);
    case Variant::NotifiesByHand:
      return new HandRaisingNode(dxgkrnl, registers, ordinal);
    case Variant::WaitsToBeStopped:
      return new PatientNode(dxgkrnl, registers, ordinal);
    case Variant::PoolPerSubmission:
      return new AllocatingNode(dxgkrnl, registers, ordinal);
    case Variant::StopsForgotten:
      return new OneStopNode(dxgkrnl, registers, ordinal);
    case Variant::SubmittedUnlocked:
      return new UnlockedNode(dxgkrnl, registers, ordinal);
    case Variant::AcknowledgedLate:
      return new LateNode(dxgkrnl, registers, ordinal);
    case Variant::StopsLeftInTheRing:
      return new StaleStopsNode(dxgkrnl, registers, ordinal);
    case Variant::RefusalsLeftInTheRing:
      return new StaleRefusalsNode(dxgkrnl, registers, ordinal);
    case Variant::StoppedWithItsRoot:
      return new KeptRootNode(dxgkrnl, registers, ordinal);
    case Variant::RootsTakenForLoaded:
      return new CachedRootNode(dxgkrnl, registers, ordinal);
    case Variant::OneFaultAtATime:
      return new OneFaultNode(dxgkrnl, registers, ordinal);
    default:
      return new Node(dxgkrnl, registers, ordinal);
  }
}

Renderer* make_renderer() {
  switch (variant()) {
    case Variant::StateNotReestablished:
      return new ForgetfulRenderer;
    case Variant::CommandsReadTwice:
      return new DoubleFetchRenderer;
    default:
      return new Renderer;
  }
}

PagingBuilder* make_paging_builder() {
  switch (variant()) {
    case Variant::MdlTakenAsContiguous:
      return new ContiguousPagingBuilder;
    case Variant::UnmappedEntriesInvalid:
      return new ClearingPagingBuilder;
    case Variant::AddressesOnlyInPatch:
      return new LatePagingBuilder;
    default:
      return new PagingBuilder;
  }
}

PagingBuilder* make_virtual_paging_builder(const PageTableFormat& format) {
  switch (variant()) {
    case Variant::UpdatesReachThePeer:
      return new BroadcastingPagingBuilder(format);
    case Variant::OwnTablesInstalledOnce:
      return new OnceInstallingPagingBuilder(format);
    case Variant::PageSizesIgnored:
      return new SmallPagesPagingBuilder(format);
    default:
      return new VirtualPagingBuilder(format);
  }
}

}  // namespace reference_kmd
