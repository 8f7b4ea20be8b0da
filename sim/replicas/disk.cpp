#include "sim/replicas/disk.hpp"

#include <fmt/format.h>

#include "muster/base/invariant.hpp"
#include "sim/digest.hpp"

namespace muster::sim::replicas {

using kind = replication::commit::kind;

void disk_image::write(const replication::row_write& one) {
  const std::pair key{one.table, one.key};
  const auto found = rows.find(key);
  if (found != rows.end()) {
    rows_digest -= digest_of_row(one.table, one.key, found->second);
    if (!one.value) {
      rows.erase(found);
      return;
    }
    found->second = *one.value;
  } else if (one.value) {
    rows.emplace(key, *one.value);
  } else {
    return;
  }
  rows_digest += digest_of_row(one.table, one.key, *one.value);
}

void disk::complain(std::string what) {
  if (broken_contract_.empty()) {
    broken_contract_ = std::move(what);
  }
}

void disk::check(const replication::commit& step) {
  if (step.what != kind::changes) {
    if (!replacement_ && !step.replacement_begins) {
      complain("a replacement step follows none that begins a replacement");
    }
    if (step.what == kind::replacement_rows && !step.log_append.empty()) {
      complain("a step that only adds rows to a replacement carries log entries");
    }
  }
  if (step.what != kind::replacement_rows && step.meta.empty()) {
    complain("a step that becomes durable carries no meta");
  }
  std::uint64_t last = durable_.log.empty() || step.what != kind::changes ? 0 : durable_.log.rbegin()->first;
  for (const replication::log_entry& entry : step.log_append) {
    if (last != 0 && entry.number.value() != last + 1) {
      complain(fmt::format("log entry {} follows log entry {}", entry.number, last));
    }
    last = entry.number.value();
  }
}

result<void> disk::commit(replication::commit&& step) {
  MUSTER_INVARIANT(!pending_, "the driver settles a step before it hands over the next");
  check(step);
  if (trouble_ == trouble::full) {
    if (step.what != kind::changes) {
      replacement_.reset();
    }
    return fail(errc::storage_full, "the simulated disk is full");
  }
  if (trouble_ == trouble::broken) {
    trouble_ = trouble::none;
    if (step.what != kind::replacement_rows && (replacement_ || step.what == kind::changes)) {
      pending_ = std::move(step);
    }
    return fail(errc::io_error, "the simulated disk has failed");
  }
  if (step.what == kind::changes) {
    pending_ = std::move(step);
    return {};
  }
  if (step.replacement_begins || !replacement_) {
    replacement_.emplace();
  }
  for (const replication::row_write& one : step.rows) {
    replacement_->write(one);
  }
  if (step.what == kind::replacement_swap) {
    step.rows.clear();
    pending_ = std::move(step);
  }
  return {};
}

void disk::settle() {
  if (!pending_) {
    return;
  }
  if (pending_->what == kind::replacement_swap) {
    durable_ = std::move(*replacement_);
    replacement_.reset();
  }
  for (const replication::row_write& one : pending_->rows) {
    durable_.write(one);
  }
  for (replication::log_entry& entry : pending_->log_append) {
    durable_.log.insert_or_assign(entry.number.value(), std::move(entry.change));
  }
  durable_.log.erase(durable_.log.begin(), durable_.log.lower_bound(pending_->log_trim_below.value()));
  durable_.meta = std::move(pending_->meta);
  pending_.reset();
}

bool disk::lose_power(prng& draws) {
  const bool survives = pending_.has_value() && draws.chance(1, 2);
  if (survives) {
    settle();
  }
  pending_.reset();
  replacement_.reset();
  return survives;
}

result<void> disk::load(replication::load_visitor& visitor) {
  if (durable_.meta.empty()) {
    return {};
  }
  if (auto taken = visitor.meta(durable_.meta); !taken) {
    return taken;
  }
  for (const auto& [key, value] : durable_.rows) {
    if (auto taken = visitor.row(key.first, key.second, value); !taken) {
      return taken;
    }
  }
  for (const auto& [number, change] : durable_.log) {
    if (auto taken = visitor.log(replication::serial{number}, change.view()); !taken) {
      return taken;
    }
  }
  return {};
}

}  // namespace muster::sim::replicas
