#include "bench/registries.hpp"

#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace muster::bench {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view instance = "Bench";
constexpr auto patience = 120s;

}  // namespace

std::string_view to_text(product which) noexcept { return which == product::stock ? "stock" : "muster"; }

Ice::CommunicatorPtr make_client() {
  Ice::InitializationData start;
  start.properties = Ice::createProperties();
  start.properties->setProperty("Ice.ACM.Timeout", "10");
  start.properties->setProperty("Ice.ACM.Client.Heartbeat", "3");
  start.properties->setProperty("Ice.ACM.Client.Close", "0");
  start.properties->setProperty("Ice.Override.CloseTimeout", "500");
  return Ice::initialize(start);
}

registry::registry(const programs& where, product which, std::filesystem::path folder, options chosen)
    : where_{where},
      which_{which},
      folder_{std::move(folder)},
      database_{folder_ / "db"},
      options_{std::move(chosen)},
      client_port_{free_port()},
      server_port_{free_port()},
      internal_port_{free_port()} {
  if (options_.database_from.empty()) {
    std::filesystem::create_directories(database_);
  } else {
    std::filesystem::copy(options_.database_from, database_, std::filesystem::copy_options::recursive);
  }
  write_configuration();
}

void registry::write_configuration() const {
  std::ofstream file{folder_ / "registry.conf"};
  const auto endpoint = [&](std::string_view adapter, std::uint16_t port) {
    file << fmt::format("IceGrid.Registry.{}.Endpoints=tcp -h 127.0.0.1 -p {}\n", adapter, port);
  };
  file << fmt::format("IceGrid.InstanceName={}\n", instance);
  endpoint("Client", client_port_);
  endpoint("Server", server_port_);
  endpoint("Internal", internal_port_);
  file << fmt::format("IceGrid.Registry.LMDB.Path={}\n", database_.string());
  file << fmt::format("IceGrid.Registry.PermissionsVerifier={}/NullPermissionsVerifier\n", instance);
  file << fmt::format("IceGrid.Registry.AdminPermissionsVerifier={}/NullPermissionsVerifier\n", instance);
  file << "IceGrid.Registry.DynamicRegistration=1\nIceGrid.Registry.Discovery.Enabled=0\n";
  if (is_slave()) {
    file << fmt::format("IceGrid.Registry.ReplicaName={}\nIce.Default.Locator={}\n", options_.replica,
                        options_.locator);
  }
  // It copies a database to a slave in one message, which must not be larger than this.
  if (which_ == product::stock) file << "Ice.MessageSizeMax=1000000\n";
  if (!file.flush()) throw std::runtime_error{fmt::format("cannot write below {}", folder_.string())};
}

void registry::start() {
  const auto configuration = fmt::format("--Ice.Config={}", (folder_ / "registry.conf").string());
  const std::vector<std::string> command =
      which_ == product::stock ? std::vector<std::string>{where_.stock, configuration, "--nowarn"}
                               : std::vector<std::string>{where_.muster, "registry", configuration, "--nowarn"};
  process_ = std::make_unique<process>(command, folder_ / "log");
}

void registry::start_and_wait() {
  start();
  wait_until_it_answers();
}

std::string registry::client_endpoint() const { return fmt::format("tcp -h 127.0.0.1 -p {}", client_port_); }

std::string registry::locator_text() const { return fmt::format("{}/Locator:{}", instance, client_endpoint()); }

std::vector<std::filesystem::path> registry::database_files() const {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{database_}) {
    if (entry.is_regular_file() && entry.path().filename() == "data.mdb") files.push_back(entry.path());
  }
  return files;
}

std::filesystem::file_time_type registry::written_at() const {
  auto latest = std::filesystem::file_time_type::min();
  for (const auto& file : database_files()) latest = std::max(latest, std::filesystem::last_write_time(file));
  return latest;
}

std::uint64_t registry::database_bytes() const {
  std::uint64_t total = 0;
  for (const auto& file : database_files()) total += std::filesystem::file_size(file);
  return total;
}

