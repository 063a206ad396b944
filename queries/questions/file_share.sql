-- Which lines of this file did agents write, and which model?
-- topic: lines
-- lines of: path
-- param path: file, relative to the repository
-- columns: model_id, lines, pct, contributor_type, agent_name, mixed_lines, first_line, last_line, author, authors
-- pct is of all lines of the file at HEAD; a line of an agent that named no model has none. author: who committed most of
-- these lines, as git says, of so many authors
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

committed as (
    select
        contributor_type,
        agent_name,
        model_id,
        author,
        count(*) over (partition by contributor_type, agent_name, model_id) as authors,
        row_number() over (
            partition by contributor_type, agent_name, model_id
            order by count(*) desc, author
        ) as nth
    from v_blame_lines
    where path = $path and author is not null
    group by contributor_type, agent_name, model_id, author
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
    shares.last_line,
    committed.author,
    coalesce(committed.authors, 0) as authors
from shares
cross join whole
left join committed
    on committed.contributor_type = shares.contributor_type
    and committed.agent_name is not distinct from shares.agent_name
    and committed.model_id is not distinct from shares.model_id
    and committed.nth = 1
order by shares.lines desc, shares.first_line;
