"""Prescribes a medicine for a disease that it is told, minding allergies."""

from agent import Agent
from aci import member, rows


def work(known, _item):
    disease = known.split("The disease is ", 1)[1].split(":", 1)[0]
    allergies = [allergy.strip() for allergy in member(known, "allergies").split(",")]
    listed = rows(known, "for")
    fits = [row for row in listed if row["for"] == disease and row["not with an allergy to"] not in allergies]
    full = "\n".join(f"{row['medicine']} for {row['for']}, {row['dose']}: "
                     f"{'fits' if row in fits else 'passed over'} ({row['remarks']})" for row in listed)
    summary = f"Prescribed medicine: {fits[0]['medicine']}, dose {fits[0]['dose']}, against the disease {disease}; no allergy speaks against it"
    return summary, full


Agent("prescription-agent").run(work)
