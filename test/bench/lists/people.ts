/** A moment for `n`, in no order. */
export const moment = (n: string) =>
  `timestamptz '2025-01-01' + (${n}) * 7919 % 1000003 * interval '1 minute'`

const first = `array['Ada', 'Grace', 'Linus', 'Barbara', 'Dennis', 'Ken', 'Margaret', 'Иван', 'Jürgen', 'Alan']`
const last = `array['Lovelace', 'Hopper', 'Torvalds', 'Liskov', 'Ritchie', 'Thompson', 'Hamilton', 'Dijkstra', 'Петров',
  'Müller', 'Allen', 'McCarthy', 'Perlman', 'Lee', 'Rossum', 'Stroustrup', 'Smith']`

/** A tenth of the repositories to the member, and the large one to a tenth of the people. */
const ofMany = `
  select repository.id, account.id, repository.created_at
  from forge.repository join forge.account on account.key = 'member'
  where repository.id % 10 = 3
  union all
  select repository.id, account.id, repository.created_at
  from forge.repository join forge.account on account.kind = 'person' and account.id % 10 = 1
  where repository.key = 'big'`

/** Statements that insert so many people, as many repositories, packages and more. */
export function peopleAndCode(count: number): string[] {
  return [
    `insert into forge.account
       (kind, name, full_name, email, visibility, hides_email, is_active, is_restricted, created_at, updated_at)
     select 'person', 'ada' || n, (${first})[1 + n % 10] || ' ' || (${last})[1 + n % 17],
       'ada' || n || '@' || (array['example.com', 'mail.example.org', 'example.net'])[1 + n % 3],
       case when n % 50 = 0 then 'private' when n % 20 = 0 then 'limited' else 'public' end, n % 10 = 0,
       n % 37 <> 0, n % 41 = 0, ${moment('n')}, ${moment('n * 3')}
     from generate_series(1, ${count}::bigint) as n`,
    `insert into forge.email_address (account_id, address, key, is_primary, is_activated, created_at)
     select id, email, lower(email), true, true, created_at from forge.account where key like 'ada%'`,
    `insert into forge.account (kind, name, full_name, visibility, created_at, updated_at)
     select 'organization', 'guild' || n, 'Guild of ' || (${last})[1 + n % 17],
       case when n % 20 = 0 then 'private' when n % 30 = 0 then 'limited' else 'public' end,
       ${moment('n')}, ${moment('n')}
     from generate_series(1, ${count}::bigint) as n`,
    // A large organization, and one that the member belongs to.
    `insert into forge.membership (organization_id, account_id, is_public)
     select organization.id, account.id, account.id % 2 = 0
     from forge.account as organization, forge.account
     where organization.key = 'guild1' and account.kind = 'person' and account.key <> 'bench'
     union all
     select organization.id, account.id, true
     from forge.account as organization, forge.account
     where organization.key in ('guild2', 'guild20') and account.key = 'member'`,
    `insert into forge.team (organization_id, name, permission, created_at)
     select account.id, 'team' || n, 'read', created_at
     from forge.account, generate_series(1, 200) as n
     where key = 'guild1'`,
    // The member owns a thousand, one of them with very many issues; the rest belong to people, private ones too.
    `insert into forge.repository
       (owner_id, name, folder_owner, folder_name, state, is_private, is_template, is_archived, default_branch,
        object_format, size, created_at, updated_at, stars_count, owner_visibility, description, topics, last_issue)
     select account.id, wanted.name, account.key, wanted.name, 'ready', n % 10 = 3, n % 100 = 4, n % 50 = 5, 'main', 'sha1',
       n * 31 % 10007, ${moment('n')}, ${moment('n * 5')}, n % 100, account.visibility, 'What it is about',
       case when n % 10 = 0 then array['topic' || n % 977, 'common'] else '{}' end, 200
     from (
       select n, case when n = 1 then 'big' else (array['anvil', 'bellows', 'hammer', 'tongs'])[1 + n % 4] || '-' || n
         end as name, case when n <= 1000 then 'member' when n % 5 = 0 then 'guild' || n else 'ada' || n end as owner
       from generate_series(1, ${count}::bigint) as n
     ) as wanted
     join forge.account on account.key = wanted.owner
     order by n`,
    'analyze forge.account, forge.repository',
    `insert into forge.topic (name, repository_count, created_at, updated_at)
     select topic, count(*), min(created_at), max(updated_at)
     from forge.repository, unnest(topics) as topic
     where not is_private and owner_visibility <> 'private'
     group by topic`,
    `insert into forge.repository_star (repository_id, account_id, created_at) ${ofMany}`,
    `insert into forge.repository_watch (repository_id, account_id, created_at) ${ofMany}`,
    `insert into forge.package (owner_id, type, name, created_at)
     select account.id, case when n % 3 = 0 then 'npm' else 'generic' end,
       (array['kit', 'lib', 'tool'])[1 + n % 3] || '-' || n, ${moment('n')}
     from generate_series(1, ${count}::bigint) as n
     join forge.account on key = case when n % 10 = 0 then 'member' else 'ada' || n end`,
    `insert into forge.package_version (package_id, owner_id, type, creator_id, version, created_at)
     select id, owner_id, type, owner_id, n || '.0', ${moment('id * 3 + n')}
     from forge.package, generate_series(1, 3) as n`,
    `insert into forge.audit (at, actor_name, action, target_kind, target_name, address)
     select timestamptz '2025-01-01' + n * interval '1 minute', 'ada' || n % 100,
       (array['user.create', 'user.delete', 'repository.create', 'token.create'])[1 + n % 4], 'user',
       'ada' || n, '192.0.2.1'
     from generate_series(1, ${count}::bigint) as n`,
    `insert into site.visitor (username, joined_at, last_seen_at)
     select 'visitor-' || n, ${moment('n')}, ${moment('n')} from generate_series(1, ${count}::bigint) as n`,
    `insert into site.session (visitor_id, started_at, ended_at)
     select 1 + n % ${count}, ${moment('n')}, case when n % 2 = 0 then ${moment('n')} end
     from generate_series(1, ${count}::bigint) as n`,
    `insert into forge.hook_delivery
       (uuid, hook_id, event, event_type, body, state, attempts, due_at, created_at, finished_at)
     select gen_random_uuid(), (select min(id) from forge.hook), 'push', 'push', '{}', 'succeeded', 1, ${moment('n')},
       ${moment('n')}, ${moment('n')}
     from generate_series(1, ${count}::bigint) as n`,
    `insert into forge.access_token (account_id, name, hash, last_eight, scopes, created_at)
     select id, 'token ' || n, md5(n::text) || md5('x' || n), '12345678', 'read:user', ${moment('n')}
     from forge.account, generate_series(1, 1000) as n
     where key = 'member'`,
  ]
}
