"""The review page: who comes in by which link, what they are shown, and what they may change."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as StarletteHTTPException

from flows.review.guard import LOOPBACK, App, Guard
from flows.review.keyring import SESSION_SECONDS, Holder, Keyring
from flows.review.rendering import STATIC, rendered, static
from situatedgen.errors import DecisionError, StoreError
from situatedgen.review.decisions import LONGEST_NOTE
from situatedgen.review.queue import Pair
from storage.ballot_desk import BallotDesk
from storage.desk import Desk
from storage.turns import Given

LONGEST_PAIR_SECONDS = 3600.0
TITLES: dict[int, str] = {HTTPStatus.NOT_FOUND: "Not here", HTTPStatus.UNAUTHORIZED: "Your link, please"}
Token = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Key = Annotated[str, Field(max_length=64)]
Told = Callable[[Holder, str], None]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class LinkForm(_Form):
    """The secret of a link, to be exchanged for a session."""

    link: str = Field(max_length=200)


class DecisionForm(_Form):
    """An answer. Whose it is the session says, never the form."""

    pair: Key
    answers: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=64)]] = Field(max_length=20)
    token: Token
    note: str = Field(default="", max_length=LONGEST_NOTE)
    seconds: float = Field(default=0, ge=0, allow_inf_nan=False, strict=False)


class UndoForm(_Form):
    """A wish to take the last answer back."""

    token: Token


class SkipForm(_Form):
    """A wish to see a pair later."""

    pair: Key


def _nothing(_holder: Holder, _what: str) -> None:
    """Nobody wants to hear of it."""


@dataclass(frozen=True)
class Round:
    """What a server serves: a desk, the keys to it, and what is told of it."""

    desk: Desk | BallotDesk
    keys: Keyring
    heading: str
    cookie: str = "situatedgen-review"
    shows_flags: bool = False
    told: Told = _nothing


def review_app(served: Round, *, hosts: frozenset[str] = LOOPBACK, any_address: bool = False) -> App:
    """The whole server as an ASGI app, behind its guard."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.served = served
    _add_doors(app)
    _add_judging(app)
    _add_agreement(app)
    _add_errors(app)
    return Guard(app, hosts, any_address=any_address)


def _served(request: Request) -> Round:
    found: Round = request.app.state.served
    return found


def _session(request: Request) -> str:
    return request.cookies.get(_served(request).cookie, "")


def _holder(request: Request) -> Holder:
    found = _served(request).keys.inside(_session(request))
    if found is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "open the link that was made for you")
    return found


def _judge(holder: Annotated[Holder, Depends(_holder)]) -> Holder:
    if not holder.may_judge:
        raise HTTPException(HTTPStatus.FORBIDDEN, "this link is for looking at the agreement only")
    return holder


def _comparer(holder: Annotated[Holder, Depends(_holder)]) -> Holder:
    if not holder.may_compare:
        raise HTTPException(HTTPStatus.FORBIDDEN, "who judges does not see how others judged")
    return holder


def _writer(
    request: Request, holder: Annotated[Holder, Depends(_judge)], x_form_token: Annotated[str, Header()] = ""
) -> Holder:
    """Somebody who may judge, and whose own page asks for it."""
    if not _served(request).keys.is_form_token(_session(request), x_form_token):
        raise HTTPException(HTTPStatus.FORBIDDEN, "this did not come from your own page; load it again")
    return holder


def _json_only(content_type: Annotated[str, Header()] = "") -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected JSON")


Served = Annotated[Round, Depends(_served)]
Judge = Annotated[Holder, Depends(_judge)]
Writer = Annotated[Holder, Depends(_writer)]
JSON_ONLY = [Depends(_json_only)]


def _add_doors(app: FastAPI) -> None:
    """How one comes in, and what needs no session."""

    @app.get("/enter")
    def enter() -> HTMLResponse:
        return HTMLResponse(rendered("enter.html"))

    @app.post("/session", dependencies=JSON_ONLY)
    def session(form: LinkForm, served: Served) -> JSONResponse:
        holder = served.keys.entering(form.link)
        if holder is None:
            raise HTTPException(HTTPStatus.FORBIDDEN, "this link is not valid")
        served.told(holder, "came in")
        response = JSONResponse({"role": holder.role})
        response.set_cookie(
            served.cookie, served.keys.session(holder), max_age=SESSION_SECONDS, httponly=True, samesite="strict"
        )
        return response

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name not in STATIC:
            raise HTTPException(HTTPStatus.NOT_FOUND, "there is nothing here")
        return Response(static(name), headers={"content-type": STATIC[name]})


