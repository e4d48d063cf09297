"""Work in memory keeps the promises that need no disk."""

from hakoniwa.jobs import Flow, Jobs
from hakoniwa.jobs.memory import MemoryJobs
from tests.jobs.contract import JobsContract


class TestMemory(JobsContract):
    def open(self, *flows: Flow) -> Jobs:
        return MemoryJobs(flows)
