-- Migrations without which a program cannot run on this schema. A program ignores the other ones that it does not know,
-- so that an older process works on beside a newer one during an upgrade; of these it says so and ends.
create table forgehall.required_migration (
  name text constraint required_migration_pkey primary key
);

-- Since these, statuses and queued events have names that an older program does not know.
insert into forgehall.required_migration (name) values ('0034_statuses_of_the_api'), ('0035_event_kinds');
