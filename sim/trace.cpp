#include "sim/trace.hpp"

namespace muster::sim {

void trace::finish_line() {
  sum_.add(std::string_view{buffer_.data(), buffer_.size()});
  ++lines_;
  if (out_ != nullptr) {
    // The program ends by an abort where a core breaks an invariant of its own, so no line may wait in a buffer.
    std::fwrite(buffer_.data(), 1, buffer_.size(), out_);
    std::fflush(out_);
  }
}

}  // namespace muster::sim
