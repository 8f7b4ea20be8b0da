#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "muster/base/instant.hpp"
#include "muster/catalog/state.hpp"
#include "muster/replication/position.hpp"
#include "muster/replication/shared_bytes.hpp"
#include "sim/replicas/network.hpp"

namespace muster::sim::replicas {

/// Every change that was ever made durable anywhere, by its position (term id, serial), with the state that it must
/// lead to, computed here a second time, change by change. It never forgets, so what any replica holds at any time can
/// be held against it.
class ledger {
 public:
  struct position {
    uuid term;
    std::uint64_t number{0};

    friend auto operator<=>(const position&, const position&) = default;
  };
  struct record {
    instant since{};  ///< durable somewhere
    replication::shared_bytes change;
    catalog::state state;          ///< after the change
    std::uint64_t rows_digest{0};  ///< the rows of `state` as first found on a disk
    bool rows_known{false};
    bool answered{false};  ///< some caller was told its serial
  };

  /// Where `held` stands at change `number`: the term is the one that wrote it.
  [[nodiscard]] static position at(const replication::history& held, std::uint64_t number) {
    return {held.terms.term_of(replication::serial{number}).id, number};
  }

  [[nodiscard]] record* find(const position& where);
  [[nodiscard]] const record* find(const position& where) const;

  /// `writer` is the first to hold change `number` of its history. Returns what is wrong with that, or nothing.
  [[nodiscard]] std::string enter(node_index writer, const replication::history& held, std::uint64_t number,
                                  const replication::shared_bytes& change, instant now);

  /// Claims the term for the machine that serves as its master; false if it is another one's.
  [[nodiscard]] bool claim_term(const uuid& term, node_index master);

  [[nodiscard]] bool holds_change(byte_view change) const;
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

 private:
  std::map<position, record> records_;
  std::map<uuid, node_index> masters_;
  std::set<std::uint64_t> changes_;  ///< digests
};

}  // namespace muster::sim::replicas
