#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/getenv.h"
#include "spec/flags.h"

namespace lockstep::spec {

// A flag as the user gave it.
struct Given {
  const Flag* flag = nullptr;
  std::string text;   // of the value
  std::string shown;  // "--batch_size=64", "LOCKSTEP_BATCH_SIZE=64"
};

// An Error(usage) that lists all of them, each with its hint: who pastes a command line corrects it
// once. "3 flags cannot be used: ..."; a single one is itself, and the common hint follows its own.
Error one_of_all(std::string_view things, std::span<const Error> errors,
                 const std::string& hint = {});

// The flags that a verb takes, and how its command line and the environment name them.
class Vocabulary {
 public:
  // Of two flags with the same name, the first one is meant.
  Vocabulary(std::string_view verb, std::vector<const Flag*> flags);

  // The flag with this name or alias, dashes or underscores; null: none.
  const Flag* find(std::string_view name) const;
  // The name of the flag that is probably meant.
  std::optional<std::string> closest(std::string_view name) const;

  // Grammar: --flag=value, --flag value; for booleans --flag, --noflag, --flag=false; one dash or
  // two. In the order of the command line. What is no flag goes to `operands`, and all that stands
  // behind "--"; without them it is a mistake, like anything else. Throws one Error(usage) for all
  // mistakes.
  std::vector<Given> read_arguments(std::span<const std::string> args,
                                    std::vector<std::string>* operands = nullptr) const;
  // The variables LOCKSTEP_<FLAG>; one that is empty is not set.
  std::vector<Given> read_environment(const Getenv& getenv) const;

  // LOCKSTEP_... among `variables` that stand for no flag and nothing else: a sentence each.
  std::vector<std::string> unknown_variables(std::span<const std::string> variables) const;
  // Those of `variables` that stand for a flag.
  std::vector<std::string> known_variables(std::span<const std::string> variables) const;

 private:
  const Flag* find_negated(std::string_view name) const;

  std::string_view verb_;
  std::vector<const Flag*> flags_;
};

}  // namespace lockstep::spec
