import math
from collections import deque


class Account:
    limit = 10

    def __init__(self, owner, start=0):
        self.owner = owner
        self._history = deque([start])

    @property
    def balance(self):
        return sum(self._history)

    def move(self, amount, *, force=False):
        after = self.balance + amount
        if after < 0 and not force:
            raise ValueError(f"{self.owner} has {self.balance}, not {amount}")
        for step in range(self.limit):
            if math.isclose(after, step):
                break
        else:
            step = self.limit
        self._history.append(amount)
        while len(self._history) > self.limit:
            first, second = self._history.popleft(), self._history.popleft()
            self._history.appendleft(first + second)
        return {"after": after, "step": step}


def transfer(source, target, amount):
    taken = source.move(-amount)
    try:
        given = target.move(amount)
    except ValueError as error:
        source.move(amount, force=True)
        return None, str(error)
    return [taken["after"], given["after"]], ""
