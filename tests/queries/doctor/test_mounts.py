"""A file system whose locks cannot be trusted is named before it costs an event."""

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.doctor.finding import OK, WARNING
from linetrail.queries.doctor.mounts import Mount, check_file_system, from_linux, judged, mounts

TABLE = """\
22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw
40 22 0:40 / /mnt/nas rw,relatime shared:20 - nfs4 nas:/export rw,vers=4.2
41 22 0:41 / /mnt/office rw,relatime - cifs //office/share rw,vers=3.0
42 22 0:42 / /mnt/c rw,noatime - 9p C:\\134 rw,aname=drvfs;path=C:\\134
43 22 0:43 / /mnt/ssh rw,nosuid - fuse.sshfs me@there:/ rw,user_id=1000
44 22 0:44 / /mnt/nas/local rw - xfs /dev/sdb1 rw
45 22 0:45 / /media/stick rw - vfat /dev/sdc1 rw
46 22 0:46 / /mnt/over rw - nfs nas:/old rw
47 46 0:47 / /mnt/over rw - btrfs /dev/sdd1 rw
48 22 0:48 / /mnt/two\\040words rw - nfs nas:/two rw
"""


@pytest.mark.promise("C5")
@pytest.mark.parametrize(
    ("folder", "level", "words"),
    [
        pytest.param("/home/me/project", OK, "ext4", id="a local disk"),
        pytest.param("/mnt/nas/project", WARNING, "on nfs4 (/mnt/nas)", id="NFS"),
        pytest.param("/mnt/office/project", WARNING, "on cifs (/mnt/office)", id="SMB"),
        pytest.param("/mnt/c/Users/me", WARNING, "on 9p (/mnt/c)", id="a Windows drive under WSL"),
        pytest.param("/mnt/ssh/project", WARNING, "on fuse.sshfs", id="a file system of a program"),
        pytest.param("/mnt/nas/local/project", OK, "xfs", id="a local disk below NFS"),
        pytest.param("/media/stick", WARNING, "no owner", id="a memory stick"),
        pytest.param("/mnt/over/project", OK, "btrfs", id="a local disk over NFS at the same place"),
        pytest.param("/mnt/nasty/project", OK, "ext4", id="a name that begins like another"),
        pytest.param("/mnt/two words/project", WARNING, "(/mnt/two words)", id="a space in its name"),
    ],
)
def test_a_file_system_whose_locks_cannot_be_trusted_is_named(folder, level, words):
    finding, *more = judged(folder, from_linux(TABLE))

    assert (finding.level, more) == (level, [])
    assert words in finding.message
    assert (finding.next is None) == (level == OK)


def test_where_nothing_is_known_nothing_is_said():
    assert list(judged("/home", [])) == []
    assert list(judged("/home", [Mount("/elsewhere", "nfs")])) == []


def test_the_disk_of_this_machine_is_known_here(repo):
    repo.start_ledger()

    found = list(check_file_system(find(str(repo.path))))

    assert [finding.check for finding in found] == ["file system"] * bool(mounts())
