"""The lab: the 2×2 experiment (Inject × GM) over scenarios, seeds and models, measured the same way in every arm."""
