"""The Flask application, from the collaborators of one site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flask import Flask
from jinja2 import StrictUndefined

from qandai.site import Site
from qandai.web import errors, headers, logbook
from qandai.web.api import api
from qandai.web.desk import Desk
from qandai.web.limits import Limits
from qandai.web.media import media
from qandai.web.pages import pages

MAX_BODY = 64 * 1024
_HERE = Path(__file__).resolve().parent
# The pages lie at the root of a checkout; a wheel carries them in this room (pyproject.toml).
_ROOT = _HERE if (_HERE / "templates").is_dir() else _HERE.parents[1]


def create_app(site: Site, *, request_ids: Callable[[], str] = headers.new_request_id) -> Flask:
    app = Flask(__name__, static_folder=str(_ROOT / "static"), template_folder=str(_ROOT / "templates"))
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.url_map.strict_slashes = True
    app.url_map.redirect_defaults = False
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(youtube=site.youtube, feedback="/api/feedback" if site.feedback else "")
    headers.register(app, site.youtube, request_ids=request_ids)
    errors.register(app)
    desk = Desk(site, note=logbook.note)
    limits = Limits(app, site.settings)
    app.register_blueprint(api(site, desk, limits))
    app.register_blueprint(media(site.settings, desk))
    app.register_blueprint(pages(site, desk, limits))
    return app
