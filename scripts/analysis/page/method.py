# SPDX-License-Identifier: Apache-2.0
"""How it was measured, in as many words as a reader of a picture will read."""

PARAGRAPHS = (
    "Each trial measures one cell (a primitive, a workload, so many threads and keys, a hold) once,"
    " in a process of its own. A run goes through all cells in an order drawn anew, and then again:"
    " each pass is a block. Primitives are compared by their ratio within a block, so that a"
    " machine that drifts, drifts for all alike.",
    "Every trial proves itself: when its threads have left, the workload checks that no update was"
    " lost and that nobody met anybody inside who should not have. A row without that proof is not"
    " valid, and no figure of it is shown. Rows that something outside the lock disturbed are not"
    " valid either, and are measured again.",
    "Rates come from counting, with no clock read inside an operation. Of the waits a random few"
    " are timed, from asking for the lock to having it; in an open loop from when the operation was"
    " due. Percentiles are off by at most 1.6 %. Nothing is subtracted from any figure.",
    "One table of comparisons decides what is faster, slower or the same. Its intervals come from a"
    " group-sequential t test of the paired log ratios: valid after every block, and corrected for"
    " the number of comparisons. lockbench compare prints them, and says about how many blocks an"
    " inconclusive comparison needs.",
)
