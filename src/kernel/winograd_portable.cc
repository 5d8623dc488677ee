// The steps as any processor can do them.
#include "kernel/winograd_steps_impl.h"

namespace lockstep::kernel::winograd {

constinit const Steps kPortableSteps = steps("portable");

}  // namespace lockstep::kernel::winograd
