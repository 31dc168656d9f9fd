"""Says what the weather is like on some days, by its own records."""

from agent import Agent
from aci import rows


def work(known, _item):
    days = [row for row in rows(known, "month") if row["month"] == "05" and "08" <= row["day"] <= "11"]
    full = "\n".join(" ".join(f"{name} {value}" for name, value in row.items()) for row in days)
    noons = [int(row["noon"]) for row in days]
    wettest = max(days, key=lambda row: int(row["rain chance"].split()[0]))
    summary = (f"Rome from May 8 to 11: weather of {min(noons)} to {max(noons)} degrees at noon, rain likeliest on May "
               f"{int(wettest['day'])} with {wettest['rain chance']}")
    return summary, full


Agent("weather-agent").run(work)
