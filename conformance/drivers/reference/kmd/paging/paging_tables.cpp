// Paging operations on page tables.
#include "../kmd_process.h"
#include "kmd_paging_virtual.h"
#include "paging_writer.h"

namespace reference_kmd {

namespace {

using UpdatePageTable = DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

// What is to be written to a table, word by word in the hardware's form. Of pairs the first word is
// for the table of 4 KB pages, the second for that of 64 KB pages. Entries that the driver reserved
// lead to its own table again.
class Words {
 public:
  /// `own`: the process, if some of the entries are the driver's own; else null.
  Words(const UpdatePageTable& update, const PageTableFormat& format, const Process* own)
      : update_(update),
        format_(format),
        own_(own),
        per_entry_(format.words_per_entry(update.PageTableLevel)) {}

  ULONGLONG count() const {
    return static_cast<ULONGLONG>(update_.NumPageTableEntries) * per_entry_;
  }
  /// Bytes from the start of the table to the first one.
  ULONGLONG offset() const {
    return static_cast<ULONGLONG>(update_.StartIndex) * per_entry_ * sizeof(ULONGLONG);
  }
  /// All words are the same one.
  bool repeats() const { return update_.Flags.Repeat && per_entry_ == 1 && own_ == nullptr; }
  ULONGLONG word(ULONGLONG n) const {
    const DXGK_PTE* entries =
        n % per_entry_ == 0 ? update_.pPageTableEntries : update_.pPageTableEntries64KB;
    if (is_own(n / per_entry_)) return n % per_entry_ == 0 ? own_->own_entry() : 0;
    if (entries == nullptr) return 0;
    const ULONGLONG index = update_.Flags.Repeat ? 0 : n / per_entry_;
    return format_.encode(entries[index], update_.PageTableLevel, update_.DriverProtection);
  }

 private:
  bool is_own(ULONGLONG entry) const {
    return own_ != nullptr &&
           own_->reserves(update_.FirstPteVirtualAddress + entry * format_.leaf_coverage());
  }

  const UpdatePageTable& update_;
  const PageTableFormat& format_;
  const Process* const own_;
  const UINT per_entry_;
};

HardwarePlace place_of(const UpdatePageTable& update, const PageTableFormat& format) {
  if (update.UpdateMode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
    return {HW_SPACE_VIRTUAL, update.PageTableAddress.GpuVirtual};
  }
  const D3DGPU_PHYSICAL_ADDRESS& address = update.PageTableAddress.GpuPhysical;
  return format.place_in(address.SegmentId, address.SegmentOffset);
}

void write_at_once(const UpdatePageTable& update, const Words& words) {
  UCHAR* place = static_cast<UCHAR*>(update.PageTableAddress.CpuVirtual) + words.offset();
  for (ULONGLONG i = 0; i < words.count(); ++i) {
    const ULONGLONG word = words.word(i);
    RtlCopyMemory(place + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace

// Entries that lead to leaf tables, unless they are about to go.
const Process* VirtualPagingBuilder::owner_of_entries(const UpdatePageTable& update) const {
  const auto* process = static_cast<const Process*>(update.hProcess);
  if (process == nullptr || update.PageTableLevel != 1 || update.Flags.NotifyEviction) {
    return nullptr;
  }
  for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
    const ULONGLONG offset = static_cast<ULONGLONG>(i) * format_.leaf_coverage();
    if (process->reserves(update.FirstPteVirtualAddress + offset)) return process;
  }
  return nullptr;
}

// The mode is that of the operation: tables of the paging process are always written by the CPU.
NTSTATUS VirtualPagingBuilder::update_page_table(DXGKARG_BUILDPAGINGBUFFER* operation,
                                                 Writer* writer) {
  const UpdatePageTable& update = operation->UpdatePageTable;
  const Words words(update, format_, owner_of_entries(update));
  if (update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
    write_at_once(update, words);
    return STATUS_SUCCESS;
  }
  const HardwarePlace table = place_of(update, format_);
  ULONGLONG done = operation->MultipassOffset;
  while (done < words.count()) {
    const ULONGLONG place = table.address + words.offset() + done * sizeof(ULONGLONG);
    const ULONGLONG left = words.count() - done;
    ULONG count = 0;
    if (words.repeats()) {
      if (!writer->has_room(HW_WORDS_REPEAT_ENTRY)) break;
      count = static_cast<ULONG>(min(left, static_cast<ULONGLONG>(HW_MOST_REPEAT_ENTRY)));
      writer->put_command(HW_COMMAND(HW_OP_REPEAT_ENTRY, HW_WORDS_REPEAT_ENTRY, table.space, 0));
      writer->put(count);
      writer->put64(place);
      writer->put64(words.word(0));
    } else {
      if (!writer->has_room(HW_WORDS_WRITE_ENTRIES(1))) break;
      count = static_cast<ULONG>(min(left, static_cast<ULONGLONG>(HW_MOST_WRITE_ENTRIES)));
      while (!writer->has_room(HW_WORDS_WRITE_ENTRIES(count))) --count;
      writer->put_command(
          HW_COMMAND(HW_OP_WRITE_ENTRIES, HW_WORDS_WRITE_ENTRIES(count), table.space, 0));
      writer->put(0);
      writer->put64(place);
      for (ULONG i = 0; i < count; ++i) writer->put64(words.word(done + i));
    }
    done += count;
    operation->MultipassOffset = static_cast<UINT>(done);
  }
  return done < words.count() ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

// Bytes of one table become bytes of another when the GPU comes to it, so whatever state the source
// then has is copied. The ranges are those of leaf tables: an entry is one word.
NTSTATUS VirtualPagingBuilder::copy_entries(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& c = operation->CopyPageTableEntries;
  for (UINT i = operation->MultipassOffset; i < c.NumRanges; ++i) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE& range = c.pRanges[i];
    if (!writer->has_room(HW_WORDS_PAGING_COPY)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    writer->put_command(
        HW_COMMAND(HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, HW_SPACE_VIRTUAL, HW_SPACE_VIRTUAL));
    writer->put(static_cast<ULONG>(range.NumPageTableEntries * sizeof(ULONGLONG)));
    writer->put64(range.SrcPageTableAddress + range.SrcStartPteIndex * sizeof(ULONGLONG));
    writer->put64(range.DstPageTableAddress + range.DstStartPteIndex * sizeof(ULONGLONG));
    operation->MultipassOffset = i + 1;
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
