#include "conformance/host/adapter/questions/strict_questions.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "conformance/host/adapter/questions/info_question.h"
#include "conformance/host/adapter/questions/query_types.h"

namespace wddm::host {
namespace {

// ---- Over other bytes: what is not written is another answer then.

// Members that every driver writes, whatever else it says.
struct Member {
  std::uint32_t offset, bytes;
};
#define MEMBER(structure, member)                          \
  Member {                                                 \
    offsetof(structure, member), sizeof(structure::member) \
  }

constexpr Member kPhysicalAdapter[] = {
    MEMBER(DXGK_PHYSICALADAPTERCAPS, NumExecutionNodes),
    MEMBER(DXGK_PHYSICALADAPTERCAPS, PagingNodeIndex),
    MEMBER(DXGK_PHYSICALADAPTERCAPS, DxgkPhysicalAdapterHandle),
    MEMBER(DXGK_PHYSICALADAPTERCAPS, Flags),
};
constexpr Member kComponents[] = {{0, sizeof(UINT)}};

// Of a segment that is said to be AGP's hardly anything counts; a CommitLimit in the newest form
// counts for apertures alone, and CPU addresses and banks where flags say so.
template <class Descriptor>
constexpr Member kDescriptor[] = {MEMBER(Descriptor, Flags), MEMBER(Descriptor, BaseAddress),
                                  MEMBER(Descriptor, Size), MEMBER(Descriptor, CommitLimit)};
template <>
constexpr Member kDescriptor<DXGK_SEGMENTDESCRIPTOR4>[] = {
    MEMBER(DXGK_SEGMENTDESCRIPTOR4, Flags), MEMBER(DXGK_SEGMENTDESCRIPTOR4, BaseAddress),
    MEMBER(DXGK_SEGMENTDESCRIPTOR4, Size), MEMBER(DXGK_SEGMENTDESCRIPTOR4, NumInvalidMemoryRanges)};
template <class Out>
constexpr Member kPaging[] = {MEMBER(Out, PagingBufferSegmentId), MEMBER(Out, PagingBufferSize),
                              MEMBER(Out, PagingBufferPrivateDataSize)};
#undef MEMBER

void tell_unlike(UINT type, std::size_t place, const std::uint8_t* over_zeros,
                 const std::uint8_t* over_others, std::span<const Member> members) {
  for (const Member& member : members) {
    if (std::memcmp(over_zeros + member.offset, over_others + member.offset, member.bytes) == 0) {
      continue;
    }
    session().tap(ev::AnswerUnwritten{.ddi = static_cast<std::uint32_t>(DdiId::QueryAdapterInfo),
                                      .object = type,
                                      .member = static_cast<std::uint32_t>(place + member.offset),
                                      .bytes = member.bytes});
  }
}

Question question_of(const QueryType& query) {
  return {.type = query.type,
          .input = query.input_bytes == 0 ? nullptr : query.input.data(),
          .input_bytes = query.input_bytes};
}

void ask_over_others(const Adapter& adapter, const QueryType& query,
                     std::span<const Member> members) {
  const Output zeros(query.output_bytes, 0), others(query.output_bytes, kOtherBytes);
  if (!NT_SUCCESS(ask(adapter, question_of(query), zeros))) return;
  if (!NT_SUCCESS(ask(adapter, question_of(query), others))) return;
  tell_unlike(query.type, 0, zeros.data(), others.data(), members);
}

// The second call of a query for segments, over such bytes where the answer is to stand.
template <class Out, class Descriptor>
class SegmentList {
 public:
  SegmentList(std::size_t count, std::uint8_t before)
      : out_(sizeof(Out), 0), descriptors_(count * sizeof(Descriptor), before) {
    auto& said = *reinterpret_cast<Out*>(out_.data());
    said.NbSegment = static_cast<UINT>(count);
    said.pSegmentDescriptor =
        reinterpret_cast<decltype(said.pSegmentDescriptor)>(descriptors_.data());
    if constexpr (requires { said.SegmentDescriptorStride; }) {
      said.SegmentDescriptorStride = sizeof(Descriptor);
    }
    for (const Member& member : kPaging<Out>) {
      std::memset(out_.data() + member.offset, before, member.bytes);
    }
  }
  [[nodiscard]] const Output& out() const { return out_; }
  [[nodiscard]] const std::uint8_t* descriptor(std::size_t i) const {
    return descriptors_.data() + i * sizeof(Descriptor);
  }

