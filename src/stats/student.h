#pragma once

namespace lockstep::stats {

// Student's t with `degrees` >= 1 degrees of freedom: P(|T| <= t), and the t with that probability.
double student_within(double t, int degrees);
double student_quantile(double probability_within, int degrees);

}  // namespace lockstep::stats
