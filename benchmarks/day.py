"""A day of two personas who live by themselves, moved on by the minute: how long it takes, and what each tells of it.

The model is scripted: what is measured is everything around it."""

import logging
import time
from datetime import timedelta

from tests.autonomy.day import DAY, MINUTE, scripted_day, told

FULL, SMALLEST = DAY, timedelta(hours=1)


def main(lasting: timedelta) -> None:
    logging.disable()
    day = scripted_day()
    busy = time.process_time()
    day.go_by(lasting)
    busy = time.process_time() - busy
    rows = sum(len(day.journal.lineage(home.doings.garden, home.doings.branch)) for home in day.homes())
    print(f"  {lasting // MINUTE} minutes in {busy:.1f} s of processor time, {rows} rows in the journal")
    for line in told(day):
        print(f"  {line}")
