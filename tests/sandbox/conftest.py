"""One sandbox process for all tests here, as new for each."""

from collections.abc import Iterator

import pytest

from tests.sandbox.sandbox_process import SandboxProcess


@pytest.fixture(scope="session")
def running_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    process = SandboxProcess(tmp_path_factory.mktemp("sandbox"))
    yield process
    process.stop()


@pytest.fixture
def sandbox(running_sandbox: SandboxProcess) -> SandboxProcess:
    assert running_sandbox.post("/_control/reset").status == 200
    return running_sandbox
