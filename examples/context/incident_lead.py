"""The orchestrator of an incident: says what is known, delegates twice, and decides in between."""

from shared import Sharer

lead = Sharer("incident-lead")
lead.begin("throughput")
lead.write("current_phase", "analysis")
lead.write("problem_summary", "Throughput dropped 30 % after the config change of February 18.")
lead.write("scope", "Find the parameter that caused the degradation. Do not modify production.")
lead.write("constraints", "Read-only access to production. Staging is there for experiments.")

lead.invoke("analysis-subagent", "subagent:analysis")
lead.awaited("open_questions")
if "open_questions" in lead.keys():
    lead.value("open_questions")
# Here it would ask the person it works for.
lead.write("decisions_made", "The change was accidental; the user approves that it is reverted.")
lead.delete("open_questions")
lead.write("current_phase", "remediation")

lead.invoke("remediation-subagent", "subagent:remediation")
lead.awaited("deliverables_status")
lead.value("deliverables_status")
lead.call("POST", f"/v1/sessions/{lead.session}:archive")
lead.say("archives the session: it can be read, and nothing is written any more")
