# SPDX-License-Identifier: Apache-2.0
"""The report: one page of a run, or of several.

regions     which primitive covers which box of threads × keys × hold; pure
answer      the questions that a run can answer, and the answers
colours     the palette for light and dark, and for fields behind text
svg         a matplotlib figure as inline SVG that the page's colours and script can reach
chart       one picture: its SVG, its caption, its key
lines       pictures along an axis
rows        pictures with a row for each primitive
on_cores    pictures of a run on several kinds of cores, and a sentence for each
sections, waits
            the pictures of the sections
fleet_part  what a page says of several machines, before it has a form
by_cores    speed by threads ÷ cores, a line for each machine
about       machine, build, what was invalid, what the method was
method      how it was measured, in a few words
content     a run's whole chapter, before it has a form
as_html, as_markdown
            the forms
templates   the page itself, its style and its script
"""
