"""`qandai`: parse, call, print. Commands are loaded when they are called, so that --help answers at once."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from qandai import __version__
from qandai.errors import QandaiError, UsageError
from qandai.settings import Settings

_COMMANDS = {
    "serve": ("qandai.cli.serving", "The site and the API."),
    "ask": ("qandai.cli.asking", "The same answer as the site's, in the terminal."),
    "people": ("qandai.cli.people", "Who is there; check and start person files."),
    "ingest": ("qandai.cli.ingesting", "Find, fetch and transcribe a person's recordings, then index them."),
    "import": ("qandai.cli.importing", "Take caption and speech-to-text files from disk."),
    "index": ("qandai.cli.indexing", "Bring the collections in step with the transcripts."),
    "align": ("qandai.cli.aligning", "Where in a transcript a quote was said."),
    "passage": ("qandai.cli.passages", "Print a passage by its id."),
    "forget": ("qandai.cli.forgetting", "Remove a recording, or a person, and never fetch it again."),
    "doctor": ("qandai.cli.doctor", "What is wrong, and what to do about it."),
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])


@click.group(cls=_LazyGroup)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    help="Holds people/, transcripts/, audio/ and store/ (default: QANDAI_HOME, else here).",
)
@click.version_option(__version__, prog_name="qandai")
@click.pass_context
def cli(ctx: click.Context, home: Path | None) -> None:
    """Ask a person's recordings a question and hear them answer, from the exact second."""
    if home is not None and not home.is_dir():
        raise UsageError(f"{home} is not a folder.", hint="--home names the folder that holds people/.")
    ctx.obj = Settings.read(home=home)


def main() -> None:
    try:
        code = cli.main(standalone_mode=False, prog_name="qandai")  # what ctx.exit() was given, else None
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as exc:
        exc.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except UsageError as exc:
        click.echo(f"Error: {exc}", err=True)
        sys.exit(2)
    except QandaiError as exc:
        click.echo(f"Error: {exc}", err=True)
        sys.exit(1)
