#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

/// One line of a plot, by rising x.
struct plot_line {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct plot_frame {
  std::string title;
  std::string x_label;
  std::string y_label;
  double y_max{100};
};

/// A plot from the origin on, as an SVG picture for light and dark pages. Equal input gives equal bytes.
[[nodiscard]] std::string svg_of(const plot_frame& frame, const std::vector<plot_line>& lines);

}  // namespace muster::sim
