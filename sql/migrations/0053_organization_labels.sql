-- Labels of an organization, which the issues of all its repositories may have.

create table forge.organization_label (
  -- From the sequence of forge.repository_label: requests name labels of both kinds by their ids alone.
  id bigint not null default nextval('forge.repository_label_id_seq')
    constraint organization_label_pkey primary key,
  organization_id bigint not null
    constraint organization_label_organization_known references forge.account (id) on delete cascade,
  name text not null constraint organization_label_name_present check (name <> ''),
  color text collate "C" not null constraint organization_label_color_form check (color ~ '^[0-9a-f]{6}$'),
  description text not null default '',
  exclusive boolean not null default false,
  exclusive_order integer not null default 0,
  is_archived boolean not null default false
);

create index organization_label_of_organization on forge.organization_label (organization_id, id);

-- An issue has labels of the organization that owns its repository: who adds one locks the repository against a change
-- of its owner, and the trigger below removes them when it has another one.
create table forge.issue_organization_label (
  issue_id bigint not null
    constraint issue_organization_label_issue_known references forge.issue (id) on delete cascade,
  label_id bigint not null
    constraint issue_organization_label_label_known references forge.organization_label (id) on delete cascade,
  constraint issue_organization_label_pkey primary key (issue_id, label_id)
);

create index issue_organization_label_of_label on forge.issue_organization_label (label_id, issue_id);

create function forge.remove_labels_of_former_owner() returns trigger language plpgsql as $$
begin
  delete from forge.issue_organization_label
  where issue_id in (select id from forge.issue where repository_id = new.id);
  return null;
end
$$;

create trigger repository_owner_labels after update of owner_id on forge.repository
for each row when (old.owner_id is distinct from new.owner_id)
execute function forge.remove_labels_of_former_owner();
