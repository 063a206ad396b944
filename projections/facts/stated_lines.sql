-- one row is one stretch of lines that a note on a commit says somebody wrote; of an event that names none, one row
-- trailers of a commit name no lines: one row for each whom they credit
-- needs: ledger
-- types: authorship.stated
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "revision": "VARCHAR", "note": "VARCHAR", "dialect": "VARCHAR", "unread": "VARCHAR", "generator": "VARCHAR",
                "authors": [{
                    "key": "VARCHAR", "contributor": "VARCHAR", "agent_name": "VARCHAR", "session_id": "VARCHAR",
                    "model_id": "VARCHAR", "person": "VARCHAR"
                }],
                "files": [{"path": "VARCHAR", "by": [{"key": "VARCHAR", "ranges": [["BIGINT"]]}]}]
            }'
        ) as data
    from ledger
    where event_type = 'authorship.stated'
),

named as (
    select
        *,
        generate_subscripts(data.files, 1) as file_index,
        unnest(data.files) as file
    from typed
),

keyed as (
    select
        *,
        generate_subscripts(file.by, 1) as key_index,
        unnest(file.by) as held
    from named
),

stretches as (
    select
        * exclude (file, held),
        file.path as path,
        held.key as author_key,
        list_extract(
            list_filter(data.authors, lambda author: author.key = split_part(held.key, '::', 1)), 1
        ) as author,
        unnest(held.ranges) as stretch
    from keyed
),

credited as (
    select *, generate_subscripts(data.authors, 1) as key_index, unnest(data.authors) as author
    from typed
    where data.dialect = 'trailers'
)

select
    position,
    event_id,
    file_index,
    key_index,
    occurred_at,
    data.revision as vcs_revision,
    data.note as note,
    data.dialect as dialect,
    data.generator as generator,
    data.unread as unread,
    path,
    author_key,
    stretch[1] as start_line,
    stretch[2] as end_line,
    author.contributor as contributor_type,
    author.agent_name as agent_name,
    author.model_id as model_id,
    author.session_id as session_id,
    author.person as person
from stretches
union all
select
    position, event_id, 0, key_index, occurred_at, data.revision, data.note, data.dialect, data.generator, data.unread,
    null, author.key, null, null, author.contributor, author.agent_name, author.model_id, author.session_id,
    author.person
from credited
union all
select
    position, event_id, 0, 0, occurred_at, data.revision, data.note, data.dialect, data.generator, data.unread,
    null, null, null, null, null, null, null, null, null
from typed
where coalesce(len(data.files), 0) = 0 and not (data.dialect is not distinct from 'trailers');
