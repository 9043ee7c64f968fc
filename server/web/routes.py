"""Requests that are no pages: logging in and out, live data, the past of signals, meshes."""

from typing import Annotated, Any

from fastapi import FastAPI, Form, Query, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from server.client.mistake import Mistake
from server.security.roles import Role
from server.web import history
from server.web.cell_view import CellView
from server.web.login_page import WHY, login_page
from server.web.meshes import triangles
from server.web.visitors import LONGEST_S, TooManyAttempts, Visitor
from sim.signals import SignalTable

MINUTE = "too many wrong passwords within a minute: wait a little"


def add_routes(app: FastAPI, view: CellView, is_encrypted: bool) -> None:
    """Add everything that a browser may ask for besides pages."""
    visitors = view.visitors

    def who(request: Request | WebSocket) -> Visitor:
        return visitors.visitor(request.cookies, request.client.host if request.client else "")

    @app.get("/login")
    def ask(why: Annotated[str, Query()] = "") -> Response:
        return HTMLResponse(login_page(view, WHY.get(why, "")))

    @app.post("/login")
    async def log_in(
        request: Request, user: Annotated[str, Form()] = "", password: Annotated[str, Form()] = ""
    ) -> Response:
        address = request.client.host if request.client else ""
        try:
            token = await visitors.log_in(user.strip(), password, address)
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

    @app.get("/history")
    def past(
        request: Request,
        columns: Annotated[str, Query()] = "",
        from_s: Annotated[float, Query(ge=0, le=3600)] = 10.0,
        to_s: Annotated[float, Query(ge=0, le=3600)] = 0.0,
        points: Annotated[int, Query(ge=2)] = 1000,
    ) -> Response:
        if not who(request).may(Role.OBSERVER):
            return Response(status_code=403)
        by_word = {str(column): column for column in range(len(view.signals))}
        words = [word for word in columns.split(",") if word]
        if not by_word.keys() >= set(words) or len(words) > len(by_word):
            return Response(status_code=404)
        wanted = [by_word[word] for word in words]
        data = history.span(view.link, view.spec.step_s, wanted, from_s, to_s, points)
        return Response(data, media_type="application/octet-stream")

    @app.get("/mesh/{number}")
    def mesh(request: Request, number: int) -> Response:
        meshes = view.scene.meshes if who(request).may(Role.OBSERVER) else []
        data = triangles(meshes[number]) if 0 <= number < len(meshes) else None
        if data is None:
            return Response(status_code=404)
        return Response(data, media_type="application/octet-stream")

    @app.get("/replay/{name}")
    def replay(request: Request, name: str) -> Response:
        data = view.replays.data(name) if who(request).may(Role.OBSERVER) else None
        if data is None:
            return Response(status_code=404)
        return Response(data, media_type="application/octet-stream")


def described(signals: SignalTable) -> list[dict[str, Any]]:
    """All signals, as scripts in the browser need them."""
    return [
        {
            "name": signal.name,
            "column": signal.column,
            "kind": str(signal.kind),
            "unit": signal.unit,
            "direction": str(signal.direction),
            "description": signal.description,
            "texts": list(signal.texts),
        }
        for signal in signals
    ]
