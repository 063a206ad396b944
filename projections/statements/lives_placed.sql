-- The lives of lines of all files as they are now, with the places in the ledger that their changes have now
select
    followed_lives.*,
    places[born_nth] as born,
    places[killed_nth] as killed,
    places[lost_nth] as lost
from followed_lives
inner join file_pasts using (file, past)
