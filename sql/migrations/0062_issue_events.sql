-- What happened to issues, besides comments: their timelines show both together.
create table forge.issue_event (
  -- From the sequence of comments: a timeline shows both kinds, and clients tell its entries apart by their ids.
  id bigint not null default nextval('forge.issue_comment_id_seq') constraint issue_event_pkey primary key,
  issue_id bigint not null constraint issue_event_issue_known references forge.issue (id) on delete cascade,
  -- The name of the kind in the API.
  type text collate "C" not null constraint issue_event_type_size check (char_length(type) between 1 and 50),
  -- Ids of accounts, labels, milestones and issues are no references: what has been deleted since is shown as missing, and
  -- history does not stand in the way of changes.
  actor_id bigint not null,
  -- What was given or taken: a label, an account, a milestone or another issue, as the type says.
  subject_id bigint,
  -- The milestone before.
  old_subject_id bigint,
  -- The title, ref or day before, and the one after; the reason of a lock.
  old_text text not null default '',
  new_text text not null default '',
  -- Whether a label or an assignee was taken away.
  is_removal boolean not null default false,
  created_at timestamptz(3) not null
);

-- The order of a timeline.
create index issue_event_of_issue on forge.issue_event (issue_id, created_at, id);
