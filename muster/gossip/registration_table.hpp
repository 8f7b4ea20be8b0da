#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "muster/gossip/identity.hpp"
#include "muster/gossip/stable_hash.hpp"

namespace muster::gossip {

/// All registrations of all origins: found by what they are, by key, and by origin. Made for many: a registration is a
/// slot of 56 bytes in a list of its key and a list of its origin, and texts are shared.
class registration_table {
 public:
  using slot_number = std::uint32_t;
  static constexpr slot_number none = 0xffff'ffffU;
  /// An origin as the caller numbers it.
  using owner = std::uint32_t;

  /// The registrations of one origin, oldest first. The caller keeps it.
  struct chain {
    slot_number first{none};
    slot_number last{none};
    std::uint32_t count{0};
  };

  struct slot {
    shared_text key;
    entry what;
    owner of{0};
    std::uint32_t hash{0};  ///< of the index
    slot_number next_of_key{none};
    slot_number previous_of_key{none};
    slot_number next_of_owner{none};
    slot_number previous_of_owner{none};
  };

  registration_table() = default;
  registration_table(const registration_table&) = delete;
  registration_table& operator=(const registration_table&) = delete;

  /// `hash` is `hash_of` the registration, here and below.
  [[nodiscard]] slot_number find(owner of, std::string_view key, const entry& what, std::uint64_t hash) const;
  /// It must not be there yet.
  slot_number add(owner of, chain& owned, const registration& what, std::uint64_t hash);
  void remove(slot_number which, chain& owned);
  /// Gives back what tables have too much after many were removed.
  void shrink();

  [[nodiscard]] const slot& at(slot_number which) const noexcept {
    return (*pages_[which / page_slots])[which % page_slots];
  }
  [[nodiscard]] bool knows_key(std::string_view key) const { return keys_.contains(key); }
  [[nodiscard]] std::size_t count_of(std::string_view key) const;
  [[nodiscard]] std::size_t key_count() const noexcept { return keys_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }

  template <typename Visit>
  void for_each_of_key(std::string_view key, Visit&& visit) const {
    const auto found = keys_.find(key);
    for (slot_number i = found == keys_.end() ? none : found->second.first; i != none; i = at(i).next_of_key) {
      visit(at(i));
    }
  }
  template <typename Visit>
  void for_each_of(const chain& owned, Visit&& visit) const {
    for (slot_number i = owned.first; i != none; i = at(i).next_of_owner) {
      visit(at(i));
    }
  }
  template <typename Visit>
  void for_each_key(Visit&& visit) const {
    for (const auto& [key, list] : keys_) {
      visit(key, static_cast<std::size_t>(list.count));
    }
  }

 private:
  static constexpr std::size_t page_slots = 256;
  using page = std::array<slot, page_slots>;

  struct key_list {
    slot_number first{none};
    std::uint32_t count{0};
  };
  struct probe {
    owner of;
    std::string_view key;
    const entry& what;
    std::uint32_t hash;
  };
  struct slot_hash {
    using is_transparent = void;
    using is_avalanching = void;
    const registration_table* table;
    std::size_t operator()(slot_number which) const noexcept { return mixed(table->at(which).hash); }
    std::size_t operator()(const probe& asked) const noexcept { return mixed(asked.hash); }
  };
  struct slot_equal {
    using is_transparent = void;
    const registration_table* table;
    bool operator()(slot_number left, slot_number right) const noexcept { return left == right; }
    bool operator()(const probe& left, slot_number right) const noexcept;
    bool operator()(slot_number left, const probe& right) const noexcept { return (*this)(right, left); }
  };

  [[nodiscard]] slot& slot_at(slot_number which) noexcept { return (*pages_[which / page_slots])[which % page_slots]; }
  [[nodiscard]] slot_number take_slot();
  /// A recent equal text, so that a path or type that comes again and again is kept once.
  [[nodiscard]] const shared_text& recent(const shared_text& text);

  std::vector<std::unique_ptr<page>> pages_;
  slot_number free_{none};  ///< a list by `next_of_key`
  boost::unordered_flat_map<shared_text, key_list, text_hash, text_equal> keys_;
  boost::unordered_flat_set<slot_number, slot_hash, slot_equal> index_{0, slot_hash{this}, slot_equal{this}};
  std::array<shared_text, 64> recent_;
};

}  // namespace muster::gossip
