#include "data/pickle.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

namespace lockstep::data {
namespace {

using Kind = PickleValue::Kind;

// Python's machine: a stack of values, marks on it, and a memo of values that come again.
class Machine {
 public:
  explicit Machine(Bytes bytes) : bytes_(bytes) {}

  Parsed<Pickle> run() {
    while (true) {
      const std::size_t start = at_;
      if (at_ == bytes_.size()) return Fault{at_, "a pickle that is cut off"};
      const std::uint8_t opcode = bytes_[at_++];
      if (opcode == '.') {
        if (stack_.empty()) return Fault{start, "a pickle without a value"};
        pickle_.root = stack_.back();
        return std::move(pickle_);
      }
      if (!step(opcode)) {
        return Fault{start, problem_.empty() ? "a damaged pickle" : std::move(problem_)};
      }
    }
  }

 private:
  // Whether that went well.
  bool step(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        return take(1).has_value();
      case 0x95:  // FRAME
        return take(8).has_value();
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case 'N':
        return push({.kind = Kind::none});
      case 0x88:  // NEWTRUE
        return push({.kind = Kind::integer, .integer = 1});
      case 0x89:  // NEWFALSE
        return push({.kind = Kind::integer, .integer = 0});
      case 'K':  // BININT1
        return push_integer(1);
      case 'M':  // BININT2
        return push_integer(2);
      case 'J':  // BININT
        return push_integer(4);
      case 0x8a:  // LONG1
        if (const auto length = number(1)) return push_integer(*length);
        return false;
      case 'U':   // SHORT_BINSTRING
      case 'C':   // SHORT_BINBYTES
      case 0x8c:  // SHORT_BINUNICODE
        return push_bytes(1);
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
      case 'X':  // BINUNICODE
        return push_bytes(4);
      case 0x8e:  // BINBYTES8
      case 0x8d:  // BINUNICODE8
      case 0x96:  // BYTEARRAY8
        return push_bytes(8);
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        return push({.kind = Kind::sequence});
      case '}':  // EMPTY_DICT
        return push({.kind = Kind::dictionary});
      case 't':  // TUPLE
        return push_tuple(since_mark());
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3
      case 0x86:
      case 0x87:
        return push_tuple(pop(opcode - 0x84U));
      case 'a':  // APPEND
        return extend(pop(1), Kind::sequence);
      case 'e':  // APPENDS
        return extend(since_mark(), Kind::sequence);
      case 's':  // SETITEM
        return extend(pop(2), Kind::dictionary);
      case 'u':  // SETITEMS
        return extend(since_mark(), Kind::dictionary);
      case 'q':  // BINPUT
        return put(number(1));
      case 'r':  // LONG_BINPUT
        return put(number(4));
      case 0x94:  // MEMOIZE
        return put(memo_.size());
      case 'h':  // BINGET
        return get(number(1));
      case 'j':  // LONG_BINGET
        return get(number(4));
      case 'c':  // GLOBAL
        return push_global();
      case 0x93:  // STACK_GLOBAL: the names are on the stack, and of no use to us
        return pop(2) && push({.kind = Kind::global});
      case 'R':  // REDUCE
        if (const auto call = pop(2)) return push({.kind = Kind::object, .items = *call});
        return false;
      case 'b':  // BUILD
        return build();
      default:
        problem_ = fmt::format("opcode 0x{:02x}, which no CIFAR-10 file needs", opcode);
        return false;
    }
  }

  std::optional<Bytes> take(std::uint64_t length) {
    if (length > bytes_.size() - at_) return std::nullopt;
    const Bytes taken = bytes_.subspan(at_, length);
    at_ += length;
    return taken;
  }

  std::optional<std::uint64_t> number(std::uint64_t length) {
    const auto taken = take(length);
    if (!taken) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < length; ++i) value |= std::uint64_t{(*taken)[i]} << 8 * i;
    return value;
  }

  // With a sign from four bytes on, as Python has it.
  bool push_integer(std::uint64_t length) {
    if (length > 8) return false;
    const auto bits = number(length);
    if (!bits) return false;
    auto value = static_cast<std::int64_t>(*bits);
    if (length == 4) value = static_cast<std::int32_t>(*bits);
    return push({.kind = Kind::integer, .integer = value});
  }

  bool push_bytes(std::uint64_t length_bytes) {
    const auto length = number(length_bytes);
    const auto taken = length ? take(*length) : std::nullopt;
    return taken && push({.kind = Kind::bytes, .bytes = *taken});
  }

  bool push_global() {
    const std::string_view rest = text_of(bytes_.subspan(at_));
    const std::size_t module_end = rest.find('\n');
    if (module_end == std::string_view::npos) return false;
    const std::size_t name_end = rest.find('\n', module_end + 1);
    if (name_end == std::string_view::npos) return false;
    const Bytes names = bytes_.subspan(at_, name_end);
    at_ += name_end + 1;
    return push({.kind = Kind::global, .bytes = names});
  }

  bool push(PickleValue value) {
    stack_.push_back(static_cast<std::uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
    return true;
  }

  using Items = std::optional<std::vector<std::uint32_t>>;

  // Values above the last mark stay out of reach.
  Items pop(std::size_t count) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) return std::nullopt;
    std::vector<std::uint32_t> items(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                     stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }

  Items since_mark() {
    if (marks_.empty()) return std::nullopt;
    auto items = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  bool push_tuple(Items items) {
    return items && push({.kind = Kind::sequence, .items = std::move(*items)});
  }

  bool extend(const Items& items, Kind kind) {
    if (!items || stack_.empty()) return false;
    PickleValue& value = pickle_.values[stack_.back()];
    if (value.kind != kind || (kind == Kind::dictionary && items->size() % 2 != 0)) return false;
    value.items.insert(value.items.end(), items->begin(), items->end());
    return true;
  }

  bool build() {
    const auto state = pop(1);
    if (!state || stack_.empty()) return false;
    PickleValue& object = pickle_.values[stack_.back()];
    if (object.kind != Kind::object || object.items.size() != 2) return false;
    object.items.push_back(state->front());
    return true;
  }

  bool put(std::optional<std::uint64_t> key) {
    if (!key || stack_.empty()) return false;
    memo_[*key] = stack_.back();
    return true;
  }

  bool get(std::optional<std::uint64_t> key) {
    const auto found = key ? memo_.find(*key) : memo_.end();
    if (found == memo_.end()) return false;
    stack_.push_back(found->second);
    return true;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  Pickle pickle_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
  std::string problem_;
};

}  // namespace

const PickleValue* Pickle::find(std::string_view key) const {
  const PickleValue& dictionary = values[root];
  if (dictionary.kind != Kind::dictionary) return nullptr;
  for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
    const PickleValue& name = values[dictionary.items[i]];
    if (name.kind == Kind::bytes && text_of(name.bytes) == key) {
      return &values[dictionary.items[i + 1]];
    }
  }
  return nullptr;
}

Parsed<Pickle> parse_pickle(Bytes bytes) {
  return Machine(bytes).run();
}

}  // namespace lockstep::data
