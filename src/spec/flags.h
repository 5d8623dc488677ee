#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/getenv.h"
#include "spec/trial.h"

namespace lockstep::spec {

// What a command line comes to.
struct Parsed {
  Trial trial;
  bool print_config = false;          // show the trial instead of running it
  std::vector<std::string> warnings;  // what was asked for and has no effect
  std::vector<std::string> notes;     // what is done otherwise than the words suggest
};

// The value of a flag, of the alternative that its kind calls for.
using Value = std::variant<bool, std::int64_t, double, std::string>;

enum class Kind { boolean, integer, real, text, choice, list };

// What a flag takes. The default is text in the flag's own grammar; empty: not set.
struct Type {
  Kind kind = Kind::text;
  std::string_view default_text = {};
  std::vector<std::string_view> choices = {};  // of Kind::choice; letter case does not matter
  double low = 0;                              // of numbers
  double high = 0;
  bool low_excluded = false;
  bool high_excluded = false;
};

// works: changes the trial. ignored: accepted with a warning, because it cannot change what is
// computed here. refused: it would change what is computed or written, and this version cannot.
enum class Status { works, ignored, refused };

// A row of the table of flags.
struct Flag {
  std::string_view name;        // with underscores
  std::string_view alias = {};  // a second name; empty: none
  std::string_view group;
  Type type;
  std::string_view help;  // one line
  Status status = Status::works;
  std::string_view reason = {};   // why it is ignored or refused
  std::string_view instead = {};  // of a refused one: what to do; empty: leave it out
  bool own = false;               // lockstep's; else one of tf_cnn_benchmarks'
  void (*apply)(Parsed&, const Value&) = nullptr;  // of a working one
};

// All flags, by group. They are applied in this order, whatever the order on the command line.
std::span<const Flag> flags();

// The flag with this name or alias, dashes or underscores; null: none.
const Flag* find_flag(std::string_view name);

// "an integer from 1 to 2147483647", "one of sgd, momentum, rmsprop or adam"
std::string expectation(const Type& type);

// Throws Error(usage) with `shown` ("--batch_size=x") and the expectation when `text` is no value
// of the type.
Value parse_value(const Type& type, std::string_view text, std::string_view shown);

// The arguments behind `lockstep run`. Grammar: --flag=value, --flag value; for booleans --flag,
// --noflag, --flag=false; one dash or two; the last one wins. Variables LOCKSTEP_<FLAG> of the
// environment stand below the command line: it also wins over a variable that it excludes. Throws
// Error(usage) for anything else.
// `variables`, the names of all that the environment has, are searched for misspelt ones.
Parsed parse_run(std::span<const std::string> args, const Getenv& getenv,
                 std::span<const std::string> variables = {});

}  // namespace lockstep::spec
