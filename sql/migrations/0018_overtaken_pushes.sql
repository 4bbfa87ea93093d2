-- Who tells of a moved ref removed what other pushes wanted from it at the same place, because that could not come to pass
-- any more. It can, when the ref is moved back before the other push has come to its end. So such a row stays, marked:
-- the disk proves nothing about it any more, but git's own word, which its process hears, does.
alter table forge.push_journal add column is_overtaken boolean not null default false;