void registry::wait_for_identity(const Ice::Identity& id, std::string_view what) {
  const Ice::CommunicatorHolder client{make_client()};
  client->getProperties();
  const auto locator =
      Ice::uncheckedCast<Ice::LocatorPrx>(client->stringToProxy(locator_text())->ice_invocationTimeout(10'000));
  const auto deadline = clock::now() + patience;
  std::string last = "nothing";
  while (clock::now() < deadline) {
    if (!process_->is_running()) break;
    try {
      if (locator->findObjectById(id)) return;
      last = "a null proxy";
    } catch (const Ice::Exception& not_yet) {
      last = not_yet.ice_id();
    }
    std::this_thread::sleep_for(1ms);  // tidy: allow, because it polls another process
  }
  throw std::runtime_error{fmt::format("{} {} {}; last answer: {}; its log ends with\n{}", to_text(which_),
                                       options_.replica, what, last, process_->log_tail())};
}

void registry::wait_until_it_answers() { wait_for_identity({"Query", std::string{instance}}, "does not answer"); }

void registry::wait_for_slave(const std::string& replica) {
  wait_for_identity({"Registry-" + replica, std::string{instance}}, "does not see " + replica);
}

void registry::wait_for_object(const std::string& name) { wait_for_identity({name, ""}, "does not find " + name); }

grid start_grid(const programs& where, product which, work_directory& below, int slaves) {
  grid made;
  made.master = std::make_unique<registry>(where, which, below.make(fmt::format("{}-master", to_text(which))),
                                           registry::options{});
  made.master->start_and_wait();
  for (int n = 1; n <= slaves; ++n) {
    const auto name = fmt::format("Slave{}", n);
    made.slaves.push_back(std::make_unique<registry>(where, which,
                                                     below.make(fmt::format("{}-{}", to_text(which), name)),
                                                     registry::options{name, made.master->locator_text(), {}}));
    made.slaves.back()->start();
  }
  for (int n = 1; n <= slaves; ++n) {
    made.slaves[static_cast<std::size_t>(n - 1)]->wait_until_it_answers();
    made.master->wait_for_slave(fmt::format("Slave{}", n));
  }
  return made;
}

std::vector<std::shared_ptr<Ice::LocatorPrx>> locators(const Ice::CommunicatorPtr& client, const registry& of,
                                                       int connections) {
  std::vector<std::shared_ptr<Ice::LocatorPrx>> made;
  for (int n = 0; n < connections; ++n) {
    const auto proxy = client->stringToProxy(of.locator_text())->ice_connectionId(fmt::format("locate-{}", n));
    made.push_back(Ice::uncheckedCast<Ice::LocatorPrx>(proxy));
    made.back()->ice_ping();
  }
  return made;
}

std::vector<std::shared_ptr<IceGrid::AdminPrx>> admins(const Ice::CommunicatorPtr& client, const registry& master,
                                                       int connections) {
  std::vector<std::shared_ptr<IceGrid::AdminPrx>> made;
  for (int n = 0; n < connections; ++n) {
    const auto id = fmt::format("admin-{}", n);
    const auto proxy = client->stringToProxy(fmt::format("{}/Registry:{}", instance, master.client_endpoint()));
    const auto desk = Ice::uncheckedCast<IceGrid::RegistryPrx>(proxy->ice_connectionId(id));
    const auto session = desk->createAdminSession("bench", "bench");
    made.push_back(session->ice_connectionId(id)->getAdmin()->ice_connectionId(id));
  }
  return made;
}

std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>> locator_registries(const Ice::CommunicatorPtr& client,
                                                                         const registry& master, int connections) {
  const auto locator = Ice::uncheckedCast<Ice::LocatorPrx>(client->stringToProxy(master.locator_text()));
  std::vector<std::shared_ptr<Ice::LocatorRegistryPrx>> made;
  made.reserve(static_cast<std::size_t>(connections));
  for (int n = 0; n < connections; ++n) {
    made.push_back(locator->getRegistry()->ice_connectionId(fmt::format("register-{}", n)));
  }
  return made;
}

}  // namespace muster::bench
