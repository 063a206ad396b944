-- Which files that people own, by CODEOWNERS, do agents write most?
-- control: CC8.1
-- asked as: codeowners, code owner
-- topic: changes
-- param since?: only what was written from this moment on
-- columns: owner, agent_lines, approved_pct, files, mutations, sessions, agents, most_written, last_at
-- a file counts for each of its owners at HEAD. approved_pct: of the lines, those of calls that a person let through, when
-- linetrail or the agent asked; what a reviewer approved later is not recorded. most_written: the file with most lines
with
approved as (
    select verdicts.tool_call_id as tool_call_id
    from v_verdicts as verdicts
    left join v_approvals as answers on answers.approval_id = verdicts.approval_id
    where
        verdicts.tool_call_id is not null
        and (answers.approved or (verdicts.verdict = 'allow' and verdicts.reason_code = 'approved'))
    group by verdicts.tool_call_id
),

written as (
    select
        owners.owner as owner,
        mutations.path as path,
        mutations.mutation_id as mutation_id,
        mutations.session_id as session_id,
        mutations.agent_name as agent_name,
        mutations.occurred_at as occurred_at,
        coalesce(mutations.lines_added, 0) as lines,
        case when approved.tool_call_id is null then 0 else coalesce(mutations.lines_added, 0) end as approved_lines
    from v_mutations as mutations
    inner join v_code_owners as owners on owners.path = mutations.path
    left join approved on approved.tool_call_id = mutations.tool_call_id
    where mutations.contributor_type = 'ai' and ($since is null or mutations.occurred_at >= $since)
),

ranked as (
    select
        owner,
        path,
        row_number() over (partition by owner order by sum(lines) desc, path) as nth
    from written
    group by owner, path
)

select
    written.owner,
    cast(sum(written.lines) as bigint) as agent_lines,
    case
        when sum(written.lines) > 0 then round(100.0 * sum(written.approved_lines) / sum(written.lines), 1)
    end as approved_pct,
    count(distinct written.path) as files,
    count(distinct written.mutation_id) as mutations,
    count(distinct written.session_id) as sessions,
    count(distinct written.agent_name) as agents,
    ranked.path as most_written,
    max(written.occurred_at) as last_at
from written
inner join ranked on ranked.owner = written.owner and ranked.nth = 1
group by written.owner, ranked.path
order by sum(written.lines) desc, written.owner;