def _add_judging(app: FastAPI) -> None:
    """What somebody who judges sees and does."""

    @app.get("/")
    def review(request: Request, served: Served, holder: Annotated[Holder, Depends(_holder)]) -> Response:
        if not holder.may_judge:
            return RedirectResponse("/agreement", HTTPStatus.SEE_OTHER)
        told = {
            "form_token": served.keys.form_token(_session(request)),
            "holder_mark": served.keys.mark(holder),
            "may_compare": holder.may_compare,
            "heading": served.heading,
            "holder": holder,
        }
        return HTMLResponse(rendered("review.html", **told, **_shown(served, holder)))

    @app.get("/pair")
    def pair(served: Served, holder: Judge) -> HTMLResponse:
        return _part(served, holder)

    @app.post("/decisions", dependencies=JSON_ONLY)
    def decisions(form: DecisionForm, served: Served, holder: Writer) -> HTMLResponse:
        seconds = min(form.seconds, LONGEST_PAIR_SECONDS)
        served.desk.decide(holder.name, Given(form.pair, form.answers, form.token, form.note, seconds))
        served.told(holder, "decided")
        return _part(served, holder)

    @app.post("/undo", dependencies=JSON_ONLY)
    def undo(form: UndoForm, served: Served, holder: Writer) -> HTMLResponse:
        return _part(served, holder, again=served.desk.undo(holder.name, form.token))

    @app.post("/skip", dependencies=JSON_ONLY)
    def skip(form: SkipForm, served: Served, holder: Writer) -> HTMLResponse:
        served.desk.skip(holder.name, form.pair)
        return _part(served, holder)


def _add_agreement(app: FastAPI) -> None:
    """What somebody who does not judge blindly may see of all."""

    @app.get("/agreement", dependencies=[Depends(_comparer)])
    def agreement(served: Served, holder: Annotated[Holder, Depends(_holder)]) -> HTMLResponse:
        return HTMLResponse(rendered("agreement.html", heading=served.heading, holder=holder, **_figures(served)))

    @app.get("/agreement/figures", dependencies=[Depends(_comparer)])
    def figures(served: Served) -> HTMLResponse:
        return HTMLResponse(rendered("figures.html", **_figures(served)))


def _figures(served: Round) -> dict[str, Any]:  # Any: what the template asks for
    matrix = served.desk.matrix() if isinstance(served.desk, BallotDesk) else None
    return {"report": served.desk.report(), "questions": served.desk.questions, "matrix": matrix}


def _part(served: Round, holder: Holder, *, again: str = "") -> HTMLResponse:
    return HTMLResponse(rendered("pair.html", **_shown(served, holder, again=again)))


def _shown(served: Round, holder: Holder, *, again: str = "") -> dict[str, Any]:  # Any: what the template asks for
    page = served.desk.page(holder.name, again=again)
    shows_flags = served.shows_flags or served.desk.is_adjudicating
    kind = served.desk.questions.task.value if isinstance(served.desk, BallotDesk) else "criteria"
    return {
        "page": page,
        "kind": kind,
        "questions": served.desk.questions,
        "is_adjudicating": served.desk.is_adjudicating,
        "shows_flags": shows_flags,
        "flags": page.pair.flags if isinstance(page.pair, Pair) and shows_flags else (),
        "note_limit": LONGEST_NOTE,
    }


def _add_errors(app: FastAPI) -> None:
    """What goes wrong is said in a sentence: on a page to people, as JSON to scripts."""

    @app.exception_handler(StarletteHTTPException)
    def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, StarletteHTTPException) else HTTPStatus.BAD_REQUEST
        return _refusal(request, status, str(getattr(error, "detail", "")))

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, _: Exception) -> Response:
        return _refusal(request, HTTPStatus.UNPROCESSABLE_ENTITY, "this is no answer that the page could have sent")

    @app.exception_handler(DecisionError)
    def undecidable(request: Request, error: Exception) -> Response:
        return _refusal(request, HTTPStatus.CONFLICT, str(error))

    @app.exception_handler(StoreError)
    def unwritten(request: Request, _: Exception) -> Response:
        return _refusal(request, HTTPStatus.SERVICE_UNAVAILABLE, "the decision could not be written to disk")


def _refusal(request: Request, status: int, reason: str) -> Response:
    if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", ""):
        title = TITLES.get(status, "Not for you")
        return HTMLResponse(rendered("message.html", title=title, text=f"{reason[:1].upper()}{reason[1:]}."), status)
    return JSONResponse({"error": reason}, status)
