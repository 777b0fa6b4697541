# SPDX-License-Identifier: Apache-2.0
"""The promises of lockbench about its figures, each promise put to the test.

lab      where runs are made: the program, a folder, what is drawn
finding  what was promised and what was found, as a table
figures  promises about what is measured and judged
kills    the promise that nothing finished is ever lost
"""
