"""Where servers listen: whether one can, asked before it starts, and who can reach it."""

from __future__ import annotations

import ipaddress
import socket

from appeval_pipeline.errors import SettingsError


def check_port(host: str, port: int) -> None:
    """Try to listen, and let go again.

    Raises:
        SettingsError: Nothing can listen there.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on {host}:{port}: {error.strerror}; give another --port or --host"
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens at ``host``, a name or an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
