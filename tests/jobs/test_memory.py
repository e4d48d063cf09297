"""Work in memory keeps the promises that need no disk."""

from hakoniwa.jobs import Flow, Jobs
from tests.jobs.contract import JobsContract
from tests.jobs.in_memory import MemoryJobs


class TestMemory(JobsContract):
    def open(self, *flows: Flow) -> Jobs:
        return MemoryJobs(flows)
