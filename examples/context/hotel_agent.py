"""Finds a hotel among those of its own catalogue."""

from agent import Agent
from aci import member, rows


def work(known, _item):
    near, most, dog = member(known, "near"), int(member(known, "price_per_night_max")), member(known, "dog")
    hotels = rows(known, "name")

    def why_not(row):
        if row["district"] != near:
            return f"lies in {row['district']}"
        if int(row["EUR a night"]) > most:
            return "costs too much"
        if dog == "yes" and row["dogs"] != "yes":
            return "takes no dogs"
        return ""

    best = max((row for row in hotels if not why_not(row)), key=lambda row: float(row["rating"]))
    full = "\n".join(f"{row['name']}: {why_not(row) or 'fits, rated ' + row['rating'] + ', ' + row['notes']}" for row in hotels)
    summary = (f"{best['name']}, {best['metres to the sight']} m from the {near}, {best['EUR a night']} EUR a night, "
               f"takes dogs, rated {best['rating']}")
    return summary, full


Agent("hotel-agent").run(work)
