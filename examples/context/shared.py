"""A role that works in a session of shared context, message by message."""

from aci import Refused, Role, pause


class Sharer(Role):
    def __init__(self, name):
        super().__init__(name)
        self.session = None

    def begin(self, session, config=None):
        """Creates a session; who begins it is its orchestrator."""
        self.call("POST", "/v1/sessions", {"session_id": session, "config": config or {}})
        self.session = session
        self.say(f"begins the session {session}")

    def invoke(self, principal, role):
        """Lets a subagent take part: from now on it sees the session."""
        self.call("POST", f"/v1/sessions/{self.session}/participants", {"principal": principal, "roles": [role]})
        self.say(f"lets {principal} take part as {role}")

    def invoked(self):
        """Waits until an orchestrator lets this role take part."""
        while not (sessions := self.call("GET", "/v1/sessions")["sessions"]):
            pause()
        self.session = sessions[0]["session_id"]

    def act(self, action, **members):
        return self.call("POST", f"/v1/sessions/{self.session}/context", {"action": action, **members})

    def keys(self):
        """What there is, without a value: a glance costs next to nothing."""
        listed = self.act("list_keys")
        self.say(f"lists {len(listed['keys'])} keys, {listed['total_size_tokens']} of {listed['max_total_tokens']} tokens")
        return {row["key"]: row for row in listed["keys"]}

    def value(self, key):
        read = self.act("read", key=key)
        self.say(f"reads {key}, version {read['version']} by {read['written_by']}: {read['value']}")
        return read["value"]

    def write(self, key, value):
        written = self.act("write", key=key, value=value)
        self.say(f"writes {key}, version {written['version']} as {written['written_by']}")

    def delete(self, key):
        gone = self.act("delete", key=key)
        self.say(f"deletes {gone['deleted']}, which was at version {gone['previous_version']}")

    def awaited(self, key):
        """Waits until somebody has written a key."""
        while True:
            try:
                return self.act("read", key=key)
            except Refused as refused:
                if refused.problem.get("code") != "key_not_found":
                    raise
                pause()
