/** Whether a path asks for a page far from the first. */
export const isDeep = (path: string) => /[?&]page=\d\d/.test(path)

/** Who asks: an administrator, a member, or nobody who is known. */
export type Asker = 'administrator' | 'member' | 'anonymous'

/** Paths, and who asks for them. */
interface Questions {
  askers: readonly Asker[]
  paths: readonly string[]
}

const everybody = ['administrator', 'member', 'anonymous'] as const
const knownOnly = ['administrator', 'member'] as const

/** What nobody, few, some, many and all issues have. */
const issueWords = [
  'nowhere-at-all',
  'Problem 77770 ',
  'twenty-hits',
  'xylophone',
  'Ärger',
  'frequently',
  'everywhere',
  'жизнь',
  'of part 5',
  '4711',
  'qz',
  'ka',
]

const issues = [
  '',
  'page=2',
  'page=1000',
  'sort=oldest',
  'state=closed',
  'state=all',
  'labels=label1',
  'labels=label2',
  'labels=label3',
  'labels=label1,label2',
  'milestones=m1',
  'milestones=m20',
  'assigned_by=member',
  'assigned_by=member&state=all&page=20',
  'assigned_by=ada7',
  ...issueWords.map((word) => `q=${encodeURIComponent(word)}`),
  'q=everywhere&page=2',
  'q=everywhere&page=1000',
  'q=everywhere&state=closed',
  'q=everywhere&sort=oldest',
  'q=frequently&page=20',
  'q=frequently&labels=label1',
  'q=frequently&assigned_by=member',
]

const listed = (list: string, queries: readonly string[]) =>
  queries.map((query) => (query === '' ? list : `${list}?${query}`))
const words = (...all: string[]) => all.map((word) => `q=${encodeURIComponent(word)}`)

const explored = [
  ...listed('/explore/repos', [
    ...['', 'page=2', 'page=1000', 'sort=created', 'sort=stars', 'sort=alpha', 'sort=alpha&page=1000'],
    ...words('nothing', 'anvil-4711', '4711', 'tongs-7', 'hammer', 'm', 'am'),
    'q=hammer&sort=alpha',
    'q=hammer&page=100',
  ]),
  ...listed('/explore/organizations', [
    ...['', 'page=2', 'page=1000', 'order=desc'],
    ...words('nothing', 'guild4711', '4711', 'hopper', 'guild', 'gu', 'Müller', 'ü'),
    'q=guild&page=100',
    'q=guild&order=desc',
  ]),
  ...listed('/explore/users', [
    ...['', 'page=2', 'page=1000', 'sort=created', 'sort=created&page=1000'],
    ...words('nothing', 'ada4711', '4711', 'lovelace', 'ada', 'ad', 'Иван', 'ива', 'müller', 'ü'),
    'q=ada&sort=created',
    'q=ada&page=100',
  ]),
  ...listed('/explore/packages', [
    ...['', 'page=2', 'page=1000', 'type=npm', 'type=npm&page=1000'],
    ...words('nothing', 'kit-4710', '4711', 'kit-7', 'kit', 'ki', 'i'),
    'q=kit&type=npm',
    'q=kit&page=100',
  ]),
]

