-- One commit.
select * exclude (parent, in_history, authored_epoch, committed_epoch)
from v_commits
where vcs_revision = $id;
