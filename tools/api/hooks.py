"""What keeps a service open while it is tried: whoever closes it for writing opens it again."""

import os

import requests
import schemathesis


@schemathesis.hook
def after_call(context, case, response):
    if case.path.endswith("/service:read-only") and response.status_code == 200:
        address = os.environ["OTHERWISE_URL"] + "/v1/service:read-write"
        requests.post(address, headers={"X-API-Key": os.environ["OTHERWISE_KEY"]}, timeout=10)
