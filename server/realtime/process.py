"""A child process of a running cell: it dies with its parent, and only SIGTERM asks it to end."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def become_child(parent_pid: int) -> None:
    """Make this process, just forked, a child that leaves Ctrl-C to its parent and dies with it.

    It dies when the thread that forked it ends, so fork from one that stays.
    """
    # a terminal sends these to everybody: the parent hears them too, and asks its children to end
    for terminal_signal in (signal.SIGINT, signal.SIGHUP):
        signal.signal(terminal_signal, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)  # an event loop's, if the parent had one

    # SIGKILL: nothing has to be tidied up, and no child may outlive its parent
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:  # it died before we asked
        os._exit(1)


def prctl(option: int, value: int) -> None:
    """Change a property of this process or thread; OSError when the system refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
