"""Plans what is to be done, after a finding that it reads word for word and a decision."""

from shared import Sharer

remediation = Sharer("remediation-subagent")
remediation.invoked()
remediation.keys()
for key in ["findings_summary", "decisions_made"]:
    remediation.value(key)
remediation.write("deliverables_status", "A plan is drafted: set the pool back to 200 in staging, load it, then ask for the change in production.")
