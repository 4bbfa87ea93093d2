import { moment } from './people.ts'

const big = `(select id from forge.repository where key = 'big')`
const member = `(select id from forge.account where key = 'member')`

/** A thousand sentences of words of which each is in a few of them, as in texts of people; one in ten is not English. */
const sentences = `
  create temporary table sentence on commit drop as
  select s, string_agg(syllables[1 + h % 30] || syllables[1 + h / 31 % 30] || syllables[1 + h / 997 % 30], ' ')
      || case when s % 10 = 0 then ' жизнь' else '' end || '.' as words
  from generate_series(1, 1000) as s, generate_series(1, 9) as w,
    lateral (select abs(hashint4(s * 100 + w)) % 40000 as h) as picked,
    (select array['ka', 'lo', 'mi', 'ne', 'ru', 'sta', 'tre', 'vo', 'wex', 'zu', 'bra', 'cle', 'dor', 'fin', 'gal',
      'hep', 'jin', 'pol', 'qua', 'sim', 'ton', 'und', 'ver', 'ost', 'arg', 'pro', 'int', 'ese', 'ill', 'omb']
      as syllables) as given
  group by s`

/** Three of the sentences, and words that are met in one text, in twenty, in 2,000, in a tenth and in all. */
const text = (n: string, rows: number) => `
  one.words || ' ' || two.words || ' ' || three.words
    || case when (${n}) % ${Math.ceil(rows / 20)} = 5 then ' twenty-hits' else '' end
    || case when (${n}) % ${Math.ceil(rows / 2000)} = 0 then ' xylophone Ärger' else '' end
    || case when (${n}) % 10 = 3 then ' frequently' else '' end || ' everywhere'`

const sentencesOf = (n: string) => `
  join sentence as one on one.s = 1 + (${n}) % 997
  join sentence as two on two.s = 1 + (${n}) * 7 % 991
  join sentence as three on three.s = 1 + (${n}) * 13 % 983`

/** Statements that insert so many issues, a tenth of them in one repository, and as many jobs, four to a run. */
export function trackers(rows: number): string[] {
  // In how many repositories the issues are that are not in the large one.
  const others = (rows * 9) / 100
  const number = `case when n % 10 = 0 then n / 10 else n / ${others} + 1 end`
  return [
    sentences,
    `insert into forge.milestone (repository_id, title, description, created_at, updated_at)
     select ${big}, 'm' || n, '', ${moment('n')}, ${moment('n')} from generate_series(1, 20) as n`,
    `insert into forge.repository_label (repository_id, name, color)
     select ${big}, 'label' || n, 'ff0000' from generate_series(1, 20) as n`,
    `insert into forge.issue
       (repository_id, number, poster_id, title, body, created_at, updated_at, closed_at, milestone_id, comments_count)
     select case when n % 10 = 0 then ${big} else 2 + n % ${others} end, ${number},
       case when n % 1000 < 10 then ${member} else 10 + n * 7 % 1000 end, 'Problem ' || n || ' of part ' || n % 977,
       ${text('n', rows)}, timestamptz '2025-01-01' + n * interval '10 seconds', ${moment('n')},
       case when hashint4(n::integer) % 3 = 0 then ${moment('n')} end,
       case when n % 500 = 0 then (select min(id) from forge.milestone) when n % 20 = 0 then
         (select max(id) from forge.milestone) end,
       case when n % 5 = 0 then 1 else 0 end
     from generate_series(1, ${rows}::bigint) as n ${sentencesOf('n')}
     order by n`,
    'analyze forge.issue',
    `insert into forge.issue_comment (issue_id, repository_id, poster_id, body, created_at, updated_at)
     select id, repository_id, poster_id, 'A comment. ' || ${text('id + 17', rows)}, created_at, created_at
     from forge.issue ${sentencesOf('id + 17')}
     where comments_count = 1`,
    `insert into forge.issue_label (issue_id, label_id, repository_id)
     select issue.id, label.id, repository_id
     from forge.issue
     join forge.repository_label as label using (repository_id)
     where name = 'label1' and number % 20 = 0 or name = 'label2' and number % 3 = 0 or name = 'label3' and number % 997 = 0`,
    `insert into forge.issue_assignee (issue_id, account_id)
     select id, ${member} from forge.issue where id % 330 = 0`,
    `insert into forge.issue_mention (issue_id, account_id)
     select id, ${member} from forge.issue where id % 50 = 0`,
    `insert into forge.notification (account_id, repository_id, source, issue_id, status, updated_at)
     select ${member}, repository_id, 'issue', id, (array['read', 'unread', 'read', 'pinned'])[1 + id % 4], updated_at
     from forge.issue
     where id <= ${rows / 10}`,
    `insert into forge.action_run
       (repository_id, number, workflow_file, title, event, payload, ref, commit_sha, status, actor_id, created_at,
        updated_at)
     select case when n % 2 = 0 then ${big} else 2 + n % ${others} end, n, case when n % 3 = 0 then 'ci.yml' else 'deploy.yml' end,
       'What was done', case when n % 10 = 0 then 'schedule' else 'push' end, '{}',
       'refs/heads/' || case when n % 7 = 0 then 'topic' || n % 1000 else 'main' end, md5(n::text),
       case when n % 50 = 1 then 'queued' when n % 5 = 0 then 'failure' else 'success' end, 10 + n % 1000,
       ${moment('n')}, ${moment('n')}
     from generate_series(1, ${rows / 4}::bigint) as n`,
    `insert into forge.action_attempt (run_id, number, status, created_at, updated_at)
     select id, 1, status, created_at, updated_at from forge.action_run`,
    `insert into forge.action_job
       (run_id, attempt, number, repository_id, name, key, runs_on, payload, status, created_at, updated_at)
     select id, 1, n, repository_id, 'job ' || n, 'job', '{ubuntu-latest}', decode(repeat('6a', 100), 'hex'), status,
       created_at, updated_at
     from forge.action_run, generate_series(1, 4) as n`,
  ]
}

/** Fills in the totals that the triggers would have kept. */
export const settle: readonly string[] = [
  'analyze forge.issue, forge.repository_star, forge.repository_watch',
  `update forge.repository
   set last_issue = counted.last, open_issues = counted.open
   from (
     select repository_id, max(number) as last, count(*) filter (where closed_at is null) as open
     from forge.issue
     group by repository_id
   ) as counted
   where repository.id = counted.repository_id`,
  `update forge.repository
   set stars_count = (select count(*) from forge.repository_star where repository_id = repository.id),
     watchers_count = (select count(*) from forge.repository_watch where repository_id = repository.id)
   where key = 'big'`,
  `insert into forge.action_tally (kind, repository_id, status, event, amount)
   select kind, repository_id, status, event, count(*)
   from (
     select 'run' as kind, repository_id, status, event from forge.action_run
     union all
     select 'run', 0, status, event from forge.action_run
     union all
     select 'job', repository_id, status, '' from forge.action_job
     union all
     select 'job', 0, status, '' from forge.action_job
   ) as each
   group by kind, repository_id, status, event`,
]
