#include "engine/onednn/program.h"

#include <algorithm>

namespace lockstep::engine::onednn {

float* Memory::at(const Place& place) const {
  switch (place.region) {
    case Place::Region::arena:
      return reinterpret_cast<float*>(arena + buffers[place.index]);
    case Place::Region::parameters:
      return parameters + offsets[place.index];
    case Place::Region::gradients:
      return gradients + offsets[place.index];
    case Place::Region::statistics:
      return statistics + place.index;
    case Place::Region::none:
      break;
  }
  return nullptr;
}

std::vector<Lifetime> lifetimes(const Program& program) {
  const int steps = static_cast<int>(program.forward.size() + program.backward.size());
  std::vector<Lifetime> lives;
  for (const Program::Buffer& buffer : program.buffers) {
    lives.push_back({buffer.bytes, buffer.kept ? 0 : steps, buffer.kept ? steps : -1});
  }
  int at = 0;
  for (const auto* pass : {&program.forward, &program.backward}) {
    for (const Step& step : *pass) {
      for (const Place& place : step.operands) {
        if (place.region != Place::Region::arena) continue;
        lives[place.index].first = std::min(lives[place.index].first, at);
        lives[place.index].last = std::max(lives[place.index].last, at);
      }
      ++at;
    }
  }
  return lives;
}

dnnl::engine& cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(cpu());
  return stream;
}

}  // namespace lockstep::engine::onednn
