#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/replication/messages.hpp"
#include "muster/replication/position.hpp"

/// The decisions of replication as pure functions of what two or more replicas hold. Master and slave ask the same
/// ones, so that they refuse each other with the same words.
namespace muster::replication {

/// May this slave follow this master, and from where on?
struct follow_verdict {
  /// Why not; the sentence says what to do about it.
  std::optional<refusal> refused;
  std::string sentence;
  /// The last change in common (0 for a slave without a copy).
  serial fork;
  /// The slave holds changes after `fork`, which nobody was told are done: they are to be saved and dropped.
  bool has_tail{false};
};

/// `other_database`, `lower_term` (the master's), `split_brain` (equal numbers, other ids), `lost_acknowledged` (the
/// histories part before what the slave knows to be acknowledged); a slave without a copy may follow anyone.
[[nodiscard]] follow_verdict judge_following(const self_description& slave, const self_description& master);

/// "'A' speaks versions … of the replication protocol, 'B' …: upgrade 'A'".
[[nodiscard]] std::string no_common_version_sentence(const self_description& left, const self_description& right);
[[nodiscard]] std::string duplicate_name_sentence(std::string_view name);

/// What starting as master means for a database.
enum class start_kind : std::uint8_t {
  fresh,      ///< there is no database: a new one, term 1
  restart,    ///< it was a master's: its term goes on
  promotion,  ///< it was a slave's, or restored: a new term
};

struct start_verdict {
  start_kind kind{start_kind::fresh};
  /// Set: do not start. The sentence names who and what to do.
  std::optional<std::string> refused;
  /// Set: there was a reason to refuse, and --force overrode it.
  std::optional<std::string> overridden;
  /// The number of the term to begin; nothing for a plain restart. A forced start always begins one, above all that
  /// were heard of: what it leaves behind must be told from what it goes on with.
  std::optional<std::uint64_t> new_term_number;
};

/// A starting master has heard `others` (itself left out). It refuses for one that is alive under its name (which no
/// force overrides), that is master of its database or has a higher term, whose history goes on where this one ends or
/// has acknowledged changes that this one lacks; a master without a database refuses if anybody has one.
[[nodiscard]] start_verdict judge_start(const self_description& self, std::optional<role> last_role,
                                        const std::vector<self_description>& others, bool force);

/// Why a running master must stop taking changes after hearing `other`: a higher term, or another master in a term of
/// its number. Nothing when it may go on.
[[nodiscard]] std::optional<std::string> judge_running(const self_description& self, const self_description& other);

}  // namespace muster::replication
