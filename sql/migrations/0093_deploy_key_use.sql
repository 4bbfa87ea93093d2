-- When a deploy key was last used, to about a minute; null: never, or by a release that does not record it.
alter table forge.deploy_key add column last_used_at timestamptz(3);
