#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/cluster/test_cluster.hpp"
#include "muster/message/inbound.hpp"
#include "muster/receptionist/receptionist.hpp"
#include "muster/receptionist/test_receptionist.hpp"

namespace muster::receptionist::testing {

using cluster::testing::milliseconds;
using cluster::testing::minutes;
using cluster::testing::seconds;
using cluster::testing::test_cluster;

struct word {
  static constexpr std::string_view message_name = "test.receptionist.word";
  std::string text;
};
inline const service_key<word> word_key{"words"};

/// A cluster whose nodes have receptionists, each with a subscriber to `word_key` that keeps all it is told.
class receptionists {
 public:
  explicit receptionists(std::uint64_t seed = 1) : c{seed} { c.codecs = muster::message::inbound_messages(); }

  /// A process that joins by these seeds, and its receptionist.
  void start(const std::string& name, const std::vector<std::string>& seeds = {}, const options& how = {}) {
    forget(name);
    c.start(name, seeds);
    open(name, how);
  }
  /// For a process that runs already.
  void open(const std::string& name, const options& how = {}) {
    handles_.insert_or_assign(name, receptionist::start(c.system(name), c.at(name).handle, how));
    subscribers_.insert_or_assign(name, std::make_unique<probe<listing<word>>>(c.system(name)));
    at(name).tell(subscribe{word_key, subscribers_.at(name)->ref()});
  }
  void start_all(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) start(test_cluster::name_of(i), {test_cluster::name_of(0)});
    EXPECT_TRUE(c.run_until([&] { return c.all_met(); }, seconds{20}));
    c.run(seconds{2});
  }
  void kill(const std::string& name, bool quietly = false) {
    forget(name);
    c.kill(name, quietly);
  }

  [[nodiscard]] const handle& at(const std::string& name) const { return handles_.at(name); }
  [[nodiscard]] probe<listing<word>>& subscriber(const std::string& name) { return *subscribers_.at(name); }
  /// What it was told since the last time it was asked.
  [[nodiscard]] std::vector<listing<word>> told(const std::string& name) { return subscriber(name).take(); }

  [[nodiscard]] paths refs(const std::string& at_name) const { return shown(at(at_name).lookup(word_key).refs); }
  [[nodiscard]] paths all_refs(const std::string& at_name) const {
    return shown(at(at_name).lookup(word_key).all_refs);
  }
  /// So many, at every node.
  [[nodiscard]] bool everywhere(std::size_t count) const {
    return std::ranges::all_of(handles_,
                               [&](const auto& one) { return one.second.lookup(word_key).refs.size() == count; });
  }
  bool become(const std::string& at_name, const paths& expected, duration bound) {
    return c.run_until([&] { return refs(at_name) == expected; }, bound);
  }

  /// An actor that keeps its words.
  probe<word>& actor(const std::string& on, const std::string& name) {
    return *actors_
                .insert_or_assign({on, name}, std::make_unique<probe<word>>(c.system(on), spawn_options{.name = name}))
                .first->second;
  }
  probe<word>& add(const std::string& on, const std::string& name) {
    probe<word>& one = actor(on, name);
    at(on).tell(register_{word_key, one.ref()});
    return one;
  }

  /// A frame's way, and what the nodes at both ends need.
  [[nodiscard]] duration hop() const { return c.network.weather.delay_max + milliseconds{1}; }

  test_cluster c;

 private:
  void forget(const std::string& name) {
    handles_.erase(name);
    subscribers_.erase(name);
    std::erase_if(actors_, [&](const auto& one) { return one.first.first == name; });
  }

  std::map<std::string, handle> handles_;
  std::map<std::string, std::unique_ptr<probe<listing<word>>>> subscribers_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<probe<word>>> actors_;
};

}  // namespace muster::receptionist::testing
