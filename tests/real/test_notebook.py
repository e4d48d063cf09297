"""The notebook that shows the library, executed by a real kernel."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "library.ipynb"


def test_every_cell_of_the_notebook_runs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300).execute()
    texts = "".join(str(output) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)
    assert "MISSING_OBJECT" in texts
    assert "impossible_acts" in texts
