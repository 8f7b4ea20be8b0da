#pragma once

#include <cstddef>
#include <exception>
#include <string_view>

#include <Ice/Ice.h>

namespace muster::ice {

/// What a reply holds beside its result: the message's header and the encapsulation's.
inline constexpr std::size_t reply_overhead_bytes = 64;

/// The run time sends messages of any size, and the other side's gives the whole connection up when one is larger than
/// it takes. So what is larger than this process would take itself (`Ice.MessageSizeMax`, 1024 KB by default) is
/// refused in words: the `Ice::UnknownException` for a reply of `bytes`, whose content is `what`, and what the caller
/// can do beside raising the bound; null if it fits.
[[nodiscard]] std::exception_ptr refuse_oversized(const Ice::CommunicatorPtr& communicator, std::size_t bytes,
                                                  std::string_view what, std::string_view advice);
/// Likewise for a list of `count` items.
[[nodiscard]] std::exception_ptr refuse_oversized_list(const Ice::CommunicatorPtr& communicator, std::size_t bytes,
                                                       std::size_t count, std::string_view items);

}  // namespace muster::ice
