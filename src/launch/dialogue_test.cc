#include "launch/dialogue.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep::launch {
namespace {

TEST(Dialogue, GoesLineByLine) {
  Dialogue dialogue({"sh", "-c", "echo hello; while read -r line; do echo \"<$line>\"; done"});
  EXPECT_EQ(dialogue.hear(10), "hello");
  EXPECT_TRUE(dialogue.say("one"));
  EXPECT_TRUE(dialogue.say("two words"));
  EXPECT_EQ(dialogue.hear(10), "<one>");
  EXPECT_EQ(dialogue.hear(10), "<two words>");
}

TEST(Dialogue, EndsWithTheProcess) {
  Dialogue dialogue({"sh", "-c", "read -r line; echo last"});
  EXPECT_TRUE(dialogue.say("one"));
  EXPECT_EQ(dialogue.hear(10), "last");
  EXPECT_EQ(dialogue.hear(10), std::nullopt);
  EXPECT_FALSE(dialogue.say("two"));
}

TEST(Dialogue, DoesNotWaitForeverNorKeepASilentProcess) {
  Dialogue dialogue({"sleep", "1000"});
  EXPECT_EQ(dialogue.hear(0.05), std::nullopt);
}

TEST(Dialogue, RefusesAProgramThatIsNotThere) {
  EXPECT_THROW(Dialogue({"/no/such/program"}), Error);
}

}  // namespace
}  // namespace lockstep::launch
