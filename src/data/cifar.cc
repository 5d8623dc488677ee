#include "data/cifar.h"

#include <fmt/format.h>

#include "data/pickle.h"

namespace lockstep::data {
namespace {

Fault wrong_label(std::uint64_t offset, std::int64_t label) {
  return {offset, fmt::format("label {}, where 0 to {} are known", label, kCifarClasses - 1)};
}

// What an array of numpy is pickled as: its shape, the code of its type, its bytes.
struct NumpyArray {
  const PickleValue* shape = nullptr;
  const PickleValue* type = nullptr;
  const PickleValue* bytes = nullptr;
};

const PickleValue* item(const Pickle& pickle, const PickleValue* value, std::size_t i) {
  if (value == nullptr || i >= value->items.size()) return nullptr;
  return &pickle.values[value->items[i]];
}

// numpy.dtype('u1', ...)
bool is_unsigned_byte(const Pickle& pickle, const PickleValue* type) {
  if (type == nullptr || type->kind != PickleValue::Kind::object) return false;
  const PickleValue* arguments = item(pickle, type, 1);
  const PickleValue* code = item(pickle, arguments, 0);
  return code != nullptr && (text_of(code->bytes) == "u1" || text_of(code->bytes) == "|u1");
}

// An object is [what makes it, arguments, state]. Up to protocol 4 an array is made empty and its
// state is (version, shape, type, Fortran order, bytes); from protocol 5 on its arguments are
// (bytes, type, shape, order).
NumpyArray find_array(const Pickle& pickle, const PickleValue& object) {
  if (const PickleValue* state = item(pickle, &object, 2)) {
    return {item(pickle, state, 1), item(pickle, state, 2), item(pickle, state, 4)};
  }
  const PickleValue* arguments = item(pickle, &object, 1);
  return {item(pickle, arguments, 2), item(pickle, arguments, 1), item(pickle, arguments, 0)};
}

// Empty: the shape, the type or the number of bytes is another one.
Bytes pixels_of(const Pickle& pickle, const PickleValue& object, std::size_t images) {
  const NumpyArray array = find_array(pickle, object);
  const PickleValue* rows = item(pickle, array.shape, 0);
  const PickleValue* columns = item(pickle, array.shape, 1);
  if (rows == nullptr || columns == nullptr || array.bytes == nullptr) return {};
  if (rows->integer != static_cast<std::int64_t>(images) ||
      columns->integer != static_cast<std::int64_t>(kCifarImageBytes) ||
      !is_unsigned_byte(pickle, array.type) ||
      array.bytes->bytes.size() != images * kCifarImageBytes) {
    return {};
  }
  return array.bytes->bytes;
}

}  // namespace

CifarBatch parse_cifar_binary(Bytes bytes) {
  constexpr std::uint64_t kRecord = 1 + kCifarImageBytes;
  CifarBatch batch;
  for (std::uint64_t at = 0; at < bytes.size(); at += kRecord) {
    if (bytes.size() - at < kRecord) {
      batch.faults.push_back({at, "the last image is cut off"});
      break;
    }
    if (bytes[at] >= kCifarClasses) {
      batch.faults.push_back(wrong_label(at, bytes[at]));
    } else {
      batch.images.push_back({at + 1, bytes[at]});
    }
  }
  return batch;
}

CifarBatch parse_cifar_pickle(Bytes bytes) {
  const Parsed<Pickle> parsed = parse_pickle(bytes);
  if (const Fault* fault = std::get_if<Fault>(&parsed)) return {.faults = {*fault}};
  const Pickle& pickle = std::get<Pickle>(parsed);
  const PickleValue* labels = pickle.find("labels");
  const PickleValue* data = pickle.find("data");
  if (labels == nullptr || data == nullptr) {
    return {.faults = {{0, "a pickle without \"data\" and \"labels\""}}};
  }
  const Bytes pixels = pixels_of(pickle, *data, labels->items.size());
  if (pixels.empty()) {
    return {.faults = {{0, fmt::format("\"data\" is no array of {} x {} unsigned bytes",
                                       labels->items.size(), kCifarImageBytes)}}};
  }
  CifarBatch batch;
  auto offset = static_cast<std::uint64_t>(pixels.data() - bytes.data());
  for (const std::uint32_t i : labels->items) {
    const PickleValue& label = pickle.values[i];
    if (label.kind != PickleValue::Kind::integer || label.integer < 0 ||
        label.integer >= kCifarClasses) {
      batch.faults.push_back(wrong_label(offset, label.integer));
    } else {
      batch.images.push_back({offset, static_cast<int>(label.integer)});
    }
    offset += kCifarImageBytes;
  }
  return batch;
}

}  // namespace lockstep::data