/** Lists of the API, without its prefix. */
const api = {
  everybody: [
    ...listed('repos/member/big/issues', [
      ...issues.slice(0, 4),
      ...words('xylophone', 'everywhere'),
      ...[
        'created_by=member',
        'created_by=ada7',
        'mentioned_by=member',
        'since=2026-01-01T00:00:00Z',
        'before=2025-02-01T00:00:00Z',
        'milestones=m1,m2',
      ],
    ]),
    ...listed('repos/issues/search', [
      ...[
        '',
        'page=2',
        'page=1000',
        'state=closed',
        'state=all',
        'labels=label1',
        'labels=nothing',
        'milestones=m1',
        'milestones=nothing',
        'owner=member',
        'owner=ada1001',
        'since=2026-01-01T00:00:00Z',
        'before=2025-02-01T00:00:00Z',
      ],
      ...words(...issueWords),
      'q=everywhere&page=1000',
      'q=xylophone&owner=member',
    ]),
    ...listed('repos/search', [
      ...[
        '',
        'page=1000',
        'sort=size',
        'sort=size&order=desc',
        'archived=true',
        'template=true',
        'is_private=true',
        'q=topic5&topic=true',
        'q=common&topic=true',
      ],
      ...words('hammer', 'hammer-4711'),
    ]),
    ...listed('users/search', ['', 'page=1000', ...words('ada', 'lovelace', 'ada4711')]),
    ...listed('topics/search', words('topic', 'common', 'c', '5')),
    ...listed('orgs', ['', 'page=1000']),
    ...listed('orgs/guild1/public_members', ['', 'page=1000']),
    ...listed('users/member/repos', ['', 'page=20']),
    ...listed('repos/member/big/stargazers', ['', 'page=100']),
    ...listed('repos/member/big/subscribers', ['', 'page=100']),
    ...listed('repos/member/big/labels', ['']),
    ...listed('repos/member/big/milestones', ['']),
    ...listed('repos/member/big/issues/comments', ['', 'page=100']),
    ...listed('repos/member/big/actions/runs', [
      '',
      'page=1000',
      'status=queued',
      'event=schedule',
      'branch=topic7',
      'actor=ada5',
    ]),
    ...listed('repos/member/big/actions/jobs', ['', 'page=1000', 'status=queued']),
    ...listed('repos/member/big/actions/tasks', ['', 'page=1000']),
  ],
  known: [
    ...listed('packages/member', ['', 'page=100', 'q=kit', 'type=npm']),
    ...listed('orgs/guild1/members', ['', 'page=1000']),
    ...listed('user/repos', ['', 'page=20']),
    ...listed('user/orgs', ['']),
    ...listed('user/starred', ['', 'page=100']),
    ...listed('user/subscriptions', ['', 'page=100']),
    ...listed('repos/issues/search', [
      'assigned=true',
      'created=true',
      'mentioned=true',
      'assigned=true&page=100',
      'assigned=true&q=everywhere',
    ]),
    ...listed('notifications', [
      '',
      'all=true',
      'page=100',
      'status-types=pinned',
      'since=2026-01-01T00:00:00Z',
    ]),
    ...listed('orgs/guild1/teams', ['']),
    ...listed('orgs/guild1/teams/search', ['q=team1']),
    ...listed('repos/member/big/assignees', ['']),
  ],
  administrator: [
    ...listed('admin/users', [
      ...[
        '',
        'page=1000',
        'sort=created&order=desc',
        'sort=updated&page=1000',
        'is_restricted=true',
        'visibility=private',
        'is_active=false',
        'source_id=0',
      ],
      ...words('nothing', 'ada4711', '4711', 'lovelace', 'example', 'ada', 'ad', 'qx', 'Иван', 'ü'),
      ...[
        'q=example&page=1000',
        'q=example&sort=created',
        'q=lovelace&is_restricted=true',
        'q=ad&sort=updated',
      ],
    ]),
    ...listed('admin/emails/search', [
      '',
      'page=1000',
      ...words('nothing', 'ada4711', 'lovelace', 'example', 'ad', 'ü'),
    ]),
    ...listed('admin/orgs', ['', 'page=1000']),
    ...listed('admin/packages', ['', 'page=1000', 'type=npm', ...words('nothing', 'kit-4710', 'kit', 'ki')]),
    ...listed('admin/actions/runs', [
      '',
      'page=1000',
      'status=queued',
      'event=schedule',
      'branch=topic7',
      'actor=ada5',
    ]),
    ...listed('admin/actions/jobs', ['', 'page=1000', 'status=queued']),
    ...listed('admin/audit', [
      '',
      'actor=ada7',
      'target=ada77',
      'action=user.create',
      'since=2025-02-01T00:00:00Z',
      'before=2025-01-10T00:00:00Z',
      'actor=ada7&action=user.create',
      'actor=nobody&action=user.create',
    ]),
    ...listed('admin/hooks', ['', 'page=10', 'type=system']),
    ...listed('admin/hooks/1/deliveries', ['', 'page=1000']),
  ],
}

const under = (prefix: string, paths: readonly string[]) => paths.map((path) => `${prefix}${path}`)

/** Every list of the pages and of the API that may become long. */
export const questions: readonly Questions[] = [
  { askers: everybody, paths: explored },
  { askers: everybody, paths: listed('/member/big/issues', issues) },
  {
    askers: everybody,
    paths: [
      ...listed('/member/big/actions', ['', 'page=100', 'status=failure', 'event=schedule']),
      ...listed('/member/-/packages', ['', 'page=100']),
      ...['/member', '/guild1', '/member/big/milestones', '/member/big', '/overview/news', '/overview/media'],
    ],
  },
  { askers: everybody, paths: under('/api/v1/', api.everybody) },
  {
    askers: knownOnly,
    paths: [
      '/',
      ...listed('/notifications', ['', 'page=100']),
      '/settings/tokens',
      ...under('/api/v1/', api.known),
    ],
  },
  {
    askers: ['administrator'],
    paths: [
      ...listed('/-/admin/users', [
        '',
        'page=1000',
        'by=created+desc',
        'state=is_restricted',
        ...words('ada4711', 'lovelace', 'example', 'ad'),
      ]),
      ...listed('/-/admin/emails', ['', ...words('example')]),
      ...listed('/-/admin/organizations', ['', 'page=1000']),
      ...listed('/-/admin/packages', ['', ...words('kit')]),
      ...listed('/-/admin/runs', ['', 'status=failure', 'branch=topic7']),
      ...listed('/-/admin/jobs', ['', 'status=failure']),
      ...listed('/-/admin/audit', ['', 'actor=ada7']),
      ...listed('/-/admin/sessions', ['', 'page=1000']),
      ...['/-/admin', '/-/admin/runners', '/-/admin/webhooks', '/-/admin/webhooks/1'],
      ...under('/api/v1/', api.administrator),
    ],
  },
]
