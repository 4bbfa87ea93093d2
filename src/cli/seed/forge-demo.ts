import { messageOf } from '../../common/errors.ts'
import { type CommandContext, SetupError, UsageError } from '../command.ts'
import { type As, type Call, openClient } from './client.ts'
import { beacon, handbook, issues, labels, occulting, type Step } from './contents.ts'
import { type Files, Pack } from './pack.ts'
import { addPeople, endTokens, type Person, requireFree } from './people.ts'
import { addRuns } from './runs.ts'

const org = 'lighthouse'

const people = [
  { name: 'nora', full_name: 'Nora Lind' },
  { name: 'emil', full_name: 'Emil Haug' },
  { name: 'tove', full_name: 'Tove Berg' },
]

/**
 * Adds three users and their organization with repositories, issues, a package and runs; returns a sentence about it.
 * @throws UsageError when a name is taken, SetupError without git or when a request fails; then a part stays
 */
export async function addForgeDemo(context: CommandContext): Promise<string> {
  await requireFree(context, [...people.map(({ name }) => name), org])
  const { call, tools, close } = await openClient(context)
  try {
    const git = await tools.gitService.check()
    if (!git.usable) throw new SetupError(`${git.sentence}; nothing was added`)
    const members = await addPeople(context, people)
    try {
      await fill(call, members, context.clock()).catch(throwUnfinished)
    } finally {
      await endTokens(context, members)
    }
  } finally {
    await close()
  }
  return `added the organization ${org} with ${people.length} users, 2 repositories, ${issues.length} issues, 4 runs and a package: ${context.config.root}${org}`
}

/** Each request has the token of the person. */
function callsAs(call: Call, members: readonly Person[]): As {
  const tokens = new Map(members.map(({ name, token }) => [name, token]))
  return (name, literal, body, headers) =>
    call(literal, body, { ...headers, authorization: `token ${tokens.get(name)}` })
}

/** @throws SetupError */
function throwUnfinished(error: unknown): never {
  throw new SetupError(
    `the demonstration data set is unfinished, and what was added stays: ${messageOf(error)}`,
  )
}

async function fill(call: Call, members: readonly Person[], now: Date): Promise<void> {
  const as = callsAs(call, members)
  await addOrganization(as)
  const push = pusherFor(as, members, now)
  await addRepository(as, 'beacon', 'When does a light show?')
  await push('beacon', beacon, { occulting })
  await as('nora', `PUT /api/v1/repos/${org}/beacon/topics`, { topics: ['lights', 'charts', 'javascript'] })
  await addRepository(as, 'handbook', 'What the keepers do, and when')
  await push('handbook', handbook)
  await addIssues(as)
  await addRuns(as, call, `${org}/beacon`)
  const table = 'name,character\nHarbour,Fl(2) 10s\nNorth Point,Iso 4s\n'
  await as('emil', `PUT /api/packages/${org}/generic/lights/1.0.0/lights.csv`, Buffer.from(table))
}

async function addOrganization(as: As): Promise<void> {
  await as('nora', 'POST /api/v1/orgs', {
    username: org,
    full_name: 'The Lighthouse',
    description: 'A demonstration: delete it when you have seen enough.',
  })
  const team = await as('nora', `POST /api/v1/orgs/${org}/teams`, {
    name: 'keepers',
    description: 'May change everything here',
    permission: 'write',
    includes_all_repositories: true,
    units: ['repo.code', 'repo.issues', 'repo.actions', 'repo.packages'],
  })
  for (const name of ['emil', 'tove']) await as('nora', `PUT /api/v1/teams/${team.id}/members/${name}`)
}

async function addRepository(as: As, name: string, description: string): Promise<void> {
  await as('nora', `POST /api/v1/orgs/${org}/repos`, { name, description, default_branch: 'main' })
}

/** Returns a function that pushes a history to `main`, and one more commit to each further branch. */
function pusherFor(as: As, members: readonly Person[], now: Date) {
  return async (
    repository: string,
    steps: readonly Step[],
    branches: Readonly<Record<string, Step>> = {},
  ) => {
    const pack = new Pack()
    const add = (step: Step, parent: string | undefined, files: Files) => {
      const { full_name: name, email } = personOf(members, step.by)
      const at = new Date(now.getTime() - step.hoursAgo * 3_600_000)
      return pack.commit({ parent, files, author: { name, email }, at, message: step.message })
    }
    let tip: string | undefined
    let files: Files = {}
    for (const step of steps) {
      files = { ...files, ...step.changes }
      tip = add(step, tip, files)
    }
    const refs = { 'refs/heads/main': tip ?? '' }
    for (const [branch, step] of Object.entries(branches))
      Object.assign(refs, { [`refs/heads/${branch}`]: add(step, tip, { ...files, ...step.changes }) })
    const type = { 'content-type': 'application/x-git-receive-pack-request' }
    const report = await as(
      'nora',
      `POST /${org}/${repository}.git/git-receive-pack`,
      pack.pushOf(refs),
      type,
    )
    if (!String(report.text).includes('unpack ok')) throw new SetupError(`a push was refused: ${report.text}`)
  }
}

function personOf(members: readonly Person[], name: string): Person {
  const person = members.find((each) => each.name === name)
  if (!person) throw new UsageError(`the demonstration has no user ${name}`)
  return person
}

async function addIssues(as: As): Promise<void> {
  const repository = `/api/v1/repos/${org}/beacon`
  const ids = new Map<string, unknown>()
  for (const [name, color] of labels)
    ids.set(name, (await as('nora', `POST ${repository}/labels`, { name, color })).id)
  for (const { by, title, body, labels: names, assignee, comments, closed } of issues) {
    const draft = {
      title,
      body,
      labels: names.map((name) => ids.get(name)),
      assignees: assignee ? [assignee] : [],
    }
    const { number } = await as(by, `POST ${repository}/issues`, draft)
    for (const [by, body] of comments) await as(by, `POST ${repository}/issues/${number}/comments`, { body })
    if (closed) await as(by, `PATCH ${repository}/issues/${number}`, { state: 'closed' })
  }
}
