from appeval_pipeline.defs.metadata import markdown_table


def test_the_text_of_a_cell_cannot_break_the_table() -> None:
    table = markdown_table(("a", "b"), [("x | y", "two\nlines"), ("<b>", 3)])
    assert table.splitlines() == ["| a | b |", "| --- | --- |", r"| x \| y | two lines |", "| &lt;b> | 3 |"]
