-- Whether a text has a pattern that forge.fold has made: the same answer as forge.fold(written) like pattern, without the
-- rules of Unicode for nearly all texts, which take twenty times as long. A call is replaced by its body, because the
-- function is not strict; calls of forge.fold cannot be. None of the characters in the class is composed with a neighbour or
-- has more than one character as its lower case, and none but ASCII letters has an ASCII letter as its lower case. So the
-- rules of ASCII suffice for a pattern in ASCII, and for others an expression that names both cases of each letter (src/forge/
-- protocol/letter-classes.ts).
create function forge.text_like(written text, pattern text, expression text) returns boolean
language sql immutable parallel safe as $$
  select case
    when octet_length(written) = char_length(written) then lower(written collate "C") like pattern escape ''
    when written collate "C" ~ '[^\u0001-\u012f\u0131-\u02ff\u0370-\u0373\u0376-\u0377\u037b-\u037d\u037f\u0386\u0388-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u064a\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2adb\u2add-\u2bff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f300-\U0001faff]' then forge.fold(written) like pattern escape ''
    when octet_length(pattern) = char_length(pattern) then lower(written collate "C") like pattern escape ''
    else written collate "C" ~ expression
  end
$$;

-- What searches read of a long text, like forge.searchable, but as it was written.
create function forge.searched(written text) returns text language sql immutable parallel safe as $$
  select case when octet_length(written) <= 65536 then written else left(written, 65536) end
$$;

-- Issues of which the title, the text or a comment has all substrings of a pattern, with repetitions: at most so many of
-- each. Nearly all of them match; to compare their texts would take ten times as long as to find them. The memory is that of
-- the places that the index names: with less of it, PostgreSQL would cut up the texts of whole pages again.
create function forge.issue_candidates(pattern text, most integer)
returns table (id bigint, repository_id bigint, number bigint) language sql stable rows 100
set enable_seqscan = off set jit = off set work_mem = '64MB' as $$
  (
    select issue.id, issue.repository_id, issue.number
    from forge.issue
    where forge.text_grams(forge.searchable(title || chr(10) || body)) @> forge.grams_of_pattern(pattern) collate "C"
    limit most
  )
  union all
  (
    select issue.id, issue.repository_id, issue.number
    from (
      select issue_id
      from forge.issue_comment
      where forge.text_grams(forge.searchable(body)) @> forge.grams_of_pattern(pattern) collate "C"
      limit most
    ) as comment
    join forge.issue on issue.id = comment.issue_id
  )
$$;

-- A number is searched for in the issues of all repositories. A sorted index would tempt the planner to read issues of all
-- repositories for the oldest ones of one.
create index issue_by_number on forge.issue using hash (number);

-- Searches name labels and milestones of any repository.
create index repository_label_by_name on forge.repository_label (md5(name));
create index organization_label_by_name on forge.organization_label (md5(name));
create index milestone_by_title on forge.milestone (title);

-- The newest issues of somebody come first.
create index issue_by_poster on forge.issue (poster_id, id) where poster_id is not null;
