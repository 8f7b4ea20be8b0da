#pragma once

#include <string_view>

#include "sim/peers/site.hpp"

namespace muster::sim::peers {

/// Lets go wrong what the scenario says. Each trouble plans its own end.
class trouble_maker {
 public:
  explicit trouble_maker(site& on) : on_{on} {}

  void begin();
  /// No new trouble. Those that last are ended by `recovery`, which heals everything at once.
  void end() noexcept { active_ = false; }

 private:
  void again();
  void make_trouble();

  void kill_some();
  void lose_host();
  void kill_many();
  void let_leave();
  void pause_some(bool clock_stands);
  void part_network();
  void cut_link();
  void reset_connection();
  void change_weather();
  void set_clock();
  void move_some();
  void swap_some();

  [[nodiscard]] node_index any() { return on_.draws().below(on_.size()); }
  [[nodiscard]] duration lasting();
  void note(std::string_view who, std::string_view what);

  site& on_;
  bool active_{false};
};

}  // namespace muster::sim::peers
