#include "sim/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace muster::sim {

namespace {

constexpr double width = 860;
constexpr double height = 420;
constexpr double left = 60;
constexpr double right = 270;  // for the names of the lines
constexpr double top = 40;
constexpr double bottom = 50;
constexpr double inner_width = width - left - right;
constexpr double inner_height = height - top - bottom;

// Told apart by people who see colours differently (Okabe and Ito, "Color Universal Design", 2008).
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#888888"};

/// 1, 2 or 5 times a power of ten, so that about six of them make the whole.
double tick_of(double whole) {
  const double about = whole / 6;
  const double power = std::pow(10, std::floor(std::log10(about)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (about <= step * power) return step * power;
  }
  return 10 * power;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string svg_of(const plot_frame& frame, const std::vector<plot_line>& lines) {
  double x_max = 0;
  for (const plot_line& one : lines) {
    for (const auto& [x, y] : one.points) x_max = std::max(x_max, x);
  }
  if (x_max <= 0) x_max = 1;
  const auto across = [&](double x) { return left + x / x_max * inner_width; };
  const auto down = [&](double y) { return top + (1 - y / frame.y_max) * inner_height; };

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"13\" fill=\"#777\">\n"
      "<text x=\"{2:.0f}\" y=\"22\" font-size=\"16\">{3}</text>\n",
      width, height, left, escaped(frame.title));
  for (double x = 0; x <= x_max * 1.0001; x += tick_of(x_max)) {
    out += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#777\" stroke-opacity=\".25\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
        across(x), top, top + inner_height, top + inner_height + 18, x);
  }
  for (double y = 0; y <= frame.y_max * 1.0001; y += tick_of(frame.y_max)) {
    out += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#777\" stroke-opacity=\".25\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        left, down(y), left + inner_width, left - 6, down(y) + 4, y);
  }
  out += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
      "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      left + inner_width / 2, height - 12, escaped(frame.x_label), top + inner_height / 2, escaped(frame.y_label));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view colour = colours[i % colours.size()];
    const std::string_view dashes = i < colours.size() ? "" : " stroke-dasharray=\"6 4\"";
    out += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"", colour, dashes);
    for (const auto& [x, y] : lines[i].points) out += fmt::format("{:.1f},{:.1f} ", across(x), down(y));
    const double at = top + 10 + 22 * static_cast<double>(i);
    out += fmt::format(
        "\"/>\n<path d=\"M{0:.1f} {1:.1f}h22\" stroke=\"{2}\" stroke-width=\"3\"{3}/>"
        "<text x=\"{4:.1f}\" y=\"{5:.1f}\">{6}</text>\n",
        left + inner_width + 16, at, colour, dashes, left + inner_width + 44, at + 4, escaped(lines[i].name));
  }
  return out + "</svg>\n";
}

}  // namespace muster::sim
