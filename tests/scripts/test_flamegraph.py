# SPDX-License-Identifier: Apache-2.0
"""Flame graphs: stacks as perf prints them, and the picture of them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from analysis import flamegraph
from analysis.flamegraph import Frame

# Two samples of one stack, one of another that perf cut off, and one without a stack.
PRINTED = """15161
\t          2f1270 lockbench::acquire<lockbench::KeyedMutex<unsigned long, 32ul> > (/opt/lockbench)
\t           891f4 start_thread (/usr/lib/x86_64-linux-gnu/libc.so.6)

15162
\t          2f1299 lockbench::acquire<lockbench::KeyedMutex<unsigned long, 32ul> > (/opt/lockbench)
\t           891f4 start_thread (/usr/lib/x86_64-linux-gnu/libc.so.6)

15162
\tffffffff821d0ca1 futex_wait ([kernel.kallsyms])
\t           98992 [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t          2e1312 operator()(int) (/opt/a (b)/lockbench (deleted))
\tffffffffffffffff [unknown] ([unknown])

15163

"""
SVG = "{http://www.w3.org/2000/svg}"
HEADING = flamegraph.Heading("keyed", "keyed, counter, 2 threads", 1999)


def boxes(text: str) -> dict[str, tuple[float, float, float]]:
    """Left edge, top and width of each box, by what its tooltip says first."""
    found = {}
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        assert box is not None
        name = group.findtext(f"{SVG}title", "").rpartition(": ")[0]
        found[name] = (float(box.get("x", 0)), float(box.get("y", 0)), float(box.get("width", 0)))
    return found


def test_folded_stacks_are_lines_with_their_samples() -> None:
    a, b = Frame("main", "program"), Frame("f<a;b>", "library")
    stacks = flamegraph.Stacks({(a, b): 3, (a,): 1})
    assert flamegraph.folded(stacks) == "main 1\nmain;f<a:b> 3\n"


def test_equal_stacks_are_counted_and_begin_with_the_outermost_function() -> None:
    acquire = "lockbench::acquire<lockbench::KeyedMutex<unsigned long, 32ul> >"
    assert flamegraph.read(PRINTED.splitlines(keepends=True)) == {
        (Frame("start_thread", "library"), Frame(acquire, "program")): 2,
        (
            Frame("operator()(int)", "program"),
            Frame("[libc.so.6]", "library"),
            Frame("futex_wait", "kernel"),
        ): 1,
    }


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("lockbench::Loop<A<B>, C>::run", "Loop::run"),
        ("lockbench::(anonymous namespace)::TrialRun::await", "TrialRun::await"),
        ("lockbench::internal::operator<< <char, A<B> >", "operator<< "),
        ("ns::operator<=><int>", "ns::operator<=>"),
        ("std::function<void ()>::operator->", "std::function::operator->"),
        ("futex_wait", "futex_wait"),
        ("cut off<at", "cut off"),
    ],
)
def test_a_name_is_short_without_templates(name: str, wanted: str) -> None:
    assert flamegraph.short(name) == wanted


def test_a_box_stands_on_its_caller_and_is_as_wide_as_its_share() -> None:
    stacks = flamegraph.Stacks(
        {
            (Frame("main", "program"), Frame("a", "library")): 60,
            (Frame("main", "program"), Frame("b", "kernel")): 30,
            (Frame("main", "program"),): 10,
        }
    )
    found = boxes(flamegraph.svg(stacks, HEADING))
    assert set(found) == {"main", "a", "b"}
    assert found["a"][2] == pytest.approx(0.6 * found["main"][2], abs=1)
    assert found["b"][2] == pytest.approx(0.3 * found["main"][2], abs=1)
    assert found["a"][0] == found["main"][0]
    assert found["b"][0] == pytest.approx(found["a"][0] + found["a"][2], abs=1)
    assert found["a"][1] == found["b"][1] < found["main"][1]


def test_the_picture_does_not_depend_on_the_order_of_the_samples() -> None:
    samples = PRINTED.split("\n\n")
    one, other = (
        flamegraph.svg(flamegraph.read("\n\n".join(order).splitlines(keepends=True)), HEADING)
        for order in (samples, samples[::-1])
    )
    assert one == other and "3 samples" in one


def test_names_cannot_become_markup() -> None:
    stacks = flamegraph.Stacks({(Frame("</title><script>\x1b[1m", "program"),): 1})
    text = flamegraph.svg(stacks, flamegraph.Heading("<b>", "a&b", 99))
    assert "<script>" not in text and "<b>" not in text and "\x1b" not in text
    assert list(boxes(text)) == ["</title><script>\\x1b[1m"]


def test_the_words_name_what_took_most_time_itself() -> None:
    stacks = flamegraph.read(PRINTED.splitlines(keepends=True))
    assert flamegraph.in_words(stacks) == "Most time by itself: acquire 67 %; futex_wait 33 %"


def test_a_deep_stack_is_drawn() -> None:
    deep = tuple(Frame(f"f{i}", "program") for i in range(3000))
    assert len(boxes(flamegraph.svg(flamegraph.Stacks({deep: 1}), HEADING))) == 3000
