"""The web app of the review page: sign-in by link, annotation, and agreement, by role."""

import hmac
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException as StarletteHTTPException

from flows.review.security import LOOPBACK, Links, User, security_middleware
from situatedgen.errors import DecisionError, StoreError
from situatedgen.review.decisions import LONGEST_NOTE
from storage.annotation.service import AnnotationService, Submission

LONGEST_PAIR_SECONDS = 3600.0
TITLES: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "Page not found",
    HTTPStatus.UNAUTHORIZED: "Sign-in required",
    HTTPStatus.FORBIDDEN: "Access denied",
}
STATIC = {
    "review.css": "text/css; charset=utf-8",
    "ranking.js": "text/javascript; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "enter.js": "text/javascript; charset=utf-8",
    "agreement.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
Token = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Key = Annotated[str, Field(max_length=64)]
Notify = Callable[[User, str], None]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class LinkForm(_Form):
    """The secret of a link, exchanged for a session."""

    link: str = Field(max_length=1000)


class DecisionForm(_Form):
    """An answer. The annotator comes from the session, never from the form."""

    pair: Key
    answers: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=64)]] = Field(max_length=20)
    token: Token
    note: str = Field(default="", max_length=LONGEST_NOTE)
    seconds: float = Field(default=0, ge=0, allow_inf_nan=False, strict=False)


class UndoForm(_Form):
    """A request to take back the last answer."""

    token: Token


class SkipForm(_Form):
    """A request to see an item later."""

    pair: Key


def _ignore(_user: User, _event: str) -> None:
    """Ignore the event."""


@dataclass(frozen=True)
class Review:
    """Everything a server needs: the annotation service, the links to it, and the event callback."""

    service: AnnotationService
    links: Links
    heading: str
    cookie: str = "situatedgen-review"
    shows_judge: bool = False
    notify: Notify = _ignore


def review_app(review: Review, *, hosts: Iterable[str] = LOOPBACK, any_address: bool = False) -> FastAPI:
    """Create the web app. `hosts` are the host names it accepts; with `any_address`, also every IP address."""
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        middleware=security_middleware(review.links.secret, cookie=review.cookie, hosts=hosts, any_address=any_address),
    )
    app.state.review = review
    _add_sign_in(app)
    _add_annotation(app)
    _add_agreement(app)
    _add_errors(app)
    return app


