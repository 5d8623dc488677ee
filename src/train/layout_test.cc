#include "train/layout.h"

#include <gtest/gtest.h>

#include "model/zoo.h"

namespace lockstep::train {
namespace {

std::unique_ptr<engine::Engine> compile(const char* model, engine::Layout layout) {
  engine::Options options;
  options.layout = layout;
  return engine::compile(model::build(model::find(model)), options);
}

TEST(Layout, IsTheEnginesOwn) {
  const auto engine = compile("lenet", engine::Layout::automatic);
  const Layout layout = layout_of(*engine);
  ASSERT_EQ(layout.segments.size(), engine->parameters().size());
  EXPECT_EQ(layout.floats, engine->parameter_floats());
  for (std::size_t i = 0; i < layout.segments.size(); ++i) {
    const engine::Parameter& parameter = engine->parameters()[i];
    EXPECT_EQ(layout.segments[i].offset, parameter.offset);
    EXPECT_EQ(layout.segments[i].size, parameter.size);
    EXPECT_EQ(layout.segments[i].decays, parameter.plain.decays);
  }
}

TEST(Layout, IsTheSameForTheSameNetwork) {
  EXPECT_EQ(layout_of(*compile("lenet", engine::Layout::automatic)),
            layout_of(*compile("lenet", engine::Layout::automatic)));
}

TEST(Layout, TellsOrdersOfElementsApart) {
  EXPECT_NE(layout_of(*compile("lenet", engine::Layout::automatic)).orders,
            layout_of(*compile("lenet", engine::Layout::nhwc)).orders);
}

TEST(Layout, PrintsAndParsesBack) {
  const Layout layout{.segments = {{0, 16, true}, {16, 1, false}, {std::size_t{1} << 40, 7, true}},
                      .floats = (std::size_t{1} << 40) + 16,
                      .orders = 0xfedcba9876543210U};
  EXPECT_EQ(layout_from_text(to_text(layout)), layout);
  EXPECT_EQ(layout_from_text(to_text(Layout{})), Layout{});
}

}  // namespace
}  // namespace lockstep::train
