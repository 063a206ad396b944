-- one row is one mutation between a run of tests that failed and the same run of them that passed, in one session
-- needs: tool_requests, tool_outcomes, mutations, mutation_files
-- by: session_id
-- a session repairs what failed before it had changed anything, or anything since the same tests last passed: what it
-- broke itself is no bug of anybody's, and a test that it wrote first may ask for something new
with
test_runs as (
    select
        requests.session_id as session_id,
        requests.command as command,
        outcomes.position as position,
        outcomes.event_id as event_id,
        outcomes.status = 'completed'
        and coalesce(outcomes.exit_code, 0) = 0
        and not coalesce(outcomes.interrupted, false) as passed,
        (outcomes.status = 'failed' or outcomes.exit_code <> 0)
        and coalesce(outcomes.exit_code, 1) not in (126, 127, 129, 130, 143)
        and not coalesce(outcomes.interrupted, false) as failed
    from tool_requests as requests
    inner join tool_outcomes as outcomes
        on outcomes.session_id = requests.session_id and outcomes.tool_call_id = requests.tool_call_id
    where requests.runs_tests
),

placed as (
    select
        *,
        max(case when passed then position end) over (
            partition by session_id, command
            order by position
            rows between unbounded preceding and 1 preceding
        ) as passed_before,
        min(case when passed then position end) over (
            partition by session_id, command
            order by position
            rows between 1 following and unbounded following
        ) as passes_at
    from test_runs
),

found_failing as (
    select *
    from placed
    where
        failed
        and passes_at is not null
        and not exists (
            select 1
            from mutations
            where
                mutations.session_id = placed.session_id
                and mutations.contributor_type = 'ai'
                and mutations.position < placed.position
                and mutations.position > coalesce(placed.passed_before, 0)
        )
),

-- whoever changes tests alone repairs the tests
programs as (
    select distinct position
    from mutation_files
    where
        not regexp_matches(
            path, '(^|/)(tests?|specs?|__tests__|testdata|fixtures)/|(^|/)(test_|conftest)[^/]*$|[._-](test|spec)s?\.\w+$'
        )
),

between_both as (
    select
        mutations.position as position,
        mutations.mutation_id as mutation_id,
        mutations.session_id as session_id,
        found_failing.command as command,
        found_failing.event_id as failed_event_id,
        passing.event_id as passed_event_id,
        row_number() over (partition by mutations.mutation_id order by found_failing.position, passing.position) as nth
    from found_failing
    inner join mutations
        on mutations.session_id = found_failing.session_id
        and mutations.position > found_failing.position
        and mutations.position < found_failing.passes_at
    inner join programs on programs.position = mutations.position
    inner join placed as passing
        on passing.session_id = found_failing.session_id and passing.position = found_failing.passes_at
    where mutations.contributor_type = 'ai'
)

select position, mutation_id, session_id, command, failed_event_id, passed_event_id
from between_both
where nth = 1;
