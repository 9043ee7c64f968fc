"""Connect to a server for one command, and say in plain words what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar
from urllib.parse import urlsplit

import typer

from server.cli.client_login import LoginOptions, login_of
from server.cli.refusal import Refusal

if TYPE_CHECKING:
    from server.client.login import Login
    from server.client.session import Session

SCHEME = "opc.tcp"
USUAL_PORT = 4840

Result = TypeVar("Result")

UrlArgument = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="Where the server listens, such as opc.tcp://localhost:4840.",
        show_default=False,
    ),
]


def talk(
    url: str, name: str, work: Callable[[Session], Awaitable[Result]], options: LoginOptions
) -> Result:
    """Connect under a name, do the work, disconnect."""
    endpoint = endpoint_of(url)
    login = login_of(options)

    import asyncio

    from asyncua import ua

    from server.client.mistake import Mistake
    from server.security.own_certificate import UnusableCertificate

    try:
        return asyncio.run(_talk(endpoint, name, work, login))
    except Mistake as mistake:
        raise Refusal(str(mistake), mistake.hint) from None
    except UnusableCertificate as ours:
        raise Refusal(str(ours)) from None
    except TimeoutError:
        raise Refusal(f"{endpoint}: does not answer", "is it an OPC UA server?") from None
    except ua.UaStatusCodeError as error:
        status = ua.StatusCode(error.code)
        raise Refusal(f"{endpoint}: refused it: {status.name}: {status.doc}") from None
    except ConnectionRefusedError:
        hint = "start a cell with 'twincell run', which prints its address"
        raise Refusal(f"{endpoint}: nobody listens there", hint) from None
    except ConnectionError:
        raise Refusal(f"{endpoint}: the connection was lost", "try again") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise Refusal(f"{endpoint}: cannot be reached: {reason}") from None
    except ua.UaError as error:
        raise Refusal(f"{endpoint}: does not answer as an OPC UA server: {error}") from None


def endpoint_of(url: str) -> str:
    """The whole address: what is left out is as usual."""
    hint = f"such as {SCHEME}://localhost:{USUAL_PORT}"
    try:
        parts = urlsplit(url if "://" in url else f"{SCHEME}://{url}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Refusal(f"{url}: is no address: {error}", hint) from None
    if parts.username is not None:
        raise Refusal("an address has no user and no password in it", "give --user NAME")
    if parts.scheme != SCHEME or not host:
        raise Refusal(f"{url}: is no address of an OPC UA server", hint)
    host = f"[{host}]" if ":" in host else host
    return f"{SCHEME}://{host}:{port or USUAL_PORT}{parts.path}"


async def _talk(
    endpoint: str, name: str, work: Callable[[Session], Awaitable[Result]], login: Login
) -> Result:
    from server.client.session import connected

    async with connected(endpoint, name, login) as session:
        return await work(session)
