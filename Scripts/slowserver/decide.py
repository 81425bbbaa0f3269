"""Which answer a request gets, or that it depends on the body.
"""
from __future__ import annotations

import slowserver
from slowserver.answer import Answer, location, page, retry_after, unauthorized
from slowserver.behaviour import Behaviour, parameter_text
from slowserver.download import download
from slowserver.request import Request


def decide(request: Request, behaviour: Behaviour, turn: int, now: float,
           range_turn: int = 0) -> Answer | None:
    """The answer to request number `turn` of its kind, or None when it depends on the body."""
    if request.method == "HEAD" and behaviour.headrefused:
        return page(405, "", ("Allow", "GET"))
    if request.method not in ("GET", "HEAD", "POST", "PUT"):
        return page(405, "", ("Allow", "GET, HEAD, POST, PUT"))
    if behaviour.strikes(turn, unless_given=float("inf")):
        if request.is_upload and behaviour.early:
            return unauthorized(behaviour) if behaviour.early == 401 else page(behaviour.early)
        if behaviour.status:
            return page(behaviour.status, "", *retry_after(behaviour))
        if behaviour.redirect:
            return page(behaviour.code, "", ("Location", location(request, behaviour.redirect)))
    if request.is_upload:
        return None
    if request.path == "/":
        return page(200, slowserver.__doc__ + "\n" + parameter_text())
    return download(request, behaviour, turn, now, range_turn)
