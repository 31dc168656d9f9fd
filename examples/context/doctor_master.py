"""The master of see-a-doctor: each agent builds on the one before, so they go one after another (synchronous)."""

from master import Master, data, short

master = Master("doctor-master", data("patient", "diseases", "formulary", "stock"))


def diagnosis():
    return master.made_out("diagnosis", "diagnosis-agent", "Disease diagnosis",
                           ["Name the disease behind the symptoms of today"], ["patient", "diseases"])


def prescription(more="Not known yet."):
    return master.made_out("prescription", "prescription-agent", "Prescription",
                           ["Prescribe a medicine and its dose for the disease, minding the allergies"],
                           ["formulary"], ["diagnosis"], more)


def medicine(more="Not known yet."):
    return master.made_out("medicine", "pharmacy-agent", "Buying medicine",
                           ["Buy the medicine that is prescribed where it is in stock for the lowest price"],
                           ["stock"], ["prescription"], more)


STEPS = [
    ("diagnosis", "know the disease", "The disease is", "prescription", prescription),
    ("prescription", "have a prescription", "dose", "medicine", medicine),
    ("medicine", "have the medicine", "Bought the medicine", None, None),
]
master.begin(
    "I have had a fever for two days and ache all over. What is it, and what do I take?",
    "see a doctor",
    "A diagnosis, a prescription that fits the patient, and the medicine.",
    [goal for _, goal, *_ in STEPS],
    [diagnosis(), prescription(), medicine()],
)
for subtask, goal, sign, after, made_out in STEPS:
    master.awaited()
    results = master.results(subtask)
    said = results["1"]
    master.outputs.append(said)
    if after:
        # What the next agent needs is passed on by the master alone, and before its turn comes.
        allergies = "allergies: penicillin, aspirin" if after == "prescription" else ""
        context = made_out("\n".join(filter(None, [short(said), allergies])))
        master.call("POST", f"{master.path(after)}:resend", {"AgentContext": context})
    if not master.evaluate(subtask, results, {"1": sign}):
        raise SystemExit(f"{subtask} is not what was asked for")
    master.reached(goal, short(said))
for said in master.outputs:
    master.say(f"plan: {short(said)}")
master.close()
