-- People who may sign in.
create table users (
    id integer primary key,
    name text not null default 'two  words'
);

CREATE TABLE IF NOT EXISTS billing.invoices (
    id BIGINT,
    user_id INTEGER REFERENCES users (id)
);

/* Who is active. */
create view active_users as
select id, name
from users
where deleted_at is null;

create index users_name on users (name);

create function add(a integer, b integer) returns integer
    language sql
    as $$ select a + b $$;

create type mood as enum ('sad', 'happy');

create materialized view totals as select 1 as one;

with recent as (
    select * from invoices
)
select * from recent;

insert into users (id, name) values (1, 'x');

alter table users add column age integer;
