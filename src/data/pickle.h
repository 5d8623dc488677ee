#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

// A value of a pickle. Nothing is ever called or made: what Python would call is kept as an object
// that says so.
struct PickleValue {
  enum class Kind { none, integer, bytes, global, sequence, dictionary, object };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // also of True and False
  Bytes bytes = {};          // of texts, too; of a global: "module\nname"
  std::vector<std::uint32_t> items =
      {};  // of a dictionary: key, value, key, value, ...; of an object:
           // what makes it, arguments, and its state if it has one
};

struct Pickle {
  std::vector<PickleValue> values;  // items are numbers of them
  std::uint32_t root = 0;

  // The value of a key of the dictionary that the root is; null: there is none.
  const PickleValue* find(std::string_view key) const;
};

// The opcodes that Python uses, in protocols 2 to 5, for dictionaries, lists, tuples, texts, bytes,
// integers and arrays of numpy. Takes memory in proportion to the bytes, whatever they are.
Parsed<Pickle> parse_pickle(Bytes bytes);

}  // namespace lockstep::data
