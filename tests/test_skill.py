"""The skill for coding agents: printed, written, served, and mentioned where agents look."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.cli.main import main
from mockpets.skill_files import SKILL, skill_files
from tests.http_client import Client, InProcess


def caller(**settings: Any) -> Client:
    return Client(InProcess(create_app(Settings(**settings))))


def test_it_is_written_once_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["skill", "--check"]) == 1
    assert "run 'mockpets skill --install'" in capsys.readouterr().err
    assert main(["skill", "--install"]) == 0
    written = tmp_path / ".agents" / "skills" / "mockpets"
    assert (written / SKILL).read_text("utf-8") == skill_files()[SKILL]
    assert main(["skill", "--install"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("is up to date")
    assert main(["skill", "--check"]) == 0
    (written / SKILL).write_text("mine", "utf-8")
    assert main(["skill", "--check"]) == 1
    assert main(["skill", "--install", "other"]) == 0
    assert (tmp_path / "other" / "mockpets" / SKILL).is_file()
    (tmp_path / "file").touch()
    assert main(["skill", "--install", "file"]) == 2
    assert main(["skill"]) == 0
    assert capsys.readouterr().out.endswith(skill_files()[SKILL])


def test_help_and_written_files_mention_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package.json").write_text("{}")
    with MockpetsServer(Settings(port=0)) as server:
        deploy = ["deploy", "compose", "--processes", "2", "--out", "deploy"]
        record = ["record", "recorded", "--url", server.url]
        for words in (["init", "--states"], ["new", "mine"], record, deploy):
            assert main(words) == 0
    assert main(["--help"]) == 0
    assert "'mockpets skill'" in capsys.readouterr().out
    comments = {".ts": "//", ".js": "//", ".yaml": "#", ".yml": "#"}
    written = [path for path in tmp_path.rglob("*") if path.suffix in comments]
    assert len(written) > 10
    for path in written:
        head = "\n".join(path.read_text("utf-8").splitlines()[:12])
        assert re.search(f"^{comments[path.suffix]}.*mockpets skill", head, re.MULTILINE), path


def test_its_links_lead_to_its_own_files_or_headings() -> None:
    for name, text in skill_files().items():
        folder = name.rpartition("/")[0]
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert "/".join(filter(None, [folder, target])) in skill_files(), (name, target)
        assert "<!--" not in text


def test_a_running_server_describes_itself() -> None:
    call = caller()
    text = call("GET", "/__mockpets/llms.txt").body.decode()
    assert skill_files()[SKILL] in text
    assert "\n- the pet store: /v1\n" in text
    for path in re.findall(r"^- (/__mockpets/\S+)", text, re.MULTILINE):
        assert call("GET", path).status == 200
    assert "/__mockpets/llms.txt" in call("GET", "/__mockpets/nothing").json["message"]
    assert "/~a/__mockpets/llms.txt" in call("GET", "/~a/__mockpets/nothing").json["message"]
    visitor = caller(public=True, control_token="agent-token")
    assert "llms.txt" not in visitor("GET", "/__mockpets/nothing").json["message"]
    off = caller(control="off")
    assert off("GET", "/__mockpets/llms.txt").status == 404


def test_the_control_document_comes_by_tag() -> None:
    call = caller()
    whole = call("GET", "/__mockpets/control.openapi.json").json
    parts = [
        call("GET", f"/__mockpets/control.openapi.json?tag={tag['name']}").json
        for tag in whole["tags"]
    ]
    paths = [path for part in parts for path in part["paths"]]
    assert sorted(paths) == sorted(whole["paths"])
    for part in parts:
        used = set(re.findall('#/components/schemas/([^"]+)', json.dumps(part)))
        assert used <= part["components"]["schemas"].keys() < whole["components"]["schemas"].keys()
    response = call("GET", "/__mockpets/control.openapi.json?tag=dat")
    assert response.status == 400
    assert response.json["message"].endswith("got 'dat'; did you mean 'data'?")
