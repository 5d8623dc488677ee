#include "train/input.h"

#include <algorithm>

#include "data/synthetic.h"

namespace lockstep::train {
namespace {

std::optional<data::ResizeMethod> resize_method(spec::ResizeMethod method) {
  switch (method) {
    case spec::ResizeMethod::nearest:
      return data::ResizeMethod::nearest;
    case spec::ResizeMethod::bilinear:
      return data::ResizeMethod::bilinear;
    case spec::ResizeMethod::bicubic:
      return data::ResizeMethod::bicubic;
    case spec::ResizeMethod::area:
      return data::ResizeMethod::area;
    case spec::ResizeMethod::round_robin:
      break;
  }
  return std::nullopt;
}

}  // namespace

data::Images images_of(const engine::ImageBuffer& buffer) {
  return {.first = buffer.data.data() + buffer.offset,
          .n = buffer.n,
          .c = buffer.c,
          .h = buffer.h,
          .w = buffer.w,
          .stride_n = buffer.stride_n,
          .stride_c = buffer.stride_c,
          .stride_h = buffer.stride_h,
          .stride_w = buffer.stride_w};
}

data::PipelineOptions pipeline_options(const spec::Trial& trial, const Feed& feed,
                                       data::Split split, const data::Images& images, int outputs) {
  const spec::Data& data = trial.data;
  data::PipelineOptions options;
  options.split = split;
  options.preprocessing = {
      .training = split == data::Split::train,
      .height = images.h,
      .width = images.w,
      .resize = resize_method(data.resize_method),
      .distortions = data.distortions,
      .distort_color_in_yiq = data.distort_color_in_yiq,
      .scaling = data.subtract_channel_means ? data::kLessChannelMeans : data::kToMinusOneToOne,
      .seed = trial.seed};
  options.label_shift = data::label_shift(feed.source->index(), outputs);
  options.threads = feed.threads;
  options.cores = feed.cores;
  options.prefetch =
      data.use_prefetch ? std::max(data.prefetch_buffer_size, data.batch_group_size) : 1;
  options.cache = data.use_caching;
  options.repeat_cached_sample = data.repeat_cached_sample;
  options.skip_corrupt = data.skip_corrupt;
  return options;
}

Input::Input(const spec::Trial& trial, const Feed& feed, data::Split split,
             const data::Images& images, int outputs, const data::Itinerary& itinerary)
    : images_(images), labels_(static_cast<std::size_t>(images.n)) {
  if (feed.source == nullptr) {
    data::fill_images(images, trial.seed, itinerary.first);
    data::fill_labels(labels_, outputs, trial.seed, itinerary.first);
    return;
  }
  pipeline_.emplace(*feed.source, itinerary, pipeline_options(trial, feed, split, images, outputs));
}

std::span<const int> Input::next() {
  if (pipeline_) pipeline_->next(images_, labels_);
  return labels_;
}

data::InputTimes Input::take_times() {
  return pipeline_ ? pipeline_->take_times() : data::InputTimes{};
}

}  // namespace lockstep::train
