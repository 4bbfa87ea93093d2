-- Rules that say who may change which branches and tags of a repository.

-- Of the rules whose name matches a branch, the first one counts: by priority, names before globs, older ones first. What only
-- pull requests use (approvals, merges, status checks) is kept for clients.
create table forge.branch_protection (
  id bigint generated always as identity constraint branch_protection_pkey primary key,
  repository_id bigint not null
    constraint branch_protection_repository_known references forge.repository (id) on delete cascade,
  -- The name of a branch, or a glob.
  rule_name text collate "C" not null,
  priority bigint not null,
  enable_push boolean not null,
  enable_push_whitelist boolean not null,
  push_whitelist_deploy_keys boolean not null,
  enable_force_push boolean not null,
  enable_force_push_allowlist boolean not null,
  force_push_allowlist_deploy_keys boolean not null,
  enable_merge_whitelist boolean not null,
  enable_bypass_allowlist boolean not null,
  enable_status_check boolean not null,
  status_check_contexts text[] not null,
  required_approvals bigint not null,
  enable_approvals_whitelist boolean not null,
  block_on_rejected_reviews boolean not null,
  block_on_official_review_requests boolean not null,
  block_on_outdated_branch boolean not null,
  dismiss_stale_approvals boolean not null,
  ignore_stale_approvals boolean not null,
  require_signed_commits boolean not null,
  block_admin_merge_override boolean not null,
  -- Globs, separated by semicolons.
  protected_file_patterns text not null,
  unprotected_file_patterns text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Paths of the API name a rule by it. Also finds the rules of a repository.
  constraint branch_protection_rule_name_unique unique (repository_id, rule_name)
);

-- The accounts on the lists of a rule.
create table forge.branch_protection_account (
  protection_id bigint not null
    constraint branch_protection_account_protection_known references forge.branch_protection (id) on delete cascade,
  list text collate "C" not null
    constraint branch_protection_account_list_known check (list in ('push', 'force_push', 'merge', 'bypass', 'approvals')),
  account_id bigint not null
    constraint branch_protection_account_account_known references forge.account (id) on delete cascade,
  constraint branch_protection_account_pkey primary key (protection_id, list, account_id)
);

create index branch_protection_of_account on forge.branch_protection_account (account_id);

-- The teams on the lists of a rule. Those of a former owner stay and count for nothing.
create table forge.branch_protection_team (
  protection_id bigint not null
    constraint branch_protection_team_protection_known references forge.branch_protection (id) on delete cascade,
  list text collate "C" not null
    constraint branch_protection_team_list_known check (list in ('push', 'force_push', 'merge', 'bypass', 'approvals')),
  team_id bigint not null
    constraint branch_protection_team_team_known references forge.team (id) on delete cascade,
  constraint branch_protection_team_pkey primary key (protection_id, list, team_id)
);

create index branch_protection_of_team on forge.branch_protection_team (team_id);

-- Only those on the lists of one of the rules that match a tag may create, move or delete it.
create table forge.tag_protection (
  id bigint generated always as identity constraint tag_protection_pkey primary key,
  repository_id bigint not null
    constraint tag_protection_repository_known references forge.repository (id) on delete cascade,
  -- A glob, or a regular expression between slashes.
  name_pattern text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Also finds the rules of a repository.
  constraint tag_protection_name_pattern_unique unique (repository_id, name_pattern)
);

create table forge.tag_protection_account (
  protection_id bigint not null
    constraint tag_protection_account_protection_known references forge.tag_protection (id) on delete cascade,
  account_id bigint not null
    constraint tag_protection_account_account_known references forge.account (id) on delete cascade,
  constraint tag_protection_account_pkey primary key (protection_id, account_id)
);

create index tag_protection_of_account on forge.tag_protection_account (account_id);

create table forge.tag_protection_team (
  protection_id bigint not null
    constraint tag_protection_team_protection_known references forge.tag_protection (id) on delete cascade,
  team_id bigint not null
    constraint tag_protection_team_team_known references forge.team (id) on delete cascade,
  constraint tag_protection_team_pkey primary key (protection_id, team_id)
);

create index tag_protection_of_team on forge.tag_protection_team (team_id);
