"""Names a disease by its signs."""

from agent import Agent
from aci import member, rows


def work(known, _item):
    symptoms = member(known, "symptoms")
    diseases = rows(known, "disease")
    score = lambda row: sum(sign.strip() in symptoms for sign in row["signs"].split(","))
    best = max(diseases, key=score)
    full = "\n".join(f"{row['disease']}: {score(row)} of its signs ({row['signs']})" for row in diseases)
    summary = f"The disease is {best['disease']}: {score(best)} of its signs are among the symptoms of today; {best['advice']}"
    return summary, full


Agent("diagnosis-agent").run(work)
