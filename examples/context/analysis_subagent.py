"""Finds the cause; knows of the incident only what stands in the session."""

from shared import Sharer

analysis = Sharer("analysis-subagent")
analysis.invoked()
analysis.keys()
for key in ["problem_summary", "scope", "constraints"]:
    analysis.value(key)
# What it found is distilled; the logs that it went through stay with it.
analysis.write("findings_summary", "The connection pool went from 200 to 20 in the change of February 18; threads starve under load.")
analysis.write("open_questions", "Was the change of the pool's size intended?")
