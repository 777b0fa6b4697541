# SPDX-License-Identifier: Apache-2.0
"""Tools of the experiments in docs/laboratory. No command needs them, and no package has them.

prediction  the command: grids, their tables, and published figures beside predictions
accuracy    how near predictions are to measurements, and which figures of a model matter
literature  predictions beside figures that others published
"""
