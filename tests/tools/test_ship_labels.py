from __future__ import annotations

from tools.ship_labels import main


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path, capsys):
    assert main([str(tmp_path / "nowhere"), "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}/nowhere: no such folder\n"
