#include "muster/ice/process_facet.hpp"

#include <memory>
#include <string>
#include <utility>

#include <Ice/Ice.h>

#include "muster/ice/exceptions.hpp"

namespace muster::ice {
namespace {

constexpr const char* facet_name = "Process";

class process_facet final : public Ice::Process {
 public:
  process_facet(std::shared_ptr<Ice::Process> of_the_run_time, std::function<void()> on_shutdown)
      : of_the_run_time_{std::move(of_the_run_time)}, on_shutdown_{std::move(on_shutdown)} {}

  void shutdown(const Ice::Current&) override { on_shutdown_(); }

  void writeMessage(std::string message, int descriptor, const Ice::Current& current) override {
    if (of_the_run_time_) of_the_run_time_->writeMessage(std::move(message), descriptor, current);
  }

 private:
  const std::shared_ptr<Ice::Process> of_the_run_time_;
  const std::function<void()> on_shutdown_;
};

}  // namespace

result<void> open_process_administration(const Ice::CommunicatorPtr& communicator, std::function<void()> on_shutdown) {
  const auto endpoints = communicator->getProperties()->getProperty("Ice.Admin.Endpoints");
  try {
    // There is none where nobody asks for administration, or for this facet (Ice.Admin.Facets).
    if (communicator->findAdminFacet(facet_name)) {
      auto before = std::dynamic_pointer_cast<Ice::Process>(communicator->removeAdminFacet(facet_name));
      communicator->addAdminFacet(std::make_shared<process_facet>(std::move(before), std::move(on_shutdown)),
                                  facet_name);
    }
    if (!endpoints.empty()) (void)communicator->getAdmin();
    return {};
  } catch (const Ice::Exception&) {
    return fail(errc::unavailable, "cannot listen at Ice.Admin.Endpoints={}: {}", endpoints,
                to_text(std::current_exception()));
  }
}

}  // namespace muster::ice
