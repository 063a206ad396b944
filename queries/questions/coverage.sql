-- Of what share of the lines is it known who wrote them?
-- control: SSDF PS.3
-- asked as: attribution coverage, know who|author, attributed, unknown author|line, covered line, line nobody explain|know
-- topic: lines
-- param path_glob?: only paths like this; * is any text, also across folders, ? any one sign
-- param by?: file (if not told), folder (the first one of a path) or total
-- values by: file, folder, total
-- columns: path, lines_total, lines_known, pct, lines_recorded, lines_ai, lines_mixed, files
-- lines at HEAD. known: an agent or a person is known or presumed to have written them; recorded: the ledger says who, and
-- not git alone
with
chosen as (
    select
        case coalesce($by, 'file')
            when 'total' then '*'
            when 'folder' then case when instr(path, '/') > 0 then substr(path, 1, instr(path, '/')) else '.' end
            else path
        end as path,
        lines_total,
        lines_known,
        lines_recorded,
        lines_ai,
        lines_mixed
    from v_coverage
    where
        $path_glob is null
        or path like replace(
            replace(replace(replace(replace($path_glob, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '?', '_'
        ) escape '!'
)

select
    path,
    cast(sum(lines_total) as bigint) as lines_total,
    cast(sum(lines_known) as bigint) as lines_known,
    round(1e2 * sum(lines_known) / nullif(sum(lines_total), 0), 1) as pct,
    cast(sum(lines_recorded) as bigint) as lines_recorded,
    cast(sum(lines_ai) as bigint) as lines_ai,
    cast(sum(lines_mixed) as bigint) as lines_mixed,
    count(*) as files
from chosen
group by path
order by path;
