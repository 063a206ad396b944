"""Find the packages: pyproject.toml has no word for folders that go by a name in front of their own."""

from setuptools import find_packages, setup

ROOMS = ("ledger", "projections", "queries")
INSIDE = [f"{room}.*" for room in ROOMS]

setup(packages=["linetrail", *(f"linetrail.{name}" for name in find_packages(include=[*ROOMS, *INSIDE]))])
