# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a run and shows its contents in pictures and in tables.

loader      the only way to read a run: trials.csv, latency.csv, meta.json, checked
cells       which rows are measurements of the same cell
units       numbers as users read them
statistics  bootstrap intervals; uses no row and no file
likeness    whether two runs may be compared
summary     each cell's figures and its standing among the primitives of its group, all at once
comparison  rows of a comparison, within a run and between two
machines    the machines of one run or of several
fleet       several machines side by side, each compared within itself
fleet_tables  the output of `compare` for several machines
pooling     one figure for many machines, by random effects; uses no row and no file
saved       runs that were saved as a baseline
gate        whether a run passes against a baseline
index       a page of all runs of a folder
exports     a run in the formats that other tools read
hdr         its waits as an HdrHistogram log
histograms  the buckets of latency.csv, for the requested trials
text        names and reasons made safe for each output format
tables      a comparison as text, CSV, Markdown, JSON
palette     one colour, marker and line style for each primitive
figure      the style that all pictures share
scales      logarithmic axes
endings     names at the ends of lines
pictures    the pictures of `plot`; the page shows the same ones, each alone
page        the report
modules     whether this interpreter has the modules that a script imports
command     the parts that the scripts' command lines share
"""
