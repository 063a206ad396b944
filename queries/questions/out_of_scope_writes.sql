-- Which writes fell outside of the scope that their intent had at that moment?
-- control: CC6.1, ASI02
-- asked as: stay|stayed|keep|kept scope, leave|left scope, write outside scope, outofscope write intent
-- asked as: write outofscope their, wrote outside scope, write out of scope intent
-- asked as: outside|beyond scope working|work|works, outside scope somebody|anybody working|works
-- how many: write
-- topic: changes
-- param since?: only from this moment on
-- columns: mutation_id, path, intent_id, path_pattern, verdict, enforced, agent_name, session_id, via, occurred_at
-- path_pattern: the pattern that leaves the path out; null: none has it. verdict: the last one on the call before it ran;
-- null: nobody was asked. What belongs to no intent, or to one whose scope is not known, is not here
with
outside as (
    select
        mutation_id,
        path,
        min(position) as position,
        max(intent_id) as intent_id,
        max(path_pattern) as path_pattern,
        max(agent_name) as agent_name,
        max(session_id) as session_id,
        max(tool_call_id) as tool_call_id,
        max(via) as via,
        max(occurred_at) as occurred_at
    from v_mutations
    where contributor_type = 'ai' and not in_scope and ($since is null or occurred_at >= $since)
    group by mutation_id, path
),

judged as (
    select
        outside.mutation_id as mutation_id,
        outside.path as path,
        verdicts.verdict as verdict,
        verdicts.enforced as enforced,
        row_number() over (partition by outside.mutation_id, outside.path order by verdicts.position desc) as nth
    from outside
    inner join v_verdicts as verdicts
        on verdicts.tool_call_id = outside.tool_call_id
        and verdicts.session_id = outside.session_id
        and verdicts.position < outside.position
)

select
    outside.mutation_id,
    outside.path,
    outside.intent_id,
    outside.path_pattern,
    judged.verdict,
    judged.enforced,
    outside.agent_name,
    outside.session_id,
    outside.via,
    outside.occurred_at
from outside
left join judged on judged.mutation_id = outside.mutation_id and judged.path = outside.path and judged.nth = 1
order by outside.position, outside.path;
