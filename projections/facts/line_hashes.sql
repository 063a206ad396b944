-- one row is one new line of one hunk
-- needs: mutation_files
-- types: mutation.observed
with
typed as (
    select
        position,
        event_id,
        file_index,
        path,
        snapshot,
        json_transform(
            hunks,
            '[{"new_start": "BIGINT", "line_hashes": ["VARCHAR"], "edited": [["BIGINT"]]}]'
        ) as hunks
    from mutation_files
),

hunks as (
    select *, unnest(hunks) as hunk, generate_subscripts(hunks, 1) as hunk_index
    from typed
),

lines as (
    select
        *,
        unnest(hunk.line_hashes) as line_hash,
        generate_subscripts(hunk.line_hashes, 1) as line_index
    from hunks
)

select
    position,
    event_id,
    file_index,
    path,
    snapshot,
    hunk_index,
    hunk.new_start + line_index - 1 as line_no,
    line_hash,
    list_filter(hunk.edited, lambda pair: pair[1] = hunk.new_start + line_index - 1)[1][2] as old_line_no
from lines;
