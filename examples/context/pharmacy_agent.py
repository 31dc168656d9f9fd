"""Buys a medicine where it is in stock for the lowest price."""

from agent import Agent
from aci import rows


def work(known, _item):
    medicine = known.split("Prescribed medicine: ", 1)[1].split(",", 1)[0]
    offers = [row for row in rows(known, "pharmacy") if row["medicine"] == medicine]
    there = [row for row in offers if int(row["packs in stock"]) > 0]
    best = min(there, key=lambda row: float(row["EUR"]))
    full = "\n".join(f"{row['pharmacy']}: {row['EUR']} EUR for {row['pack']}, {row['packs in stock']} in stock" for row in offers)
    summary = f"Bought the medicine {medicine}, {best['pack']}, at the {best['pharmacy']} for {best['EUR']} EUR, the lowest price in stock"
    return summary, full


Agent("pharmacy-agent").run(work)
