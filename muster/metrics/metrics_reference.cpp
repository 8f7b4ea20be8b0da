#include "muster/metrics/metrics_reference.hpp"

#include <fmt/format.h>

#include "muster/metrics/registry_metrics.hpp"

namespace muster::metrics {
namespace {

std::string_view type_name(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter: return "counter";
    case prometheus::MetricType::Gauge: return "gauge";
    case prometheus::MetricType::Histogram: return "histogram";
    case prometheus::MetricType::Summary:
    case prometheus::MetricType::Untyped: break;
  }
  return "untyped";
}

std::string label_names(const prometheus::MetricFamily& family) {
  std::string out;
  if (family.metric.empty()) return out;
  for (const auto& label : family.metric.front().label)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", label.name);
  return out;
}

}  // namespace

std::string metrics_reference() {
  std::string out =
      R"(# Metrics of a replica

`GET /metrics` on `Muster.Registry.Http.Endpoint` answers in the text format of Prometheus. `GET /health` there answers 200
while the replica serves and 503 while it does not, with a JSON object that names its role, phase, master, term, serial
and, where an operator has to act, the trouble.

Counters begin at 0 with the process. A test compares this table with what the program answers.

| metric | type | labels | meaning |
| --- | --- | --- | --- |
)";
  registry_metrics example;
  example.set_slave("", 0, false);  // so that what exists per slave shows its label
  for (const prometheus::MetricFamily& family : example.collect("")) {
    out +=
        fmt::format("| `{}` | {} | {} | {} |\n", family.name, type_name(family.type), label_names(family), family.help);
  }
  out += R"(
Worth an alert: `muster_serving == 0`; `muster_active_slaves` below what you run; `muster_slaves_dropped_total` rising;
`muster_slave_lag_changes` rising for minutes; `muster_database_used_bytes / muster_database_map_limit_bytes > 0.8`;
`muster_changes_refused_total{reason="storage_full"}` rising; two replicas with `muster_replica_role{role="master"} == 1`.
)";
  return out;
}

}  // namespace muster::metrics
