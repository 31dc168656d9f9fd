"""A master agent: keeps the TaskContext, makes subtasks out, evaluates what comes back, and keeps the goals."""

import pathlib

from aci import Role, pause

DATA = pathlib.Path(__file__).parent / "data"


def data(*names):
    return {name: (DATA / f"{name}.txt").read_text(encoding="utf-8") for name in names}


class Master(Role):
    """`known` are the large texts by name; what each subtask needs of them is said where it is made out."""

    def __init__(self, name, known):
        super().__init__(name)
        self.texts = known
        self.addresses = {}
        self.outputs = []

    def begin(self, query, name, description, goals, contexts):
        task = {
            "TaskID": "", "UserQuery": query, "TaskName": name, "TaskDescription": description,
            "GoalStatus": [{"Goal": goal, "Status": "pending"} for goal in goals],
            "OverallStatus": "", "Optional": ["StartTime", "EndTime"],
        }
        begun = self.call("POST", "/v1/tasks", {"TaskContext": task, "AgentContexts": contexts})
        self.task = begun["TaskContext"]["TaskID"]
        rounds = " then ".join("+".join(one["subtasks"]) for one in begun["rounds"])
        self.say(f"begins {name!r}, {begun['mode']}: {rounds}")

    def made_out(self, subtask, agent, name, items, needs, after=(), more=""):
        """An AgentContext. Isolated it holds what the subtask needs; else everything that the master knows."""
        names = list(needs) if "isolation" in self.variant else list(self.texts)
        if "isolation" not in self.variant:
            more = "\n".join([more, *self.outputs]).strip()
        if "offloading" in self.variant:
            lines = [f"{name}: {self.address(name)}" for name in names]
        else:
            lines = [self.texts[name] for name in names]
        return {
            "AgentID": agent, "AgentName": name, "SubTaskID": subtask, "SubTaskName": name, "Dependencies": list(after),
            "Context": "\n".join(filter(None, [more, *lines])),
            "todoItems": [{"itemId": str(place), "description": item} for place, item in enumerate(items, 1)],
            "ItemstateUpdates": [], "KeyInformation": [], "Optional": ["LastUpdated"],
        }

    def address(self, name):
        if name not in self.addresses:
            self.addresses[name] = self.store(self.texts[name])
        return self.addresses[name]

    def path(self, subtask):
        return f"/v1/tasks/{self.task}/subtasks/{subtask}"

    def awaited(self):
        """The subtasks that were given back and wait for the master."""
        while True:
            told = self.call("GET", f"/v1/tasks/{self.task}")
            ready = [own["SubTaskID"] for own in told["subtasks"] if own["state"] == "returned"]
            if ready:
                return ready
            pause()

    def results(self, subtask):
        """What came of a subtask, into the master's window: key information and nothing else is needed."""
        told = self.read_context("given back", self.call("GET", self.path(subtask)))
        return {said["itemId"]: said["outputabstract"] for said in told["AgentContext"]["KeyInformation"]}

    def evaluate(self, subtask, results, signs):
        """Each result holds the words by which this master knows it. A model would read it instead."""
        verdicts = [
            {"itemId": item, "verified": signs[item] in said,
             "reason": f"it {'says' if signs[item] in said else 'does not say'} {signs[item]!r}"}
            for item, said in results.items()
        ]
        told = self.call("POST", f"{self.path(subtask)}:evaluate", {"verdicts": verdicts})
        for verdict in told["evaluation"]["verdicts"]:
            self.say(f"finds {subtask} item {verdict['itemId']} {verdict['verdict']}: {verdict['reason']}")
        return told["evaluation"]["complete"]

    def reached(self, goal, how):
        changes = {"TaskContext": {"GoalStatus": [{"Goal": goal, "Status": f"completed: {how[:300]}"}]}}
        told = self.call("PATCH", f"/v1/tasks/{self.task}", changes)["TaskContext"]
        self.say(f"goal {goal!r} is reached; overall {told['OverallStatus']}")

    def close(self):
        told = self.call("POST", f"/v1/tasks/{self.task}:close")
        self.say(f"closes the task: {told['TaskContext']['OverallStatus']}")
        return told["TaskContext"]


def short(said):
    """A summary without the address of the full output."""
    return said.split("\n")[0].split(" (full output:")[0]
