// Which entries of DRIVER_INITIALIZATION_DATA a driver has filled, and drivers that fill others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::entries {

/// A member of the table, by its place on x64.
struct Entry {
  const char* name;
  std::uint32_t place;
};
#define WDDM_TABLE_ENTRY(name)                                           \
  ::wddm::entries::Entry {                                               \
    "DxgkDdi" #name, offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name) \
  }

/// What one DriverEntry has filled.
class Filled {
 public:
  Filled(const Trace& trace, std::uint32_t event)
      : places_(trace.blob<std::uint32_t>(trace.events()[event])),
        version_(trace.at<ev::EntriesFilled>(event).version) {}

  [[nodiscard]] bool has(const Entry& entry) const {
    for (const std::uint32_t place : places_) {
      if (place == entry.place) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t version() const { return version_; }

 private:
  std::span<const std::uint32_t> places_;
  std::uint32_t version_;
};

/// Names, as a verdict lists them.
inline void append(std::string& names, const Entry& entry) {
  if (!names.empty()) names += ", ";
  names += entry.name;
}

/// Every entry point that is filled and must not be fails; `expected` as a verdict says it.
inline void judge_unfilled(const Trace& trace, std::span<const Entry> none_of, const char* expected,
                           Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesFilled>()) {
    const Filled filled(trace, index);
    judgement.reached(index);
    std::string found;
    for (const Entry& entry : none_of) {
      if (filled.has(entry)) append(found, entry);
    }
    if (!found.empty()) judgement.fail(index, expected, "filled: " + found);
  }
}

/// Stands where nobody calls it.
inline NTSTATUS never_called() {
  return STATUS_NOT_SUPPORTED;
}

/// A driver with another table.
template <void (*kAlter)(DRIVER_INITIALIZATION_DATA&)>
class AltersTable final : public Interposer {
 public:
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    const NTSTATUS status = Interposer::DriverEntry(entry, object, path);
    kAlter(driver);
    return status;
  }
};
template <void (*kAlter)(DRIVER_INITIALIZATION_DATA&)>
std::unique_ptr<Interposer> alters_table() {
  return std::unique_ptr<Interposer>(new AltersTable<kAlter>);
}

}  // namespace wddm::entries
