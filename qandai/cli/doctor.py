"""`doctor`: what is wrong, and what to do."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from qandai import compose_doctor
from qandai.findings import Finding
from qandai.settings import Settings

_SIGN = {"ok": "ok  ", "note": "note", "fault": "FAULT"}


@click.command("doctor")
@click.option("--offline", is_flag=True, help="Ask no service: only look at this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, *, offline: bool, as_json: bool) -> None:
    """Say what is wrong, each thing with its remedy. Ends with 1 if something does not work."""
    settings: Settings = ctx.obj
    findings: list[Finding] = []
    for finding in compose_doctor.diagnoses(settings, online=not offline):
        findings.append(finding)
        if not as_json:
            click.echo(f"{_SIGN[finding.state]:<6}{finding.about}: {finding.said}")
            if finding.remedy and finding.state != "ok":
                click.echo(f"      → {finding.remedy}")
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    ctx.exit(1 if any(finding.state == "fault" for finding in findings) else 0)
