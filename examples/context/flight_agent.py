"""Finds flights in its own timetable, one way after the other."""

from agent import Agent
from aci import member, rows


def work(known, item):
    words = item["description"].split()
    start, end, day = words[words.index("from") + 1], words[words.index("to") + 1], words[-1]
    most = int(member(known, "flight_price_max"))
    flights = [row for row in rows(known, "flight") if (row["from"], row["to"], row["day"]) == (start, end, day)]
    best = min(flights, key=lambda row: (int(row["EUR"]) > most, int(row["stops"]), int(row["EUR"])))
    full = "\n".join(f"{row['flight']} leaves {row['leaves']}, lands {row['lands']}, {row['EUR']} EUR, {row['stops']} stops"
                     for row in flights)
    summary = f"{best['flight']} from {start} to {end} on {day}, {best['leaves']} to {best['lands']}, {best['EUR']} EUR"
    return summary, full


Agent("flight-agent").run(work)
