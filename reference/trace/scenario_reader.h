// The grammar of a scenario file as a state machine over YAML events.
//
// It never builds a tree: each event either fits the one place where the reader stands or ends the
// reading, so nesting, aliases and repeated keys cannot cost anything. Internal to op_yaml.cpp.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstdint>
#include <string>

#include "reference/trace/op.h"

namespace wddm {

/// Thrown through the YAML library to end the reading.
struct ScenarioProblem {
  int line;  ///< 1-based
  std::string found;
  std::string expected;
};

class ScenarioReader final : public YAML::EventHandler {
 public:
  /// `piece_bytes` is set to 0 at each event: the reader's side of kMaxPieceBytes.
  ScenarioReader(Scenario& out, std::size_t& piece_bytes) : out_(out), piece_bytes_(piece_bytes) {}

  /// Line of the latest event, 1-based.
  [[nodiscard]] int line() const { return line_; }
  /// Throws unless one whole document was read.
  void finish() const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  /// What the next event must be.
  enum class Place {
    Document,  ///< the root map
    RootKey,   ///< name, about, ops or the end of the root map
    Name,
    About,
    OpList,   ///< the list behind ops
    Element,  ///< an op or the end of the list
    OpName,
    OpFields,  ///< the map of fields, or nothing
    OpEnd,     ///< the end of an op's one-key map
    FieldName,
    FieldValue,
    Finished,
  };
  enum class What { Nothing, Scalar, List, Map };
  struct Piece {
    What what = What::Nothing;
    std::string text = {};
    bool plain = false;  ///< a scalar without quotes
  };

  [[nodiscard]] static std::string describe(const Piece& piece);
  [[noreturn]] void fail(std::string found, std::string expected) const;
  void start_event(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  void take(const Piece& piece);
  void take_root_key(const Piece& piece);
  [[nodiscard]] std::string read_text(const Piece& piece, bool one_line, std::size_t longest) const;
  void start_op(const Piece& piece);
  void start_field(const Piece& piece);
  void take_field_value(const Piece& piece);
  [[nodiscard]] std::span<const FieldInfo> fields() const;

  Scenario& out_;
  std::size_t& piece_bytes_;
  Place place_ = Place::Document;
  int line_ = 1;
  int documents_ = 0;
  bool has_name_ = false;
  bool has_about_ = false;
  bool has_ops_ = false;
  const char* op_name_ = "";
  const OpInfo* op_ = nullptr;  ///< null for the op "none"
  const FieldInfo* field_ = nullptr;
  std::uint32_t fields_seen_ = 0;  ///< bit i: the i-th field of op_
};

}  // namespace wddm