@cache
def _templates() -> Environment:
    """Return the templates, with autoescaping."""
    return Environment(
        loader=PackageLoader("flows.review"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _render(template: str, status: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:  # Any: what the template needs
    return HTMLResponse(_templates().get_template(template).render(**values), status)


@cache
def read_static(name: str) -> bytes:
    """Return the content of one of the files in `STATIC`."""
    return files("flows.review").joinpath("static", name).read_bytes()


def _review(request: Request) -> Review:
    found: Review = request.app.state.review
    return found


def _user(request: Request) -> User:
    session = request.session
    found = _review(request).links.find(session.get("role", ""), session.get("name", ""))
    if found is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "Not signed in: open your personal link.")
    return found


def _annotator(user: Annotated[User, Depends(_user)]) -> User:
    if not user.may_annotate:
        raise HTTPException(HTTPStatus.FORBIDDEN, "This link shows the agreement only.")
    return user


def _comparer(user: Annotated[User, Depends(_user)]) -> User:
    if not user.may_compare:
        raise HTTPException(HTTPStatus.FORBIDDEN, "Annotators cannot see the agreement.")
    return user


def _writer(
    request: Request, user: Annotated[User, Depends(_annotator)], x_form_token: Annotated[str, Header()] = ""
) -> User:
    """Return an annotator whose request carries the form token of their session (CSRF protection)."""
    if not hmac.compare_digest(request.session["form_token"].encode(), x_form_token.encode()):
        raise HTTPException(HTTPStatus.FORBIDDEN, "Invalid form token: reload the page.")
    return user


def _json_only(content_type: Annotated[str, Header()] = "") -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Unsupported content type: expected application/json.")


CurrentReview = Annotated[Review, Depends(_review)]
Annotator = Annotated[User, Depends(_annotator)]
Writer = Annotated[User, Depends(_writer)]
JSON_ONLY = [Depends(_json_only)]


def _add_sign_in(app: FastAPI) -> None:
    """Add the routes for signing in and those that need no session."""

    @app.get("/enter")
    def enter() -> HTMLResponse:
        return _render("enter.html")

    @app.post("/session", dependencies=JSON_ONLY)
    def session(form: LinkForm, request: Request, review: CurrentReview) -> JSONResponse:
        user = review.links.open_link(form.link)
        if user is None:
            raise HTTPException(HTTPStatus.FORBIDDEN, "Invalid link.")
        review.notify(user, "signed in")
        request.session.update(role=user.role.value, name=user.name, form_token=secrets.token_urlsafe())
        return JSONResponse({"role": user.role})

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name not in STATIC:
            raise HTTPException(HTTPStatus.NOT_FOUND, "No such file.")
        return Response(read_static(name), headers={"content-type": STATIC[name]})


def _add_annotation(app: FastAPI) -> None:
    """Add the routes of annotators."""

    @app.get("/")
    def page(request: Request, review: CurrentReview, user: Annotated[User, Depends(_user)]) -> Response:
        if not user.may_annotate:
            return RedirectResponse("/agreement", HTTPStatus.SEE_OTHER)
        return _render(
            "review.html",
            form_token=request.session["form_token"],
            storage_key=review.links.storage_key(user),
            heading=review.heading,
            user=user,
            **_item(review, user),
        )

    @app.get("/pair")
    def pair(review: CurrentReview, user: Annotator) -> HTMLResponse:
        return _render("pair.html", **_item(review, user))

    @app.post("/decisions", dependencies=JSON_ONLY)
    def decisions(form: DecisionForm, review: CurrentReview, user: Writer) -> HTMLResponse:
        seconds = min(form.seconds, LONGEST_PAIR_SECONDS)
        review.service.decide(user.name, Submission(form.pair, form.answers, form.token, form.note, seconds))
        review.notify(user, "decided")
        return _render("pair.html", **_item(review, user))

    @app.post("/undo", dependencies=JSON_ONLY)
    def undo(form: UndoForm, review: CurrentReview, user: Writer) -> HTMLResponse:
        return _render("pair.html", **_item(review, user, again=review.service.undo(user.name, form.token)))

    @app.post("/skip", dependencies=JSON_ONLY)
    def skip(form: SkipForm, review: CurrentReview, user: Writer) -> HTMLResponse:
        review.service.skip(user.name, form.pair)
        return _render("pair.html", **_item(review, user))


def _add_agreement(app: FastAPI) -> None:
    """Add the routes that show the agreement, for users who do not annotate blind."""

    @app.get("/agreement")
    def agreement(review: CurrentReview, user: Annotated[User, Depends(_comparer)]) -> HTMLResponse:
        return _render("agreement.html", heading=review.heading, user=user, **_figures(review))

    @app.get("/agreement/figures", dependencies=[Depends(_comparer)])
    def figures(review: CurrentReview) -> HTMLResponse:
        return _render("figures.html", **_figures(review))


def _figures(review: Review) -> dict[str, Any]:  # Any: what the template needs
    service = review.service
    return {"report": service.report(), "questions": service.queue.questions, "matrix": service.matrix()}


def _item(review: Review, user: User, *, again: str = "") -> dict[str, Any]:  # Any: what the template needs
    queue = review.service.queue
    return {
        "page": review.service.page(user.name, again=again),
        "kind": queue.kind,
        "questions": queue.questions,
        "is_adjudicating": queue.is_adjudicating,
        "shows_judge": review.shows_judge or queue.is_adjudicating,
        "note_limit": LONGEST_NOTE,
    }


def _add_errors(app: FastAPI) -> None:
    """Add error handlers that answer with one sentence, as a page for browsers and as JSON for scripts."""

    @app.exception_handler(StarletteHTTPException)
    def http_error(request: Request, error: StarletteHTTPException) -> Response:
        return _error_response(request, error.status_code, error.detail)

    @app.exception_handler(RequestValidationError)
    def invalid_request(request: Request, _: RequestValidationError) -> Response:
        return _error_response(request, HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid request: unexpected form fields.")

    @app.exception_handler(DecisionError)
    def invalid_decision(request: Request, error: DecisionError) -> Response:
        reason = str(error)
        return _error_response(request, HTTPStatus.CONFLICT, f"{reason[:1].upper()}{reason[1:]}.")

    @app.exception_handler(StoreError)
    def store_error(request: Request, _: StoreError) -> Response:
        return _error_response(request, HTTPStatus.SERVICE_UNAVAILABLE, "The decision could not be saved.")


def _error_response(request: Request, status: int, reason: str) -> Response:
    if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", ""):
        return _render("message.html", status, title=TITLES.get(status, "Error"), text=reason)
    return JSONResponse({"error": reason}, status)
