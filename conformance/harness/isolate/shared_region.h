// Memory that a run and the runner share: a note of where the run is, and the storage of its trace.
//
// It is mapped shared so that what a run saw survives its process, and sparse so that forking costs
// nothing for it. The driver under test can reach all of it: nothing read from it is trusted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wddm::harness {

enum class Stage : std::uint32_t { NotBegun, Executing, Returned };

/// Written by the child, from signal handlers too.
struct Note {
  std::atomic<Stage> stage{Stage::NotBegun};
  std::atomic<std::uint32_t> signal{0};     ///< a fatal signal was seen
  std::atomic<std::uint32_t> sanitizer{0};  ///< a sanitizer ended the process
  char call[128] = {};     ///< innermost call into the driver, or the clause being judged
  char service[128] = {};  ///< last kernel service
  char access[128] = {};   ///< what a fatal signal came from
  std::array<std::uintptr_t, 3> frames{};  ///< code of the driver, innermost first
};
/// Copies without allocating, cut to the room there is.
void note_text(char (&room)[128], std::string_view text);

/// What a note says, made printable.
struct NoteCopy {
  Stage stage = Stage::NotBegun;
  std::uint32_t signal = 0;
  bool sanitizer = false;
  std::string call, service, access;
  std::string line;                    ///< of the driver's innermost function
  std::vector<std::string> functions;  ///< of the driver, innermost first
};

/// The functions of the driver at these places; others have none.
[[nodiscard]] std::vector<std::string> functions_at(std::span<const std::uintptr_t> frames);
/// " (inner < outer)", as it stands behind the call that they ran in; empty if there are none.
[[nodiscard]] std::string among(const std::vector<std::string>& functions);

class Region {
 public:
  Region(std::uint32_t events, std::uint32_t blobs);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] Note& note() const { return *static_cast<Note*>(memory_); }
  [[nodiscard]] NoteCopy read_note() const;
  [[nodiscard]] void* trace_storage() const;
  [[nodiscard]] std::uint32_t events() const { return events_; }
  [[nodiscard]] std::uint32_t blobs() const { return blobs_; }
  /// Whether processes that are forked from now on have it; true in the beginning.
  void inherit(bool wanted) const;
  /// Whether this process can reach it; true in the beginning.
  void open(bool wanted) const;
  /// What a trace can show becomes zero, so that no run can see what another left: all that it said
  /// it used, or everything if that is much or cannot be.
  void reset();

 private:
  [[nodiscard]] bool clear_what_was_used();

  std::uint32_t events_, blobs_;
  std::size_t bytes_;
  void* memory_;
};

/// Of what the trace in it says, byte by byte. Equal traces are judged alike.
[[nodiscard]] std::uint64_t digest_of_trace(const Region& region);

/// Regions not in use, to be taken again.
class RegionStore {
 public:
  RegionStore(std::uint32_t events, std::uint32_t blobs) : events_(events), blobs_(blobs) {}
  [[nodiscard]] std::unique_ptr<Region> take();
  void give_back(std::unique_ptr<Region> region);

 private:
  std::uint32_t events_, blobs_;
  std::vector<std::unique_ptr<Region>> free_;
};

}  // namespace wddm::harness
