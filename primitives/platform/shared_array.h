// SPDX-License-Identifier: Apache-2.0

// SharedArray: a fixed number of objects in memory that later children of this process share.
//
// Guarantees   what a child writes, its parent sees; each object is made once, before any child.
// Requires     objects that hold no pointers to memory of one process; what several write is
//              atomic.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "primitives/platform/file.h"

namespace lockbench::platform {

template <class T>
class SharedArray {
 public:
  // Every object is made from `arguments`. Throws std::bad_alloc.
  template <class... Arguments>
  explicit SharedArray(std::size_t count, const Arguments&... arguments)
      : count_(count), objects_(static_cast<T*>(map_shared({}, count * sizeof(T)))) {
    if (objects_ == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < count; ++i) new (objects_ + i) T(arguments...);
  }
  ~SharedArray() { unmap_shared(objects_, count_ * sizeof(T)); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  T& operator[](std::size_t i) { return objects_[i]; }
  const T& operator[](std::size_t i) const { return objects_[i]; }
  std::size_t size() const { return count_; }
  const T* data() const { return objects_; }
  T* begin() { return objects_; }
  T* end() { return objects_ + count_; }
  const T* begin() const { return objects_; }
  const T* end() const { return objects_ + count_; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);

  const std::size_t count_;
  T* const objects_;
};

// A single one.
template <class T>
class SharedObject {
 public:
  SharedObject() = default;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  SharedArray<T> memory_{1};
  T* const object_ = memory_.begin();
};

}  // namespace lockbench::platform
