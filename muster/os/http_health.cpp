#include "muster/os/http_health.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace muster::os {

namespace {

boost::json::value text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return boost::json::value(text);  // in braces it would be a list of one text
}

}  // namespace

http_response to_http(const health& now) {
  const boost::json::object body{
      {"status", now.is_serving ? "serving" : "not serving"},
      {"replica", now.replica},
      {"role", now.role},
      {"phase", now.phase},
      {"master", text_or_null(now.master)},
      {"term", now.term},
      {"serial", now.serial},
      {"trouble", text_or_null(now.trouble)},
  };
  return {now.is_serving ? 200U : 503U, "application/json", boost::json::serialize(body) + "\n"};
}

}  // namespace muster::os
