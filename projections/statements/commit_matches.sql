-- Which sessions are in which commit, by the surest method that holds
with
known_as as (
    select unnest(cast($blobs as varchar[])) as blob, unnest(cast($hashes as varchar[])) as content_hash
),

every_commit as (
    select
        vcs_revision,
        coalesce(made.parent, seen.parent_revision) as parent,
        seen.position as position,
        seen.session_id as observer,
        made.vcs_revision is not null as in_history,
        made.authored_epoch as authored_epoch,
        made.committed_epoch as committed_epoch,
        made.ai_trailer as ai_trailer
    from commits as seen
    full outer join git_commits as made using (vcs_revision)
    where not coalesce(made.is_bot, false)
),

every_file as (
    select vcs_revision, path, path as name, blob from git_commit_files
    union all
    select vcs_revision, path, old_path, null from git_commit_files where old_path is not null
    union all
    select commits.vcs_revision, paths.path, paths.path, null
    from commits
    inner join event_paths as paths on paths.event_id = commits.event_id
    where commits.vcs_revision not in (select vcs_revision from git_commits)
),

changed as (
    select
        every_commit.*,
        every_file.path,
        every_file.name,
        every_file.blob,
        count(distinct vcs_revision) over (partition by parent, name, in_history) as siblings,
        lag(committed_epoch) over (partition by name order by committed_epoch, vcs_revision) as before_epoch
    from every_commit
    inner join every_file using (vcs_revision)
),

work as (
    select
        position,
        file_index,
        session_id,
        agent_name,
        path,
        after_hash,
        vcs_revision,
        coalesce(lines_added, 0) as lines_added,
        cast(floor(epoch(occurred_at)) as bigint) as occurred_epoch
    from mutation_files
    where contributor_type = 'ai' and session_id is not null
),

sure as (
    select
        changed.vcs_revision,
        work.session_id,
        work.agent_name,
        changed.path,
        work.position,
        work.file_index,
        work.lines_added,
        changed.observer = work.session_id as observed,
        'content' as match_method,
        $content as confidence
    from changed
    inner join known_as on known_as.blob = changed.blob
    inner join work on work.path = changed.name and work.after_hash = known_as.content_hash
    where work.position < changed.position or work.occurred_epoch <= changed.committed_epoch + $slack
    union all
    select
        changed.vcs_revision,
        work.session_id,
        work.agent_name,
        changed.path,
        work.position,
        work.file_index,
        work.lines_added,
        changed.observer = work.session_id,
        'parent and path',
        $parent / changed.siblings
    from changed
    inner join work on work.vcs_revision = changed.parent and work.path = changed.name
    where work.position < changed.position or work.occurred_epoch <= changed.committed_epoch + $slack
),

direct as (
    select
        vcs_revision,
        session_id,
        max(agent_name) as agent_name,
        count(distinct path) as files,
        case when bool_or(coalesce(observed, false)) then 'observed' else arg_max(match_method, confidence) end
            as match_method,
        case when bool_or(coalesce(observed, false)) then $observed else max(confidence) end as confidence
    from sure
    group by vcs_revision, session_id
),

written as (
    select vcs_revision, session_id, sum(lines_added) as lines
    from (select distinct vcs_revision, session_id, position, file_index, lines_added from sure)
    group by vcs_revision, session_id
),

told as (
    select direct.*, written.lines
    from direct
    inner join written using (vcs_revision, session_id)
),

inherited as (
    select
        again.vcs_revision,
        told.session_id,
        told.agent_name,
        told.files,
        'rewritten' as match_method,
        told.confidence * $rewritten as confidence,
        told.lines
    from rewritten_commits as again
    inner join every_commit on every_commit.vcs_revision = again.vcs_revision
    inner join told on told.vcs_revision = again.rewritten_from
    anti join told as already
        on already.vcs_revision = again.vcs_revision and already.session_id = told.session_id
),

certain as (
    select * from told
    union all
    select * from inherited
),

likely as (
    select
        changed.vcs_revision,
        work.session_id,
        max(work.agent_name) as agent_name,
        count(distinct changed.path) as files,
        case when max(changed.ai_trailer) is null then 'time window' else 'trailer' end as match_method,
        sum(work.lines_added) as lines
    from changed
    inner join work
        on work.path = changed.name
        and work.occurred_epoch between changed.authored_epoch - $window and changed.committed_epoch + $slack
        and work.occurred_epoch > coalesce(changed.before_epoch, work.occurred_epoch - 1)
    anti join certain on certain.vcs_revision = changed.vcs_revision
    where
        changed.ai_trailer is null
        or list_has_any(string_split(changed.ai_trailer, '-'), string_split(work.agent_name, '-'))
    group by changed.vcs_revision, work.session_id
)

select vcs_revision, session_id, agent_name, files, cast(lines as bigint) as lines, match_method, round(confidence, 4)
    as confidence
from certain
union all
select
    vcs_revision,
    session_id,
    agent_name,
    files,
    cast(lines as bigint),
    match_method,
    round(
        case match_method when 'trailer' then $trailer else $time end / count(*) over (partition by vcs_revision), 4
    )
from likely
order by vcs_revision, session_id
