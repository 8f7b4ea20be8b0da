#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace muster::bench {

/// The price of a message between actors of one process, beside the bare thing that it is made of: a function posted to
/// a strand of Boost.Asio on a pool of as many threads.
struct contest {
  std::string_view what;
  std::string_view unit;
  double (*actors)(std::size_t threads);
  double (*bare)(std::size_t threads);
};

[[nodiscard]] const std::vector<contest>& all_contests();

}  // namespace muster::bench
