-- Which lines of this file did agents write, and which model?
-- topic: lines
-- lines of: path
-- param path: file, relative to the repository
-- columns: model_id, lines, pct, contributor_type, agent_name, mixed_lines, first_line, last_line
-- pct is of all lines of the file at HEAD; a line of an agent that named no model has none
with
shares as (
    select
        contributor_type,
        agent_name,
        model_id,
        count(*) as lines,
        count(*) filter (where mixed) as mixed_lines,
        min(line_no) as first_line,
        max(line_no) as last_line
    from v_blame_lines
    where path = $path
    group by contributor_type, agent_name, model_id
),

whole as (
    select count(*) as lines
    from v_blame_lines
    where path = $path
)

select
    shares.model_id,
    shares.lines,
    round(1e2 * shares.lines / whole.lines, 1) as pct,
    shares.contributor_type,
    shares.agent_name,
    shares.mixed_lines,
    shares.first_line,
    shares.last_line
from shares
cross join whole
order by shares.lines desc, shares.first_line;
