#include "sim/replicas/ledger.hpp"

#include <vector>

#include <fmt/format.h>

#include "muster/catalog/apply.hpp"
#include "muster/catalog/change.hpp"
#include "sim/digest.hpp"

namespace muster::sim::replicas {

ledger::record* ledger::find(const position& where) {
  const auto found = records_.find(where);
  return found == records_.end() ? nullptr : &found->second;
}

const ledger::record* ledger::find(const position& where) const {
  const auto found = records_.find(where);
  return found == records_.end() ? nullptr : &found->second;
}

std::string ledger::enter(node_index writer, const replication::history& held, std::uint64_t number,
                          const replication::shared_bytes& change, instant now) {
  const position here = at(held, number);
  if (!claim_term(here.term, writer)) {
    return fmt::format("change {} of a term that another machine serves was first written here", number);
  }
  record made;
  made.since = now;
  made.change = change;
  if (number > 1) {
    const record* before = find(at(held, number - 1));
    if (before == nullptr) {
      return fmt::format("change {} follows a change that nobody ever held", number);
    }
    made.state = before->state;
  }
  const auto decoded = catalog::decode(change.view());
  if (!decoded) {
    return fmt::format("change {} cannot be read: {}", number, decoded.error().message);
  }
  std::vector<catalog::row> rows;
  if (auto applied = catalog::apply(made.state, *decoded, number, rows); !applied) {
    return fmt::format("change {} was committed and does not apply: {}", number, applied.error().message);
  }
  changes_.insert(digest_of(change.view()));
  records_.emplace(here, std::move(made));
  return {};
}

bool ledger::claim_term(const uuid& term, node_index master) {
  return masters_.emplace(term, master).first->second == master;
}

bool ledger::holds_change(byte_view change) const { return changes_.contains(digest_of(change)); }

}  // namespace muster::sim::replicas
