"""A small model's server on this machine: a process of its own, so that a crash in it takes nothing else along.

    python -P local_server.py < pipe

The first line of the pipe says what to serve (JSON: model, context, threads, key). One line is printed when it is
ready: its address. It ends when the pipe is closed, so it never outlives whoever started it, however that one ended.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the engine prints is a log

    import xllamacpp  # type: ignore[import-untyped]  # shipped without types

    params = xllamacpp.CommonParams()
    params.model.path = asked["model"]
    params.n_ctx = asked["context"]
    params.n_parallel = 1
    params.warmup = False
    params.ui = False
    params.cache_ram_mib = 0  # 8 GB by itself, for prompts that nobody will ask again
    params.n_ctx_checkpoints = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any that is free
    params.api_keys = [asked["key"]]
    server = xllamacpp.Server(params)
    print(server.listening_address, file=out, flush=True)
    while sys.stdin.read(4096):
        pass
    os._exit(0)  # the engine's threads would go on


if __name__ == "__main__":
    main()
