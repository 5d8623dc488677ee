#include <vector>

#include "base/rng.h"
#include "engine/engine.h"
#include "kernel/parallel.h"

namespace lockstep::engine {
namespace {

std::uint64_t hash(std::string_view text) {  // FNV-1a
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

float draw(const model::Init& init, const Rng& rng, std::uint64_t position) {
  switch (init.kind) {
    case model::Init::Kind::constant:
      return init.value;
    case model::Init::Kind::normal:
      return init.value * rng.normal(position);
    case model::Init::Kind::truncated_normal:
      return init.value * rng.truncated_normal(position);
    case model::Init::Kind::uniform:
      return init.value * (2 * rng.uniform(position) - 1);
  }
  return 0;
}

}  // namespace

void initialise(Engine& engine, std::uint64_t seed) {
  std::vector<float> plain;
  int index = 0;
  for (const Parameter& parameter : engine.parameters()) {
    const Rng rng = Rng(seed).stream(hash(parameter.plain.name));
    plain.resize(static_cast<std::size_t>(parameter.plain.elements()));
    kernel::parallel_for(parameter.plain.elements(), 4096,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; ++i) {
                             plain[static_cast<std::size_t>(i)] =
                                 draw(parameter.plain.init, rng, static_cast<std::uint64_t>(i));
                           }
                         });
    engine.set_parameter(index++, plain);
  }
}

}  // namespace lockstep::engine
