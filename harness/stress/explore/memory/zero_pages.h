// SPDX-License-Identifier: Apache-2.0

// ZeroPages<T>: an array of numbers that begins with zeros. The system makes a page of it when the
// page is first written, so a large one of which little is used costs as much as that little.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace lockbench::stress::explore {

template <class T>
class ZeroPages {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // Throws std::bad_alloc if there is no memory.
  explicit ZeroPages(std::size_t size)
      : first_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size) {
    if (first_ == nullptr) throw std::bad_alloc();
  }

  T& operator[](std::size_t position) { return first_.get()[position]; }
  const T& operator[](std::size_t position) const { return first_.get()[position]; }

  std::size_t size() const { return size_; }
  T* begin() { return first_.get(); }

 private:
  struct Free {
    void operator()(T* first) const { std::free(first); }
  };

  std::unique_ptr<T, Free> first_;
  std::size_t size_;
};

}  // namespace lockbench::stress::explore
