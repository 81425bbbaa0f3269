"""One row of the table: a piece of work, its figures, and the limit it is held to."""
from __future__ import annotations

from dataclasses import asdict, dataclass

from measuring import spread


@dataclass
class Row:
    work: str
    #: What the figure is compared with; empty for figures that stand for themselves.
    against: str
    unit: str
    ours: dict
    theirs: dict | None
    #: The compared figure: the ratio's spread, or ours when there is nothing to compare with.
    figure: dict
    #: At most; None for rows that only inform.
    limit: float | None

    @property
    def met(self) -> bool:
        return self.limit is None or self.figure["median"] <= self.limit

    @classmethod
    def ratio(cls, work: str, against: str, limit: float | None, unit: str,
              ours: list[float], theirs: list[float]) -> Row:
        """Ours by theirs: of the medians; least and most are those of the single rounds."""
        rounds = spread([one / max(other, 1e-9) for one, other in zip(ours, theirs)])
        mine, others = spread(ours), spread(theirs)
        rounds["median"] = mine["median"] / max(others["median"], 1e-9)
        rounds["min"] = min(rounds["min"], rounds["median"])
        rounds["max"] = max(rounds["max"], rounds["median"])
        return cls(work, against, unit, mine, others, rounds, limit)

    @classmethod
    def plain(cls, work: str, limit: float | None, unit: str, values: list[float]) -> Row:
        return cls(work, "", unit, spread(values), None, spread(values), limit)

    def as_json(self) -> dict:
        return asdict(self) | {"met": self.met}
