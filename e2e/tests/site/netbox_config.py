"""NetBox of the test: databases of its own machine, in a network of its own."""

import os

SECRET = "of a test, in a network of its own" + 50 * "-"

ALLOWED_HOSTS = ["*"]
API_TOKEN_PEPPERS = {1: SECRET}
DATABASES = {"default": {"NAME": os.environ["DATABASE"], "USER": "root", "HOST": ""}}
REDIS = {name: {"HOST": "127.0.0.1", "PORT": 6379, "DATABASE": number} for number, name in enumerate(["tasks", "caching"])}
SECRET_KEY = SECRET
