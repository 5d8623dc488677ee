#include "comm/wire.h"

#include <chrono>
#include <future>
#include <memory>

#include "comm/transport.h"

namespace lockstep::comm {
namespace {

constexpr auto kJobPatience = std::chrono::seconds(1);  // for a job of milliseconds

bool has_lost_a_rank(const Transport& transport) {
  try {
    transport.check();
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

void let_wire_finish_job(Transport& transport) {
  if (transport.wire() == nullptr) return;
  const auto behind = std::make_shared<std::promise<void>>();
  std::future<void> reached = behind->get_future();
  transport.wire()->post([behind] { behind->set_value(); });
  while (reached.wait_for(kJobPatience) != std::future_status::ready &&
         !has_lost_a_rank(transport)) {
  }
}

}  // namespace lockstep::comm
