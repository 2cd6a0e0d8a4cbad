#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

std::uint32_t unlike(const Output& one, const Output& other) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    count += one.data()[i] != other.data()[i];
  }
  return count;
}

std::uint32_t room_told(const Question& question, const Output& output) {
  return question.output_bytes != 0 ? question.output_bytes : output.size();
}

}  // namespace

NTSTATUS ask(const Adapter& adapter, const Question& question, const Output& output) {
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = static_cast<DXGK_QUERYADAPTERINFOTYPE>(question.type);
  query.pInputData = const_cast<void*>(question.input);
  query.InputDataSize = question.input_bytes;
  query.pOutputData = output.data();
  query.OutputDataSize = room_told(question, output);
  query.hKmdProcessHandle = question.process;
  return call_ddi<DdiId::QueryAdapterInfo>(query.Type, adapter.miniport(), &query);
}

void tell(const Question& question, NTSTATUS status, const Output& output,
          std::uint32_t unlike_first) {
  const std::uint32_t told = room_told(question, output);
  session().tap(ev::InfoAnswered{.type = question.type,
                                 .how = static_cast<std::uint32_t>(question.how),
                                 .status = static_cast<std::uint32_t>(status),
                                 .input_bytes = question.input_bytes,
                                 .output_bytes = told,
                                 .changed = output.changed(0, told),
                                 .behind = output.changed(told, output.size()) + output.behind(),
                                 .unlike = unlike_first,
                                 .first = output.first_word()});
}

bool ask_once(const Adapter& adapter, const Question& question, std::size_t bytes,
              std::uint8_t before) {
  const Output output(bytes, before);
  const NTSTATUS status = ask(adapter, question, output);
  tell(question, status, output);
  return NT_SUCCESS(status);
}

void ask_twice(const Adapter& adapter, Question question, std::size_t bytes) {
  const Output first(bytes, 0), second(bytes, kOtherBytes);
  const NTSTATUS status = ask(adapter, question, first);
  tell(question, status, first);
  if (!NT_SUCCESS(status)) return;
  question.how = InfoQuestion::Again;
  const NTSTATUS again = ask(adapter, question, second);
  tell(question, again, second, unlike(first, second));
}

}  // namespace wddm::host
