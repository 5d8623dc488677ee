#include "launch/dialogue.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep::launch {
namespace {

TEST(Dialogue, AnswersLineByLine) {
  Dialogue dialogue({"sh", "-c", "while read -r line; do echo \"<$line>\"; done"});
  EXPECT_EQ(dialogue.ask("one", 10), "<one>");
  EXPECT_EQ(dialogue.ask("two words", 10), "<two words>");
}

TEST(Dialogue, EndsWithTheProcess) {
  Dialogue dialogue({"sh", "-c", "read -r line; echo last"});
  EXPECT_EQ(dialogue.ask("one", 10), "last");
  EXPECT_EQ(dialogue.ask("two", 10), std::nullopt);
}

TEST(Dialogue, DoesNotWaitForeverNorKeepASilentProcess) {
  Dialogue dialogue({"sleep", "1000"});
  EXPECT_EQ(dialogue.ask("one", 0.05), std::nullopt);
}

TEST(Dialogue, RefusesAProgramThatIsNotThere) {
  EXPECT_THROW(Dialogue({"/no/such/program"}), Error);
}

}  // namespace
}  // namespace lockstep::launch
