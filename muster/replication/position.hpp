#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "muster/base/codec.hpp"
#include "muster/base/result.hpp"
#include "muster/base/strong.hpp"
#include "muster/base/uuid.hpp"

namespace muster::replication {

/// The number of a change. 0 is "nothing yet"; the first change of a database is 1, and no number is left out.
using serial = strong<struct serial_tag, std::uint64_t>;

[[nodiscard]] constexpr serial next(serial from) noexcept { return serial{from.value() + 1}; }

/// The reign of one master. The number rises by one when a slave's database starts as master; two promotions to the
/// same number differ by their random id. Number 0 is "no term".
struct term {
  std::uint64_t number{0};
  uuid id;

  [[nodiscard]] bool is_none() const noexcept { return number == 0; }
  friend bool operator==(const term&, const term&) = default;
};

/// A term, and the serial of its first change (which need not exist yet).
struct lineage_step {
  term of;
  serial first;

  friend bool operator==(const lineage_step&, const lineage_step&) = default;
};

/// Which term wrote which changes: steps whose term numbers and first serials both rise. Two databases with the same
/// steps up to a serial hold the same changes up to it, because within one term only one master numbers changes.
class lineage {
 public:
  lineage() noexcept = default;

  /// `corrupt` unless numbers and first serials rise strictly, from term 1 on or later and from serial 1 on.
  [[nodiscard]] static result<lineage> from_steps(std::vector<lineage_step> steps);

  [[nodiscard]] const std::vector<lineage_step>& steps() const noexcept { return steps_; }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  /// The newest term; none when empty.
  [[nodiscard]] term current() const noexcept { return steps_.empty() ? term{} : steps_.back().of; }
  /// The term that wrote, or would write, change `number`; none when empty or before the first step.
  [[nodiscard]] term term_of(serial number) const noexcept;

  /// A new term writes from `first` on. Terms that would have begun at or after `first` wrote nothing that is kept, and
  /// leave the lineage. The new number must exceed the current one.
  void begin(const term& of, serial first);

  friend bool operator==(const lineage&, const lineage&) = default;

 private:
  std::vector<lineage_step> steps_;
};

/// All that two replicas must compare to know whether one holds the beginning of the other.
struct history {
  uuid database;        ///< made with the database; none where there has never been a copy
  lineage terms;        ///< may reach beyond `last`: a term is known before its first change is
  serial last;          ///< the last change held, durably
  serial acknowledged;  ///< up to here callers may have been told that their change is done; never beyond `last`
  /// Up to here another replica has held it durably, too. What a master commits and answers while it has no active
  /// slave lies beyond: a promotion elsewhere, which the operator decides, may part from it, and it is then saved as a
  /// tail.
  serial replicated;

  [[nodiscard]] bool has_copy() const noexcept { return !database.is_none(); }
  friend bool operator==(const history&, const history&) = default;
};

/// The last change that both hold in common. Meaningful for one database only; 0 when nothing is common.
[[nodiscard]] serial fork_point(const history& left, const history& right) noexcept;

void encode(byte_writer& out, const term& value);
void encode(byte_writer& out, const lineage& value);
void encode(byte_writer& out, const history& value);
/// These leave `in` failed when the bytes are not what `encode` wrote.
[[nodiscard]] term decode_term(byte_reader& in);
[[nodiscard]] lineage decode_lineage(byte_reader& in);
[[nodiscard]] history decode_history(byte_reader& in);

}  // namespace muster::replication

/// "2 (4f6c…)": the number for people, the start of the id to tell two promotions apart.
template <>
struct fmt::formatter<muster::replication::term> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const muster::replication::term& value, Context& context) const {
    return fmt::format_to(context.out(), "{} (id {})", value.number, value.id.str().substr(0, 8));
  }
};
