"""Pictures of texts whose letters no font has."""

from __future__ import annotations

from pathlib import Path

import pytest

from vchunk.adapters.plots import lettering

TEXT = "# 系统设计\n\n" + "这是一句话。" * 8 + "\n\n## 入门\n\n" + "那是另一句话。" * 8


@pytest.mark.parametrize("kind", ["velocity", "trajectory"])
def test_letters_without_a_font_are_told_once_and_not_with_quiet(
    tmp_path: Path, vchunk, model: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(lettering, "FALLBACKS", ())
    monkeypatch.setattr(lettering, "families_of", lambda _: [])
    monkeypatch.setenv("VCHUNK_ENCODER", str(model))
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    loud = vchunk("plot", "a.md", "--kind", kind, "--target-tokens", "40", "-o", "a.svg")
    assert loud.code == 0
    (said,) = [line for line in loud.said.splitlines() if "font" in line]
    assert said.startswith("vchunk: warning: no installed font draws CJK (系)")
    quiet = vchunk("plot", "a.md", "--kind", kind, "--target-tokens", "40", "--quiet", "-o", "b.svg")
    assert (quiet.code, quiet.said) == (0, "")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
