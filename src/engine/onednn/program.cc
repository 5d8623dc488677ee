#include "engine/onednn/program.h"

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

dnnl::engine& cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(cpu());
  return stream;
}

}  // namespace lockstep::engine::onednn
