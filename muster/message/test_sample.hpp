#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "muster/base/strong.hpp"
#include "muster/message/sendable.hpp"

namespace muster::message::testing {

enum class colour : std::uint8_t { red, green = 3, blue };
enum plain_number { zero, one, two };
enum class handle_number : std::uint64_t {};
enum class right : std::uint16_t { none = 0, to_read = 1, to_write = 2, to_list = 0x100 };
constexpr right operator|(right a, right b) {
  return static_cast<right>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

using order_id = strong<struct order_id_tag, std::uint32_t>;

struct point {
  std::int32_t x{0};
  std::int32_t y{0};

  friend bool operator==(const point&, const point&) = default;
};

struct numbers {
  bool yes{false};
  char letter{'a'};
  std::int8_t i8{0};
  std::uint8_t u8{0};
  std::int16_t i16{0};
  std::uint16_t u16{0};
  std::int32_t i32{0};
  std::uint32_t u32{0};
  std::int64_t i64{0};
  std::uint64_t u64{0};
  long long wide{0};
  float f32{0};
  double f64{0};

  friend bool operator==(const numbers&, const numbers&) = default;
};

/// May hold others of its kind.
struct tree {
  std::string name;
  std::vector<tree> branches;
  std::map<std::string, tree> named;

  friend bool operator==(const tree&, const tree&) = default;
};

/// One member of each kind.
struct sample {
  static constexpr std::string_view message_name = "test.sample";

  numbers all;
  colour paint{colour::red};
  plain_number plain{zero};
  handle_number handle{};
  right rights{right::none};
  std::string text;
  std::optional<std::string> note;
  std::optional<point> place;
  std::variant<std::int32_t, std::string, point> either;
  std::vector<std::int64_t> longs;
  std::vector<bool> bits;
  bytes raw;
  std::vector<point> points;
  std::vector<std::vector<std::string>> table;
  std::deque<std::string> queue;
  std::list<colour> colours;
  std::map<std::string, point> by_name;
  std::multimap<std::int32_t, std::string> many;
  std::unordered_map<std::int32_t, std::string> unordered;
  std::set<std::string> names;
  std::unordered_set<std::int64_t> unordered_set;
  std::array<std::int16_t, 3> three{};
  std::pair<std::int32_t, std::string> pair;
  std::tuple<bool, double, std::string> tuple;
  std::chrono::milliseconds ms{0};
  std::chrono::duration<double> seconds{0};
  std::chrono::system_clock::time_point at;
  std::chrono::sys_days day;
  order_id order;
  std::monostate nothing;
  tree grown;

  friend bool operator==(const sample&, const sample&) = default;
};

}  // namespace muster::message::testing
