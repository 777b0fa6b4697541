# SPDX-License-Identifier: Apache-2.0
"""How it was measured, in as many words as a reader of a picture will read."""

PARAGRAPHS = (
    "A trial measures one cell (one primitive, one workload, a number of threads and keys, a hold)"
    " in its own process. A block is one pass over all cells in a new random order. Primitives are"
    " compared by their ratio within a block, so slow drift of the machine affects both sides.",
    "Every trial verifies itself: when its threads have ended, the workload checks that no update"
    " was lost and that no two threads were in one critical section. A row that fails the check is"
    " invalid, and none of its figures is shown. A row that something outside the lock disturbed is"
    " invalid, too, and is measured again.",
    "Rates come from counting; no operation reads a clock for them. A random sample of the waits is"
    " timed, from the request to the acquisition, in an open loop from the time at which the"
    " operation was due. Percentiles are exact to 1.6 %. Nothing is subtracted from any figure.",
    "One table of comparisons decides what is faster, slower or the same. Its intervals come from a"
    " group-sequential t test of the paired log ratios. They are valid after every block, and are"
    " corrected for the number of comparisons. lockbench compare prints them, and estimates how"
    " many blocks an inconclusive comparison needs.",
)
