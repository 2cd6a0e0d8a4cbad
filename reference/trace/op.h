// What a scenario asks for: a list of ops, each 16 bytes.
//
// The list is total (any bytes are some scenario), closed under deletion and stable; see op.def for
// the catalogue and scenario.md for the text form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wddm {

enum class OpKind : std::uint8_t {
  None = 0,
#define FIELD(...)
#define OP(number, type, yaml, role, about, fields) type = number,
#include "reference/trace/op.def"
#undef OP
#undef FIELD
};

enum class OpRole : std::uint8_t { Do, Open, Element, Choose, Modify };

/// One op. Which member carries what is written in op.def.
struct Op {
  OpKind kind = OpKind::None;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::uint8_t c = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  friend bool operator==(const Op&, const Op&) = default;
};
static_assert(sizeof(Op) == 16);

/// How a field is written in text and which values it has.
enum class FieldShape : std::uint8_t {
  Number,
  Hex,
  Flag,          ///< true, false
  Slot,          ///< names an object of the scenario
  CycleDepth,    ///< start, add
  Setting,       ///< PreemptionAware, NoDmaPatching, LocalSegmentPages, ApertureSegmentPages,
                 ///< DmaBufferSize, PagingBufferSize, Variant
  Place,         ///< any, local, aperture
  PatchMember,   ///< AllocationIndex, SlotId, DriverId, AllocationOffset, PatchOffset, SplitOffset
  Input,         ///< command, patch_list
  Take,          ///< none, all, mask
  PrepatchMode,  ///< auto, always_repatch, never_prepatch, skip_patch
  FallibleCallback,  ///< MapMemory, GetDeviceInformation, ReadDeviceSpace, WriteDeviceSpace
  Policy,            ///< first_come, random, pct
};

enum class Setting : std::uint8_t {
  PreemptionAware,
  NoDmaPatching,
  LocalSegmentPages,
  ApertureSegmentPages,
  DmaBufferSize,
  PagingBufferSize,
  Variant,
};
enum class Place : std::uint8_t { Any, Local, Aperture };
enum class PatchMember : std::uint8_t {
  AllocationIndex,
  Slot,
  DriverId,
  AllocationOffset,
  PatchOffset,
  SplitOffset,
};
enum class Input : std::uint8_t { Command, PatchList };
enum class Take : std::uint8_t { None, All, Mask };
enum class PrepatchMode : std::uint8_t {
  Auto,           ///< addresses of resident allocations are given; Patch is called
  AlwaysRepatch,  ///< every allocation moves between Render and Patch where memory allows
  NeverPrepatch,  ///< SegmentId is 0 at Render time
  SkipPatch,      ///< Patch is left out while every address given to Render is still valid
};

enum class FallibleCallback : std::uint8_t {
  MapMemory,
  GetDeviceInformation,
  ReadDeviceSpace,
  WriteDeviceSpace,
};
enum class Policy : std::uint8_t {
  FirstCome,  ///< who is ready first runs first, and until it waits
  Random,     ///< at each point where control may move, anyone
  Pct,        ///< by random priorities that change at a few random points (Burckhardt et al. 2010)
};

struct FieldInfo {
  char member;  ///< 'a', 'b', 'c', 'x', 'y' or 'z'
  const char* name;
  FieldShape shape;
  std::uint32_t lowest, highest, fallback;
  const char* about;
};
struct OpInfo {
  OpKind kind;
  const char* name;  ///< in YAML
  OpRole role;
  const char* about;
  std::span<const FieldInfo> fields;
};

/// The catalogue in order of number.
[[nodiscard]] std::span<const OpInfo> op_catalogue();
/// Null for a number that is not assigned (such an op is a no-op).
[[nodiscard]] const OpInfo* op_info(OpKind kind);
/// Names of the values of an enumerated shape in order; empty for numbers.
[[nodiscard]] std::span<const char* const> shape_values(FieldShape shape);
[[nodiscard]] std::uint32_t field_of(const Op& op, char member);
void set_field(Op& op, char member, std::uint32_t value);

/// A scenario: what it is called, what it shows, its ops and where each stood in the file.
struct Scenario {
  std::string name;
  std::string about;
  std::vector<Op> ops;
  std::vector<std::uint32_t>
      lines;  ///< 1-based line of each op in its file; empty if not from text
};

/// The op with every field inside its limits: out-of-range values are brought to the nearest limit,
/// members without meaning become 0, unassigned kinds become None.
[[nodiscard]] Op canonical(Op op);

/// Ops a scenario can hold: events number them with 16 bits, and kNoOp is taken.
inline constexpr std::size_t kMaxOps = 65535;

/// Bytes for fuzzers: 16 bytes an op, little endian; a short tail and all beyond kMaxOps is
/// dropped. decode(encode(s)) == s for canonical s, and encode(decode(b)) is the canonical form of
/// b.
[[nodiscard]] std::vector<std::uint8_t> encode(std::span<const Op> ops);
[[nodiscard]] std::vector<Op> decode(std::span<const std::uint8_t> bytes);

/// A problem with a file: "FILE:LINE: what was found; what was expected".
struct TextError {
  std::string message;
};
/// Reads the YAML form (scenario.md), whatever `text` holds. `file` is only used in messages. On
/// error `out` is unspecified and the message is one line. Never throws, except when memory ends.
[[nodiscard]] bool parse_scenario(const std::string& text, const std::string& file, Scenario& out,
                                  TextError& error);
/// Writes the YAML form, fields at their default left out. parse(print(s)) == s for canonical ops
/// and texts within the limits of scenario.md; other texts are brought within them.
[[nodiscard]] std::string print_scenario(const Scenario& scenario);
/// One op as one line of YAML flow form, for reports.
[[nodiscard]] std::string print_op(const Op& op);

}  // namespace wddm
