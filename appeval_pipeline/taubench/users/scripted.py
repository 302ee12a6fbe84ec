"""The user that needs no model."""

from __future__ import annotations

from appeval_pipeline.taubench.users.protocol import STOP, UserReply


class ScriptedUser:
    """Says the instruction itself, and is content with whatever it is told; needs no model."""

    async def start(self, instruction: str) -> UserReply:
        """The instruction."""
        return UserReply(instruction)

    async def reply(self, agent_says: str) -> UserReply:
        """That it is done."""
        return UserReply(STOP, done=True)
