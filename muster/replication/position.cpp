#include "muster/replication/position.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "muster/base/invariant.hpp"

namespace muster::replication {

result<lineage> lineage::from_steps(std::vector<lineage_step> steps) {
  serial before{0};
  std::uint64_t number_before = 0;
  for (const auto& step : steps) {
    const bool first_step = number_before == 0;
    if (step.of.number <= number_before || step.first <= before || (first_step && step.first != serial{1})) {
      return fail(errc::corrupt, "a lineage has term {} from serial {} on after term {} from serial {} on",
                  step.of.number, step.first, number_before, before);
    }
    before = step.first;
    number_before = step.of.number;
  }
  lineage out;
  out.steps_ = std::move(steps);
  return out;
}

term lineage::term_of(serial number) const noexcept {
  const auto after = std::ranges::upper_bound(steps_, number, {}, [](const lineage_step& step) { return step.first; });
  return after == steps_.begin() ? term{} : std::prev(after)->of;
}

void lineage::begin(const term& of, serial first) {
  MUSTER_INVARIANT(of.number > current().number, "a new term has a higher number than all before it");
  MUSTER_INVARIANT(first.value() > 0, "serials are counted from one");
  std::erase_if(steps_, [&](const lineage_step& step) { return step.first >= first; });
  MUSTER_INVARIANT(!steps_.empty() || first == serial{1}, "the first term of a database writes its first change");
  steps_.push_back({of, first});
}

serial fork_point(const history& left, const history& right) noexcept {
  const auto& l = left.terms.steps();
  const auto& r = right.terms.steps();
  const auto [l_differs, r_differs] = std::ranges::mismatch(l, r);

  // Up to the first serial of whichever side leaves the common terms first, both were written by the same masters.
  std::uint64_t common = std::numeric_limits<std::uint64_t>::max();
  if (l_differs != l.end()) {
    common = std::min(common, l_differs->first.value() - 1);
  }
  if (r_differs != r.end()) {
    common = std::min(common, r_differs->first.value() - 1);
  }
  return serial{std::min({common, left.last.value(), right.last.value()})};
}

void encode(byte_writer& out, const term& value) {
  out.size(value.number);
  out.id(value.id);
}

void encode(byte_writer& out, const lineage& value) {
  out.size(value.steps().size());
  for (const auto& step : value.steps()) {
    encode(out, step.of);
    out.size(step.first.value());
  }
}

void encode(byte_writer& out, const history& value) {
  out.id(value.database);
  encode(out, value.terms);
  out.size(value.last.value());
  out.size(value.acknowledged.value());
  out.size(value.replicated.value());
}

term decode_term(byte_reader& in) {
  const std::uint64_t number = in.size();
  return {.number = number, .id = in.id()};
}

lineage decode_lineage(byte_reader& in) {
  constexpr std::size_t step_bytes_min = 18;  // one byte of number, sixteen of id, one of serial
  std::vector<lineage_step> steps(in.count(step_bytes_min));
  for (auto& step : steps) {
    step.of = decode_term(in);
    step.first = serial{in.size()};
  }
  if (in.failed()) {
    return {};
  }
  auto out = lineage::from_steps(std::move(steps));
  if (!out) {
    in.set_failed();
    return {};
  }
  return *std::move(out);
}

history decode_history(byte_reader& in) {
  history out;
  out.database = in.id();
  out.terms = decode_lineage(in);
  out.last = serial{in.size()};
  out.acknowledged = serial{in.size()};
  out.replicated = serial{in.size()};
  const bool nothing = out.terms.empty() && out.last == serial{0};
  if (out.acknowledged > out.last || out.replicated > out.last || (out.has_copy() ? out.terms.empty() : !nothing)) {
    in.set_failed();
  }
  return in.failed() ? history{} : out;
}

}  // namespace muster::replication
