"""An invoked agent: waits for a subtask of its own, works on it, gives it back. It sees nothing else of any task."""

from aci import Role, pause


class Agent(Role):
    """`work(context, item)` gives what came of an item: a summary, and the full output."""

    def run(self, work):
        while True:
            for state in ("sent", "incomplete"):
                for own in self.call("GET", f"/v1/tasks?role=agent&state={state}")["subtasks"]:
                    self.serve(f"/v1/tasks/{own['TaskID']}/subtasks/{own['SubTaskID']}", work)
            pause()

    def serve(self, path, work):
        told = self.read_context("own context", self.call("GET", path))
        context = told["AgentContext"]
        known = self.known(context)
        done = {update["itemId"] for update in context["ItemstateUpdates"] if update["state"] == 1}
        verdicts = told.get("evaluation", {}).get("verdicts", [])
        done -= {verdict["itemId"] for verdict in verdicts if verdict["verdict"] == "unverified"}
        # One item after another, so that the master can follow.
        item = next(item for item in context["todoItems"] if item["itemId"] not in done)
        summary, full = work(known, item)
        done.add(item["itemId"])
        context["ItemstateUpdates"] = [
            {"itemId": one["itemId"], "state": int(one["itemId"] in done)} for one in context["todoItems"]
        ]
        context["KeyInformation"] = [said for said in context["KeyInformation"] if said["itemId"] != item["itemId"]]
        context["KeyInformation"].append({"itemId": item["itemId"], "outputabstract": self.told(summary, full)})
        # What was sent need not be sent back.
        context["Context"] = ""
        self.call("PUT", path, {"AgentContext": context})
        self.say(f"did item {item['itemId']}: {summary}")

    def known(self, context):
        """What the agent needs to know: what its context says, and the contents that it refers to."""
        known = context.get("Context") or ""
        for word in known.split() + [context.get("ContextURI") or ""]:
            if word.startswith("/v1/contents/"):
                known += "\n" + self.fetch(word)
        return known

    def told(self, summary, full):
        """A summary, with the address of the full output where outputs are stored; or all of it."""
        if "summaries" not in self.variant:
            return f"{summary}\n{full}"
        if "offloading" in self.variant:
            return f"{summary} (full output: {self.store(full)} )"
        return summary
