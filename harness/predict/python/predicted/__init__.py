# SPDX-License-Identifier: Apache-2.0
"""What readers of runs have to know of predictions."""
