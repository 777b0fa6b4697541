# SPDX-License-Identifier: Apache-2.0
"""Errors that a script reports in one line."""

from __future__ import annotations


class InputError(Exception):
    """The user's input cannot be read; the message is one line for the user."""


class InconclusiveError(Exception):
    """No valid row answers the question; the message is one line for the user."""
