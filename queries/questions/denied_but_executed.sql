-- What was denied, and did it happen anyway?
-- control: ASI10, CC7.2
-- asked as: write|wrote file although|despite refused
-- asked as: ignore denial|refusal, agent ignore denial, written although refused, went ahead denied|refused|blocked, denied executed, write denied executed, denied happened anyway
-- asked as: denied still ran, denied all the same, refused executed
-- how many: call
-- topic: the gate, and what went past it
-- param since?: only verdicts from this moment on
-- columns: tool_call_id, path, verdict, pre_hash, post_hash, source, rule_id, reason_code, via, session_id, verdict_id, mutation_id, occurred_at
-- a file that a denied call names and that is another one later in the same session, with nothing on it let through in
-- between; order is that of the ledger. A person's own change is not counted, nor a denial that was only noted
select
    tool_call_id,
    path,
    'deny' as verdict,
    before_hash as pre_hash,
    after_hash as post_hash,
    source,
    rule_id,
    reason_code,
    via,
    session_id,
    verdict_id,
    mutation_id,
    occurred_at
from v_denied_changes
where $since is null or denied_at >= $since
order by denied_position, path, position;
