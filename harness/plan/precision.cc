#include "harness/plan/precision.h"

#include <algorithm>
#include <cmath>

namespace lockbench {
namespace {

// The greatest rank r (from 0) such that values[r] and values[n - 1 - r] enclose the median with at
// least 95 %; absent when not even the extremes do. The number of values below the median is
// binomial(n, 1/2), whatever the distribution.
std::optional<std::size_t> interval_rank(std::size_t n) {
  constexpr double kEachTail = 0.025;
  double term = std::pow(0.5, static_cast<double>(n));  // P(nothing below the median)
  double tail = term;
  std::optional<std::size_t> rank;
  for (std::size_t r = 0; tail <= kEachTail && r < n / 2; ++r) {
    rank = r;
    term *= static_cast<double>(n - r) / static_cast<double>(r + 1);
    tail += term;
  }
  return rank;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace

std::optional<double> relative_half_width(std::vector<double> values) {
  const std::optional<std::size_t> rank = interval_rank(values.size());
  if (!rank) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double width = values[values.size() - 1 - *rank] - values[*rank];
  return width / 2 / median_of_sorted(values);
}

std::vector<Cell> imprecise_cells(std::span<const CellFigures> measured, double precision) {
  std::vector<Cell> cells;
  for (const CellFigures& cell : measured) {
    const std::optional<double> half_width = relative_half_width(cell.figures);
    if (!half_width || *half_width > precision) cells.push_back(cell.cell);
  }
  return cells;
}

}  // namespace lockbench
