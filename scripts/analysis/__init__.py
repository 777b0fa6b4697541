# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a run and says what is in it, in pictures and in tables.

loader      the one way in: trials.csv, latency.csv, meta.json, checked
cells       what makes two rows measurements of the same thing
units       numbers as people read them
statistics  intervals, exact tests, verdicts; no row, no file
likeness    whether two runs may be compared
comparison  rows of a comparison, within a run and between two
machines    the machines of one run or of several
fleet       several machines side by side, each compared within itself
fleet_tables  what `compare` says of them
pooling     one figure for many machines, by random effects; no row, no file
saved       runs that were saved as a baseline
gate        whether a run may pass, against a baseline
index       a page of all runs of a folder
exports     a run in the formats that other tools read
hdr         its waits as an HdrHistogram log
histograms  the buckets of latency.csv, for the trials asked for
text        names and reasons made harmless
tables      a comparison as text, CSV, Markdown, JSON
palette     one colour, marker and line style for each primitive
figure      the look that all pictures share
scales      logarithmic axes
endings     names at the ends of lines
pictures    one module a picture
page        the report
modules     whether this interpreter has what a script imports
command     what the scripts' command lines share
"""
