#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "spec/sweep.h"
#include "spec/trial.h"

namespace lockstep::spec {

// The names of an enumeration's values, in its order: what flags, files and reports say.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kNames;
template <>
inline constexpr std::array<std::string_view, 3> kNames<Mode> = {"training", "forward_only",
                                                                 "evaluation"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<DataFormat> = {"auto", "NCHW", "NHWC",
                                                                       "plain_nchw"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ConvAlgorithm> = {"auto", "direct",
                                                                          "winograd"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<OptimizerKind> = {"sgd", "momentum",
                                                                          "rmsprop", "adam"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<LossToReport> = {"total_loss", "base_loss"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<VariableConsistency> = {"strong",
                                                                                "relaxed"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<WirePrecision> = {"fp32", "fp16", "bf16"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<LocalParameterDevice> = {"cpu", "gpu"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<Transport> = {"auto", "threads", "tcp",
                                                                      "mpi"};
template <>
inline constexpr std::array<std::string_view, 4> kNames<JobName> = {"", "worker", "ps",
                                                                    "controller"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<ResizeMethod> = {
    "nearest", "bilinear", "bicubic", "area", "round_robin"};

template <>
inline constexpr std::array<std::string_view, 2> kNames<Scaling> = {"weak", "strong"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<InputKind> = {"synthetic", "cached",
                                                                      "real"};

template <typename Enum>
constexpr std::string_view name(Enum value) {
  return kNames<Enum>[static_cast<std::size_t>(value)];
}

template <typename Enum>
constexpr std::optional<Enum> named(std::string_view text) {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i) {
    if (kNames<Enum>[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace lockstep::spec
