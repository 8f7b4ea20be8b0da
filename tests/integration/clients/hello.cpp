// A program of somebody else: built with the stock headers and libraries, it knows of the registry what any Ice program
// knows, its `Ice.Default.Locator`.
//
//   hello_client serve IDENTITY   activates the adapter `Hello`, says "ready", and serves until SIGTERM
//   hello_client ping PROXY       for each line of standard input, a number: pings so often, each time located anew,
//   and
//                                 says how often that succeeded, how often it failed, and how many milliseconds the
//                                 slowest took

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

#include <Ice/Ice.h>

namespace {

class hello final : public Ice::Object {
 public:
  Ice::StringSeq ice_ids(const Ice::Current&) const override { return {"::Demo::Hello", "::Ice::Object"}; }
  std::string ice_id(const Ice::Current&) const override { return "::Demo::Hello"; }
};

int serve(const Ice::CommunicatorPtr& communicator, const std::string& identity, Ice::CtrlCHandler& interrupts) {
  interrupts.setCallback([&communicator](int) { communicator->shutdown(); });
  const auto adapter = communicator->createObjectAdapter("Hello");
  adapter->add(std::make_shared<hello>(), Ice::stringToIdentity(identity));
  adapter->activate();
  std::cout << "ready" << std::endl;
  communicator->waitForShutdown();
  return 0;
}

int ping(const Ice::CommunicatorPtr& communicator, const std::string& text) {
  const auto proxy = communicator->stringToProxy(text)->ice_locatorCacheTimeout(0);
  for (int count = 0; std::cin >> count;) {
    int succeeded = 0;
    int failed = 0;
    std::chrono::steady_clock::duration slowest{};
    for (int done = 0; done < count; ++done) {
      const auto began = std::chrono::steady_clock::now();
      try {
        proxy->ice_ping();
        ++succeeded;
      } catch (const Ice::Exception& cause) {
        std::cerr << cause << '\n';
        ++failed;
      }
      slowest = std::max(slowest, std::chrono::steady_clock::now() - began);
    }
    std::cout << succeeded << ' ' << failed << ' '
              << std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    // Before any thread exists: they inherit the blocked signals.
    Ice::CtrlCHandler interrupts;
    Ice::InitializationData start;
    start.properties = Ice::createProperties(argc, argv);
    const auto rest = start.properties->parseCommandLineOptions("Hello", Ice::argsToStringSeq(argc, argv));
    const Ice::CommunicatorHolder holder{start};
    const std::string verb = rest.size() == 3 ? rest[1] : "";
    if (verb == "serve") return serve(holder.communicator(), rest[2], interrupts);
    if (verb == "ping") return ping(holder.communicator(), rest[2]);
    std::cerr << "usage: hello_client serve IDENTITY | ping PROXY\n";
  } catch (const std::exception& cause) {
    std::cerr << cause.what() << '\n';
  }
  return 1;
}
