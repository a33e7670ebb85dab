"""Errors that are written for the person who runs the pipeline.

Belongs here: the one error type that the command line prints without a traceback. Does not belong here:
errors of programming (those stay ValueError, TypeError and the like), and the more specific user errors,
which live beside the code that raises them and derive from `UserError`.
"""

from __future__ import annotations


class UserError(Exception):
    """What is wrong, where, and what to do about it.

    `what` is a sentence about the fault, `where` the file, line or value it was found in, `remedy` the action
    that helps. The command line prints the three and exits with code 2.
    """

    def __init__(self, what: str, where: object | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.remedy = remedy
        super().__init__(what, self.where, remedy)

    def __str__(self) -> str:
        lines = [self.what]
        if self.where is not None:
            lines.append(f"  where: {self.where}")
        if self.remedy is not None:
            lines.append(f"  what to do: {self.remedy}")
        return "\n".join(lines)