 private:
  Output out_, descriptors_;
};

// In an AnswerUnwritten the list stands behind the structure that leads to it.
template <class Out, class Descriptor>
void ask_segments_over_others(const Adapter& adapter, const QueryType& query) {
  const std::size_t count = adapter.segments(0).size();
  if (count == 0) return;
  const SegmentList<Out, Descriptor> zeros(count, 0), others(count, kOtherBytes);
  if (!NT_SUCCESS(ask(adapter, question_of(query), zeros.out()))) return;
  if (!NT_SUCCESS(ask(adapter, question_of(query), others.out()))) return;
  tell_unlike(query.type, 0, zeros.out().data(), others.out().data(), kPaging<Out>);
  for (std::size_t i = 0; i < count; ++i) {
    if (reinterpret_cast<const Descriptor*>(zeros.descriptor(i))->Flags.Agp) continue;
    tell_unlike(query.type, sizeof(Out) + i * sizeof(Descriptor), zeros.descriptor(i),
                others.descriptor(i), kDescriptor<Descriptor>);
  }
}

// Older forms of the query for segments are what older systems ask.
void ask_over_others(const Adapter& adapter, const QueryType& query) {
  const bool newest = Adapter::knows(InterfaceVersion::Wddm2_0);
  switch (query.type) {
    case DXGKQAITYPE_QUERYSEGMENT:
      if (Adapter::knows(InterfaceVersion::Win8)) return;
      return ask_segments_over_others<DXGK_QUERYSEGMENTOUT, DXGK_SEGMENTDESCRIPTOR>(adapter, query);
    case DXGKQAITYPE_QUERYSEGMENT3:
      if (newest) return;
      return ask_segments_over_others<DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3>(adapter,
                                                                                      query);
    case DXGKQAITYPE_QUERYSEGMENT4:
      return ask_segments_over_others<DXGK_QUERYSEGMENTOUT4, DXGK_SEGMENTDESCRIPTOR4>(adapter,
                                                                                      query);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
      return ask_over_others(adapter, query, kPhysicalAdapter);
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      return ask_over_others(adapter, query, kComponents);
    default:
      return;  // other clauses see what is left of those, or it may be left
  }
}

// ---- With less room than the answer takes.

// The room is there all the same, and shows what is written behind what the driver is told of.
void ask_short(const Adapter& adapter, const QueryType& query, std::uint32_t told) {
  Question question = question_of(query);
  question.how = InfoQuestion::Short;
  question.output_bytes = told;
  const Output room(query.output_bytes, query.points ? 0 : kOtherBytes);
  tell(question, ask(adapter, question, room), room);
}

// ---- Of a GPU that is not in the link.

// Without a link whoever asks means the one that there is. HISTORYBUFFERPRECISION names one too, by
// headers: pages say nothing of its input, so that a driver need not look at it.
void ask_of_no_gpu(const Adapter& adapter, const QueryType& query) {
  const UINT index = adapter.physical_adapters();
  const bool names_gpu = query.type == DXGKQAITYPE_QUERYSEGMENT4 ||
                         query.type == DXGKQAITYPE_GPUMMUCAPS ||
                         query.type == DXGKQAITYPE_PHYSICALADAPTERCAPS;
  if (index < 2 || !names_gpu) return;
  QueryType of_none = query;
  std::memcpy(of_none.input.data(), &index, sizeof(index));
  Question question = question_of(of_none);
  question.how = InfoQuestion::WrongIndex;
  const Output room(query.output_bytes, query.points ? 0 : kOtherBytes);
  tell(question, ask(adapter, question, room), room);
}

}  // namespace

void ask_strictly(const Adapter& adapter) {
  for (const QueryType& query : query_types(adapter)) {
    ask_over_others(adapter, query);
    const nt::AssertionsAside aside;  // Dxgkrnl gives the room that there has to be
    for (const std::uint32_t told : {query.output_bytes - 1, query.output_bytes / 2}) {
      ask_short(adapter, query, told);
    }
    ask_of_no_gpu(adapter, query);
  }
}

}  // namespace wddm::host
