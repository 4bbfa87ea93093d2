-- Searches of the issues of one repository read its comments, and so does the list of all its comments. Null nowhere: a
-- trigger writes it.
alter table forge.issue_comment add column repository_id bigint;

create function forge.place_comment() returns trigger language plpgsql as $$
begin
  select repository_id into new.repository_id from forge.issue where id = new.issue_id;
  return new;
end
$$;

create trigger issue_comment_place before insert on forge.issue_comment
for each row when (new.repository_id is null) execute function forge.place_comment();

-- Every row is written anew: without the index of its text, which takes most of the time.
drop index forge.issue_comment_grams;

update forge.issue_comment
set repository_id = issue.repository_id
from forge.issue
where issue.id = issue_comment.issue_id;

-- The comments of a repository, oldest first, and their number, from the index alone.
create index issue_comment_of_repository on forge.issue_comment (repository_id, id) include (updated_at);

-- What an index finds a text of a repository by: all its runs of three characters, those of one or two at its end, and the
-- id of the repository after a character that is in no run (forge.text_grams cuts texts at it). So each character begins a
-- run, and an index of vectors finds terms of one or two characters by the beginning of runs, which one of arrays cannot.
-- A vector has at most 1 MB; texts have 65,536 characters, so only those that folding makes longer are cut.
create function forge.search_vector(repository bigint, written text) returns tsvector
language sql immutable strict parallel safe as $$
  select array_to_tsvector(
    array_append(array_remove(forge.text_grams(left(written, 87000)), ''), chr(1) || repository::text)
  )
$$;

drop index forge.issue_grams;

-- Searches inside issues and comments, with a short list of new entries as before.
create index issue_search on forge.issue
  using gin (forge.search_vector(repository_id, forge.searchable(title || chr(10) || body)))
  with (gin_pending_list_limit = 1024);
create index issue_comment_search on forge.issue_comment
  using gin (forge.search_vector(repository_id, forge.searchable(body))) with (gin_pending_list_limit = 1024);

-- Issues of which the title, the text or a comment matches a query (src/forge/protocol/search-query.ts), with repetitions: at
-- most so many of each. As before, for candidates.
create function forge.issues_matching(query tsquery, most integer)
returns table (id bigint, number bigint) language sql stable rows 100
set enable_seqscan = off set jit = off set work_mem = '64MB' as $$
  (
    select issue.id, issue.number
    from forge.issue
    where forge.search_vector(repository_id, forge.searchable(title || chr(10) || body)) @@ query
    limit most
  )
  union all
  (
    select issue.id, issue.number
    from (
      select issue_id
      from forge.issue_comment
      where forge.search_vector(repository_id, forge.searchable(body)) @@ query
      limit most
    ) as comment
    join forge.issue on issue.id = comment.issue_id
  )
$$;
