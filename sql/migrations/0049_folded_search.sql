-- A text as searches for letters beyond ASCII compare it: composed, in lower case by the rules of Unicode, with one form of
-- sigma. The server folds what is searched for in the same way (search-pattern.ts). The collation is named, because the
-- default one of a database may know only ASCII.
create function forge.fold(written text) returns text language sql immutable strict parallel safe as $$
  select translate(lower(normalize(written, nfc) collate "und-x-icu"), 'ς', 'σ') collate "C"
$$;

-- Searches for letters beyond ASCII inside full names and primary addresses. Only accounts that have such letters are in
-- the index; all other searches use account_grams.
create index account_folded_grams on forge.account
  using gin (forge.grams(forge.fold(full_name || chr(10) || email))) with (fastupdate = off)
  where full_name || email ~ '[^\x01-\x7f]';

-- The same as forge.accounts_like, for a pattern that forge.fold has made and that has a letter beyond ASCII.
create function forge.accounts_like_folded(pattern text, most integer) returns setof bigint language sql stable rows 100
set enable_seqscan = off set jit = off as $$
  select id
  from forge.account
  where full_name || email ~ '[^\x01-\x7f]'
    and forge.grams(forge.fold(full_name || chr(10) || email)) @> forge.grams_of_pattern(pattern)
    and (forge.fold(full_name) like pattern escape '' or forge.fold(email) like pattern escape '')
  limit most
$$;
