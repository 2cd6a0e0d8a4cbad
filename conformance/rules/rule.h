// A clause and everything that belongs to it: rule text, check, scenario, control case, fault.
//
// One rule file defines one Rule. The catalogue, `explain`, the tests, the fuzz oracle, the kill
// matrix and the coverage report are all made from this record. Nothing of gtest, rapidcheck, yaml
// or fmt is included here, so that hundreds of rule files build fast.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/host/oracle_fault.h"
#include "conformance/rules/configured.h"
#include "reference/platform.h"
#include "reference/trace/names.h"
#include "reference/trace/trace.h"

namespace wddm {

class Interposer;  // conformance/host/interposer.h

enum class Binds : std::uint8_t {
  Driver,
  Os,  ///< judges our own host: a violation is a HARNESS failure, never a driver's score
  /// Judges who calls the runtime for a user-mode driver. That is our own host today, so a
  /// violation is what it is for Os.
  Client,
};
enum class Level : std::uint8_t { Must, Should };
enum class Grade : std::uint8_t {
  Documented,
  UndocumentedReliance,
  Robustness,  ///< against untrusted user-mode input
};
enum class Evidence : std::uint8_t { Boundary, Memory, DeviceLog };

/// Whether a clause applies to a driver: null, or the reason why not.
using NotApplicable = const char*;

/// What a check says. Only failing allocates.
class Judgement {
 public:
  /// The check judged something at this event: a later silence is a pass, not an absence.
  void reached(std::uint32_t event) {
    ++reached_;
    last_reached_ = event;
  }
  /// The clause does not hold at `event`. `because` are the events that led there, oldest first.
  void fail(std::uint32_t event, std::string expected, std::string seen,
            std::initializer_list<std::uint32_t> because = {});
  /// For who knows only then how many there are.
  void fail(std::uint32_t event, std::string expected, std::string seen,
            std::vector<std::uint32_t> because);
  /// A further failure is one of the first: worth looking far for its words. A verdict tells the
  /// one that happened first, and a hostile trace may have very many, each of which takes long.
  [[nodiscard]] bool is_worth_a_look() const;

  struct Failure {
    std::uint32_t event;
    std::string expected;
    std::string seen;
    std::vector<std::uint32_t> because;
  };
  [[nodiscard]] std::uint32_t times_reached() const { return reached_; }
  [[nodiscard]] std::span<const Failure> failures() const { return failures_; }

 private:
  std::uint32_t reached_ = 0;
  std::uint32_t last_reached_ = 0;
  std::vector<Failure> failures_;
};

/// Where a seeded fault sits.
enum class FaultSeat : std::uint8_t {
  Boundary,  ///< an interposer alters a DDI call, callback or result; works on any driver
  Oracle,    ///< a decision of our host is altered
  Variant,   ///< the faulty build of the reference driver overrides one method
  Device,    ///< the faulty build of the reference device overrides one method
};

/// The smallest fault that breaks the clause, and what else it sets off.
struct Fault {
  const char* about;
  FaultSeat seat = FaultSeat::Boundary;
  std::unique_ptr<Interposer> (*interposer)() = nullptr;
  OracleFault oracle = OracleFault::None;
  /// Number in the table of conformance/drivers/reference/kmd/variants; of Device, device/variants.
  std::uint32_t variant = 0;
  /// Ids of other clauses that fire with it, separated by spaces; a change fails selftest.
  const char* also_fires = "";
};

struct Rule {
  const char* id;            ///< "SPLIT-007"
  const char* aliases = "";  ///< ids of the same rule seen from another side, separated by spaces
  const char* title;
  Binds binds = Binds::Driver;
  Level level = Level::Must;
  Grade grade = Grade::Documented;
  Evidence evidence = Evidence::Boundary;
  const char* rule;       ///< the clause in one or two sentences of our own
  const char* sources;    ///< documents and sections, one a line
  const char* note = "";  ///< the reading chosen where sources are unclear or a draft was wrong
  /// What a driver has not done where nothing is judged though no op was skipped, for reports:
  /// "the driver makes no context allocations". For what drivers may do and need not.
  const char* unreached = "";
  NotApplicable (*applies)(const Platform&);
  void (*check)(const Trace&, const Platform&, Judgement&);
  /// What the scenarios are played in on the built-in driver: where they can differ.
  ConfigurationSet played_in = kPatchListConfigurations;
  const char* scenario;  ///< YAML: shows the fault
  const char* control;   ///< YAML: the nearest thing that is allowed
  Fault fault;
  /// The same clause broken by the device, where it binds the device as well; `about` null: it
  /// does not.
  Fault device_fault{.about = nullptr};
};

/// All rules, by area in the order of the catalogue and then by number.
[[nodiscard]] std::span<const Rule* const> all_rules();
/// By id or alias, in either spelling ("SPLIT-007", "SPLIT_007", without case); null if unknown.
[[nodiscard]] const Rule* find_rule(std::string_view id);

struct RegisterRule {
  explicit RegisterRule(const Rule& rule);
};
/// One line at the end of a rule file.
#define WDDM_RULE(name) static const ::wddm::RegisterRule register_##name(name)

// Common answers to "does it apply".
[[nodiscard]] NotApplicable always(const Platform&);
[[nodiscard]] NotApplicable needs_caps(const Platform&);
/// An entry point: "the driver has no DxgkDdiX".
[[nodiscard]] NotApplicable needs(const Platform&, DdiId);
/// ... in the place of Render's absence, where it is the other model's.
inline constexpr NotApplicable kRenderIsNotCalled =
    "GPU virtual addresses: user mode submits what it builds, and Render is not called";
/// Patch-list contexts and a client that can render in them.
[[nodiscard]] NotApplicable patch_lists(const Platform&);
/// ... which Patch is called for.
[[nodiscard]] NotApplicable patching(const Platform&);
/// ... whose slots have a limit.
[[nodiscard]] NotApplicable slot_tables(const Platform&);
[[nodiscard]] NotApplicable patch_lists_and_decoder(const Platform&);
[[nodiscard]] NotApplicable paging(const Platform&);
/// ... to and from memory segments: what lies in apertures has its content in system memory.
[[nodiscard]] NotApplicable paging_of_memory_segments(const Platform&);
[[nodiscard]] NotApplicable rendering(const Platform&);
/// A client whose commands reach the GPU, by Render or by GPU virtual address.
[[nodiscard]] NotApplicable running_commands(const Platform&);
/// The adapter runs, so packets (of paging at least) reach SubmitCommand or SubmitCommandVirtual.
[[nodiscard]] NotApplicable submitting(const Platform&);
/// The driver reports a GPU MMU or, alone, an IOMMU: contexts have virtual addresses.
[[nodiscard]] NotApplicable virtual_addresses(const Platform&);
/// ... and the adapter runs: what is submitted goes to SubmitCommandVirtual.
[[nodiscard]] NotApplicable virtual_submission(const Platform&);
/// The driver reports a GPU MMU.
[[nodiscard]] NotApplicable gpu_mmu(const Platform&);
/// ... of two levels, so that the root is resized.
[[nodiscard]] NotApplicable resizable_root(const Platform&);
/// ... and the adapter runs with it: page tables are written.
[[nodiscard]] NotApplicable page_tables(const Platform&);
/// ... and a client can render by GPU virtual address.
[[nodiscard]] NotApplicable virtual_rendering(const Platform&);
/// ... and entries of page tables can be read.
[[nodiscard]] NotApplicable page_tables_and_decoder(const Platform&);

}  // namespace wddm
