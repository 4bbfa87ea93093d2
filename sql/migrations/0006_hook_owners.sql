-- Webhooks belong to accounts and repositories by reference, now that there are repositories.

-- Nothing referred to anything before, so there may be webhooks of what is gone.
delete from forge.hook
where repository_id is not null
  and not exists (select from forge.repository where id = hook.repository_id);

delete from forge.hook
where owner_id is not null
  and not exists (select from forge.account where id = hook.owner_id);

-- A webhook goes with its repository, and takes along what it still had to deliver: that a repository was deleted is
-- heard by the webhooks of its owner and of the site.
alter table forge.hook
  add constraint hook_repository_known foreign key (repository_id) references forge.repository (id) on delete cascade;

-- With an account go the webhooks that hear all of its repositories.
alter table forge.hook
  add constraint hook_owner_known foreign key (owner_id) references forge.account (id) on delete cascade;
