"""A small model on this machine, served by llama.cpp in a child process and asked like any chat service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from qandai.adapters.background import Background, Following
from qandai.adapters.chat_api import ChatApi, ChatService
from qandai.adapters.local_child import Child, Served
from qandai.chat import Completion, Pieces, Prompt
from qandai.errors import ProviderError

NAME = "The local model"


class LocalLlm:
    """Threads share it; it writes one reply at a time, so questions wait for one another within their seconds.

    The child starts with the first call, and once more in a call that finds it dead or sees it die.
    """

    def __init__(self, child: Child, model: str, background: Background) -> None:
        self._child = child
        self._model = model
        self._background = background
        self._at: tuple[Served, ChatService, ChatApi] | None = None  # only the loop's thread touches it
        self._turn: asyncio.Lock | None = None

    @property
    def model(self) -> str:
        return self._model

    @property
    def provider(self) -> str:
        return NAME

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        return self._background.run(lambda: self._answer(prompt), seconds, NAME)

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        return Following(self._background, lambda: self._pieces(prompt), seconds, NAME, first=first)

    async def _answer(self, prompt: Prompt) -> Completion:
        async with self._my_turn():
            try:
                return await (await self._api()).answer(prompt)
            except ProviderError as error:
                if not await self._lost(error):
                    raise
            return await (await self._api()).answer(prompt)

    async def _pieces(self, prompt: Prompt) -> AsyncGenerator[str]:
        async with self._my_turn():
            shown = False
            try:
                async with aclosing((await self._api()).pieces(prompt)) as pieces:
                    async for piece in pieces:
                        shown = True
                        yield piece
                return
            except ProviderError as error:
                if shown or not await self._lost(error):
                    raise
            async with aclosing((await self._api()).pieces(prompt)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _lost(self, error: ProviderError) -> bool:
        """Whether the child died under the call. What it said itself is of a narrower kind."""
        return type(error) is ProviderError and await asyncio.to_thread(self._child.died)

    def _my_turn(self) -> asyncio.Lock:
        if self._turn is None:
            self._turn = asyncio.Lock()
        return self._turn

    async def _api(self) -> ChatApi:
        """A start that one call does not wait for goes on, and serves the next."""
        served = await asyncio.to_thread(self._child.served)
        if self._at is None or self._at[0] != served:
            if self._at is not None:
                await self._at[1].client.close()
            service = ChatService(
                name=NAME, base_url=served.base_url, key=served.key, background=self._background, kind="server"
            )
            self._at = served, service, ChatApi(service, self._model)
        return self._at[2]
