-- When an access token ends by itself; null: never. The release before ends no token: it gives and sees none with an end, and a
-- token that has ended works again while that release runs.
alter table forge.access_token add column expires_at timestamptz(3);
