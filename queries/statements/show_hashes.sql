-- What has a hash that begins with these digits: contents of files, blocks of new lines, lines, sealed segments
with
digests as (
    select before_hash as digest from mutation_files
    union
    select after_hash from mutation_files
    union
    select unnest(from_json(hunks -> '$[*].content_hash', '["VARCHAR"]')) from mutation_files
    union
    select content_hash from v_recovery_point_files
)

select 'content' as kind, digest as id from digests where starts_with(split_part(digest, ':', -1), $digits)
union all
select distinct 'line', line_hash from v_line_hashes where starts_with(split_part(line_hash, ':', -1), $digits)
union all
select 'segment', segment from v_segments where starts_with(segment, $digits)
order by kind, id;
