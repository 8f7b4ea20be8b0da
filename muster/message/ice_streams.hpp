#pragma once

#include <memory>

#include "muster/base/bytes.hpp"

namespace Ice {  // NOLINT(readability-identifier-naming): Ice gives the name
class InputStream;
}

namespace muster::message {

/// Port: makes Ice's streams for a reader, by a communicator, which proxies and instances of Slice classes cannot be
/// read without. A node has one (`cluster::join`); a reader without one fails where it would need it.
class ice_streams {
 public:
  ice_streams() = default;
  ice_streams(const ice_streams&) = delete;
  ice_streams& operator=(const ice_streams&) = delete;
  virtual ~ice_streams() = default;

  /// A stream of the encoding 1.1 that reads these bytes; they outlive it, and so do the streams' maker. Null where
  /// there is no communicator to be had. Any thread.
  [[nodiscard]] virtual std::unique_ptr<Ice::InputStream> over(byte_view content) const = 0;
};

}  // namespace muster::message
