-- Whether a word stands in what was recorded.
select count(*) > 0
from v_findable
where regexp_matches(lower(concat_ws(chr(10), what, words)), $word);
