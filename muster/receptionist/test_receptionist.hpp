#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "muster/actor/test_system.hpp"
#include "muster/receptionist/receptionist.hpp"

namespace muster::receptionist::testing {

using muster::testing::probe;
using muster::testing::test_system;

struct api_message {
  static constexpr std::string_view message_name = "test.api";
  int number{0};
};
inline const service_key<api_message> api_key{"api-service"};

/// What a careful consumer takes.
using api_news = std::variant<listing<api_message>, subscribe_rejected<api_message>>;
using outcome = std::variant<registered, register_refused>;

/// A directory as a cluster would have one, whose other nodes are the test's words.
class told_directory final : public directory {
 public:
  [[nodiscard]] gossip::node_id self() const override { return gossip::node_id{"test"}; }
  [[nodiscard]] bool is_shared() const noexcept override { return true; }
  void attach(std::function<void(directory_news)> tell) override { tell_ = std::move(tell); }
  void detach() override { tell_ = nullptr; }
  [[nodiscard]] result<void> add(const gossip::shared_text& key, const gossip::entry& what) override {
    if (refuses) return fail(errc::limit_exceeded, "as many registrations as may be");
    log.push_back("add " + std::string{key.view()} + " " + std::string{what.path.view()});
    return {};
  }
  void remove(const gossip::shared_text& key, const gossip::entry& what) override {
    log.push_back("remove " + std::string{key.view()} + " " + std::string{what.path.view()});
  }
  void commit() override {
    log.push_back("commit");
    if (fails) throw std::runtime_error{"as told"};
  }

  void tell(directory_news news) const { tell_(std::move(news)); }
  void tell(std::string_view key, std::string_view node, std::string_view path, bool vanished = false,
            std::string_view type = api_message::message_name) const {
    tell({{{gossip::shared_text{key},
            gossip::make_origin(node, 1),
            {gossip::shared_text{path}, 5, gossip::shared_text{type}},
            vanished}},
          {}});
  }
  void tell(std::string_view node, reachability::state now) const {
    tell({{}, {{gossip::make_origin(node, 1), now}}, {}});
  }
  [[nodiscard]] bool is_attached() const noexcept { return tell_ != nullptr; }

  bool refuses{false};
  bool fails{false};
  std::vector<std::string> log;

 private:
  std::function<void(directory_news)> tell_;
};

/// Paths of refs, with the node before those of other nodes.
template <typename T>
[[nodiscard]] std::vector<std::string> shown(const ref_list<T>& refs) {
  std::vector<std::string> out;
  for (const auto& one : refs) out.push_back((one.is_remote() ? one.address().node.name : "") + one.path());
  return out;
}

using paths = std::vector<std::string>;

/// Stops an actor: how many turns that takes. Who watched it has one of them, so it is as many as at the end of an
/// actor that nobody knows only if nobody watched.
[[nodiscard]] inline std::size_t turns_at_end_of(test_system& in, const any_ref& whom) {
  in.run();
  in.system.stop(whom);
  return in.run();
}

}  // namespace muster::receptionist::testing
