"""Requests that are no pages: logging in and out, live data, the past, recordings, meshes."""

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Form, Query, Request, Response, WebSocket
from fastapi.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
)

from twincell.server.client.mistake import Mistake
from twincell.server.security.roles import Role
from twincell.server.web.access.login_page import WHY, login_page
from twincell.server.web.access.visitors import (
    LONGEST_S,
    TooManyAttempts,
    Visitor,
    origin_of_request,
)
from twincell.server.web.data import history
from twincell.server.web.data.cell_view import CellView
from twincell.server.web.data.meshes import triangles
from twincell.server.web.data.replay import Replay
from twincell.server.web.data.signal_list import described
from twincell.server.web.page.help_page import help_text
from twincell.sim.signals import SignalTable

BINARY = "application/octet-stream"
MINUTE = "too many wrong passwords within a minute: wait a little"


def add_routes(app: FastAPI, view: CellView, is_encrypted: bool) -> None:
    """Add everything that a browser may ask for besides pages."""
    visitors = view.visitors

    def who(request: Request | WebSocket) -> Visitor:
        return visitors.visitor(request.cookies, origin_of_request(request))

    @app.get("/login")
    def ask(why: Annotated[str, Query()] = "") -> Response:
        return HTMLResponse(login_page(view, WHY.get(why, "")))

    @app.post("/login")
    async def log_in(
        request: Request, user: Annotated[str, Form()] = "", password: Annotated[str, Form()] = ""
    ) -> Response:
        try:
            token = await visitors.log_in(user.strip(), password, origin_of_request(request))
        except TooManyAttempts:
            return HTMLResponse(login_page(view, MINUTE, user), 429)
        except Mistake as mistake:
            return HTMLResponse(login_page(view, str(mistake), user), 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            visitors.cookie,
            token,
            max_age=int(LONGEST_S),
            httponly=True,
            samesite="strict",
            secure=is_encrypted,
        )
        return answer

    @app.post("/logout")
    async def log_out(request: Request) -> Response:
        await visitors.log_out(request.cookies.get(visitors.cookie, ""))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(visitors.cookie)
        return answer

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        def may_look() -> bool:
            return who(socket).may(Role.OBSERVER)

        if may_look():
            await view.live.serve(socket, may_look)
        else:
            await socket.close(1008)

    @app.get("/signals")
    def signals(request: Request) -> Response:
        if not who(request).may(Role.OBSERVER):
            return Response(status_code=403)
        return JSONResponse(described(view.signals))

    @app.get("/events")
    def events(request: Request, after: Annotated[int, Query(ge=0)] = 0) -> Response:
        if not who(request).may(Role.OBSERVER):
            return Response(status_code=403)
        return JSONResponse([one._asdict() for one in view.watcher.events if one.number > after])

    @app.get("/history")
    def past(
        request: Request,
        columns: Annotated[str, Query()] = "",
        from_s: Annotated[float, Query(ge=0, le=3600)] = 10.0,
        points: Annotated[int, Query(ge=2)] = 1000,
    ) -> Response:
        if not who(request).may(Role.OBSERVER):
            return Response(status_code=403)
        wanted = columns_of(columns, view.signals)
        if wanted is None:
            return Response(status_code=404)
        if from_s > view.link.ring.readable * view.spec.step_s:
            data = view.long_history.span(wanted, from_s, points)
        else:
            data = history.span(view.link, view.spec.step_s, wanted, from_s, points)
        return Response(data, media_type=BINARY)

    @app.get("/mesh/{number}")
    def mesh(request: Request, number: int) -> Response:
        meshes = view.scene.meshes if who(request).may(Role.OBSERVER) else []
        data = triangles(meshes[number]) if 0 <= number < len(meshes) else None
        if data is None:
            return Response(status_code=404)
        return Response(data, media_type=BINARY)

    def replay_of(request: Request, name: str) -> Replay | None:
        return view.replays.get(name) if who(request).may(Role.OBSERVER) else None

    @app.get("/replay/{name}")
    def frames(request: Request, name: str) -> Response:
        replay = replay_of(request, name)
        return answered(replay.frames if replay else None)

    @app.get("/replay/{name}/about")
    def about(request: Request, name: str) -> Response:
        replay = replay_of(request, name)
        if replay is None:
            return Response(status_code=404)
        return JSONResponse({**replay.about(), "signals": described(replay.signals)})

    @app.get("/replay/{name}/row/{frame}")
    def row(request: Request, name: str, frame: int) -> Response:
        replay = replay_of(request, name)
        return answered(replay.row(frame) if replay else None)

    @app.get("/replay/{name}/history")
    def recorded(
        request: Request,
        name: str,
        columns: Annotated[str, Query()] = "",
        points: Annotated[int, Query(ge=2)] = 1000,
    ) -> Response:
        replay = replay_of(request, name)
        wanted = columns_of(columns, replay.signals) if replay else None
        if replay is None or wanted is None:
            return Response(status_code=404)
        return answered(replay.history(wanted, points))

    @app.get("/recordings/{name}")
    def recording(request: Request, name: str) -> Response:
        path = view.recording_list.path(name) if who(request).may(Role.OBSERVER) else None
        if path is None:
            return Response(status_code=404)
        if Path(view.link.recording.file).name == name:  # it grows while it is read
            return PlainTextResponse(f"{name} is being recorded: stop it first", status_code=409)
        return FileResponse(path, media_type=BINARY, filename=name)

    @app.get("/help")
    def help_page(request: Request) -> Response:
        if not who(request).may(Role.OBSERVER):
            return RedirectResponse("/login")
        return HTMLResponse(help_text(view))


def columns_of(text: str, signals: SignalTable) -> list[int] | None:
    """Columns that a browser asks for, with commas between; None if there are no such."""
    by_word = {str(column): column for column in range(len(signals))}
    words = [word for word in text.split(",") if word]
    if not by_word.keys() >= set(words) or len(words) > len(by_word):
        return None
    return [by_word[word] for word in words[: history.MOST_SIGNALS]]


def answered(data: bytes | None) -> Response:
    """Numbers for a script of ours."""
    return Response(data, media_type=BINARY) if data is not None else Response(status_code=404)
