-- Which versions of a file did an agent give up again in the same turn?
-- asked as: attempt thrown|abandoned|undone|discarded|dropped|given, what abandoned|reverted|undone|discarded, tried abandoned
-- asked as: try give up, tried gave up, version given|thrown|abandoned|undone|discarded|dropped, rejected version, undone write, draft given up, tried and undone, replaced in the same turn
-- how many: version
-- topic: changes
-- param since?: only from this moment on
-- param session?: conversation
-- columns: path, version_hash, outcome, occurred_at, session_id, turn, intent_id, tool_name, mutation_id, given_up_at, given_up_by
-- outcome undone: the file was as before again; replaced: it was written anew as a whole. version_hash: the content that
-- was given up, for `linetrail show`, as long as this machine keeps it
with
written as (
    select
        mutations.position as position,
        mutations.mutation_id as mutation_id,
        mutations.occurred_at as occurred_at,
        mutations.session_id as session_id,
        mutations.agent_id as agent_id,
        mutations.intent_id as intent_id,
        mutations.path as path,
        mutations.before_hash as before_hash,
        mutations.after_hash as after_hash,
        mutations.tool_name as tool_name,
        calls.turn as turn,
        calls.operation_name as operation_name
    from v_mutations as mutations
    inner join v_tool_calls as calls
        on calls.tool_call_id = mutations.tool_call_id and calls.session_id = mutations.session_id
    where mutations.contributor_type = 'ai' and coalesce(mutations.part, 1) = 1
),

given_up as (
    select
        earlier.*,
        later.mutation_id as given_up_by,
        later.occurred_at as given_up_at,
        case
            when coalesce(later.after_hash, '') = coalesce(earlier.before_hash, '') then 'undone'
            else 'replaced'
        end as outcome,
        row_number() over (
            partition by earlier.position, earlier.path
            order by later.position
        ) as nth
    from written as earlier
    inner join written as later
        on later.session_id = earlier.session_id
        and coalesce(later.agent_id, '') = coalesce(earlier.agent_id, '')
        and coalesce(later.turn, 0) = coalesce(earlier.turn, 0)
        and later.path = earlier.path
        and later.position > earlier.position
    where
        coalesce(earlier.after_hash, '') <> coalesce(later.after_hash, '')
        and (
            coalesce(later.after_hash, '') = coalesce(earlier.before_hash, '')
            or (later.operation_name = 'write' and earlier.after_hash is not null)
        )
)

select
    path,
    after_hash as version_hash,
    outcome,
    occurred_at,
    session_id,
    turn,
    intent_id,
    tool_name,
    mutation_id,
    given_up_at,
    given_up_by
from given_up
where
    nth = 1
    and ($since is null or occurred_at >= $since)
    and ($session is null or session_id = $session)
order by position, path;
