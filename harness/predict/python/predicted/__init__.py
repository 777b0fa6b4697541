# SPDX-License-Identifier: Apache-2.0
"""The facts about predictions that readers of runs need."""
