-- Of an organization with many members few let others see that they are: a list of those few, and their number, must
-- not pass all the rest.
create index membership_public on forge.membership (organization_id, account_id) where is_public;
