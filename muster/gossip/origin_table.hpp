#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/gossip/change_set.hpp"
#include "muster/gossip/identity.hpp"
#include "muster/gossip/messages.hpp"
#include "muster/gossip/operation_log.hpp"
#include "muster/gossip/options.hpp"
#include "muster/gossip/registration_table.hpp"

namespace muster::gossip {

/// What is known of one origin.
struct origin_record {
  origin_id id;
  place at_place;
  /// What the origin says of itself at this version; what is held agrees with it if `complete`.
  mark now;
  std::uint64_t checksum{0};  ///< of what is held
  registration_table::chain held;
  operation_log::position last_logged{0};
  registration_table::owner number{0};
  /// False: something was left out over a bound, or does not agree with the mark. Then nothing of it is given to those
  /// who ask.
  bool complete{true};
  /// To fetch the whole anew may make it complete: what was left out was not too long, but too many.
  bool may_heal{false};
};

/// What all origins have registered, as far as this node knows: the state that gossip makes equal everywhere. It knows
/// nothing of peers and time. The digests follow each change at once, so equal states cost nothing to compare.
///
/// An origin is there once something of it is known; one that has made no operation is the same as one that is not
/// there.
class origin_table {
 public:
  explicit origin_table(const options& how);
  origin_table(const origin_table&) = delete;
  origin_table& operator=(const origin_table&) = delete;

  /// Nothing when nothing of any incarnation of this node is known.
  [[nodiscard]] origin_record* find(const node_id& node);
  [[nodiscard]] const origin_record* find(const node_id& node) const;
  /// Makes a record at version 0. There must be none of the node.
  origin_record& open(const origin_id& who);
  /// All it registered vanishes.
  void drop(const node_id& node);

  enum class outcome : std::uint8_t {
    done,
    left_out,        ///< something exceeds a bound of this node: it is not here, all else is
    diverged,        ///< what is held now is not what the mark says
    complete_again,  ///< nothing is left out any more
  };

  /// Why this registration would be left out; empty if it would not.
  [[nodiscard]] std::string objection_to(const origin_record& origin, std::string_view key, const entry& what) const;

  /// The origin's next operations, after its present version; `after` holds after the last.
  [[nodiscard]] outcome apply(origin_record& origin, std::span<const operation> operations, const mark& after);
  /// An operation of this node itself, which was judged before. Gives the new mark.
  const mark& make(origin_record& own, operation what);
  /// All of the origin at `at`, in place of what there was.
  [[nodiscard]] outcome install(origin_record& origin, std::span<const registration> content, const mark& at);

  [[nodiscard]] bool holds(const origin_record& origin, std::string_view key, const entry& what) const;
  /// The sentence of the last `left_out`.
  [[nodiscard]] const std::string& last_objection() const noexcept { return last_objection_; }
  [[nodiscard]] std::uint64_t left_out_total() const noexcept { return left_out_total_; }

  [[nodiscard]] std::uint64_t root_hash() const noexcept { return root_; }
  [[nodiscard]] const std::array<std::uint64_t, bucket_count>& bucket_hashes() const noexcept { return buckets_; }
  /// Records in the order of their places, then names.
  [[nodiscard]] std::vector<const origin_record*> between(place first, place last) const;
  [[nodiscard]] std::size_t origin_count() const noexcept { return by_place_.size(); }

  [[nodiscard]] const registration_table& registrations() const noexcept { return registrations_; }
  [[nodiscard]] const operation_log& log() const noexcept { return log_; }
  [[nodiscard]] const origin_record& owner_of(const registration_table::slot& slot) const noexcept {
    return *records_[slot.of];
  }
  [[nodiscard]] change_set& changes() noexcept { return changes_; }

 private:
  struct placed {
    place at;
    registration_table::owner number;
  };

  [[nodiscard]] std::vector<placed>::const_iterator position_of(place at, const node_id& node) const;
  /// True if it was added; false if it was left out.
  bool admit(origin_record& origin, const registration& what, std::uint64_t hash);
  void take_out(origin_record& origin, registration_table::slot_number which, std::uint64_t hash);
  void take_all_out(origin_record& origin);
  void move_to(origin_record& origin, const mark& at);
  void digest_changes(const origin_record& origin);

  const options& how_;
  registration_table registrations_;
  operation_log log_;
  change_set changes_;
  std::vector<std::unique_ptr<origin_record>> records_;  ///< by number; null where one is free
  std::vector<registration_table::owner> free_numbers_;
  std::vector<placed> by_place_;
  std::uint64_t root_{0};
  std::array<std::uint64_t, bucket_count> buckets_{};
  std::string last_objection_;
  std::uint64_t left_out_total_{0};
};

}  // namespace muster::gossip
