"""Invoices, as the billing service sends them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

RATE = 0.2
limit: int = 100
first, second = 1, 2


# Rounds half up.
# Money is never a float.
def rounded(value: int, *, places: int = 2) -> int:
    """Return the value rounded."""

    def inner(x):
        return x + 1

    return inner(value) // 10**places


@dataclass(frozen=True)
class Invoice:
    """One invoice."""

    number: str
    total: int = 0

    @property
    def label(self) -> str:
        return f"{self.number}: {self.total}"

    # The setter is for tests.
    @label.setter
    def label(self, value: str) -> None:
        self.number = value

    class Meta:
        ordering = "number"

    async def send(self):
        await post(self)


if True:

    @functools.cache
    def cached():
        return 1

else:

    def cached():
        return 2


type Pair = tuple[int, int]
handler = lambda event: event.name
