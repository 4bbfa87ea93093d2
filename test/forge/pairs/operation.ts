import type { TestApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import type { As } from '../../support/forge/make.ts'
import type { Scene } from './scene.ts'

/** What an operation has prepared: parameters of its path, and what else its body needs. */
export type Prepared = Readonly<Record<string, string | number>>

/** Prepares a scene for an operation. @throws Unprepared */
export type Prepare = (scene: Scene, call: TestApp['call']) => Promise<Prepared>

/** What an operation needs cannot be made in a scene. */
export class Unprepared extends Error {}

/** A changing operation, and what it needs so that it succeeds alone. */
export interface Operation {
  literal: string
  as: (scene: Scene, prepared: Prepared) => As
  params: (scene: Scene) => Record<string, string | number>
  /** What is sent; text is sent as it is. */
  body?: (scene: Scene, prepared: Prepared) => unknown
  headers?: (scene: Scene, prepared: Prepared) => Record<string, string>
  query?: (scene: Scene, prepared: Prepared) => Record<string, string>
  before?: Prepare
  /** Whether the effect is there. */
  holds?: (scene: Scene, prepared: Prepared) => Promise<boolean>
  /** `structural`: may end, rename or give away what others are about; it meets all of them. Otherwise a noun: its operations meet each other. */
  kind: Kind
  endsRepository?: true
  /** It has two effects, one after the other: what ends between them succeeds, as this does. */
  hasTwoSteps?: true
  /** Its preparation, or that of the other one, may make the other one impossible. */
  isExclusive?: true
}

export type Kind =
  | 'structural'
  | 'actions'
  | 'code'
  | 'issues'
  | 'organization'
  | 'packages'
  | 'releases'
  | 'settings'
  | 'site'
  | 'user'

/** An operation without what its scope says: literal, caller, parameters and kind. */
export type More = Partial<Omit<Operation, 'literal'>>

/** Makes operations of one scope: `ofTeam('DELETE /members/{username}', { … })`. */
export const scope =
  (path: string, common: Pick<Operation, 'as' | 'params'>) =>
  (kind: Kind) =>
  (literal: string, { params = () => ({}), ...more }: More = {}): Operation => ({
    kind,
    ...common,
    ...more,
    literal: literal.replace(/ (?=\/|$)/, ` ${path}`),
    params: (scene) => ({ ...common.params(scene), ...params(scene) }),
  })

export const eve = ({ eve }: Scene) => eve
export const bob = ({ bob }: Scene) => bob
export const vic = ({ vic }: Scene) => vic
export const boss = ({ boss }: Scene) => boss

export const ofRepository = scope('/api/v1/repos/{owner}/{repo}', {
  as: eve,
  params: ({ guild, repo }) => ({ owner: guild, repo }),
})
export const ofOrganization = scope('/api/v1/orgs/{org}', {
  as: eve,
  params: ({ guild }) => ({ org: guild }),
})
export const ofTeam = scope('/api/v1/teams/{id}', { as: eve, params: ({ team }) => ({ id: team }) })
/** Of the account of `bob`, by the administrator. */
export const ofUser = scope('/api/v1/admin/users/{username}', {
  as: boss,
  params: ({ bob: { name } }) => ({ username: name }),
})
/** By `bob`, of what is his own. */
export const own = scope('/api/v1/user', { as: bob, params: () => ({}) })
export const ofSite = scope('/api/v1/admin', { as: boss, params: () => ({}) })
export const elsewhere = scope('', { as: bob, params: () => ({}) })

/** Calls an operation through one of the processes. */
export async function callOf(
  { call, url }: Pick<TestApp, 'call' | 'url'>,
  { literal, as, params, body, query, headers }: Operation,
  scene: Scene,
  prepared: Prepared,
): Promise<Pick<Answered, 'status' | 'body'>> {
  const given = body?.(scene, prepared)
  const own = headers?.(scene, prepared)
  const [method = '', path = ''] = literal.split(' ')
  // The protocols of runners and git declare no bodies.
  if (/^\/(?:api\/actions\/|\{owner\})/.test(path)) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(params(scene)[name]))
    const sent = given instanceof Uint8Array ? new Uint8Array(given) : JSON.stringify(given)
    const type = { 'content-type': 'application/json', authorization: as(scene, prepared).authorization }
    // A repository that was renamed meanwhile is elsewhere: that is an answer, too, and `fetch` sends no body again.
    const asked = { method, headers: { ...type, ...own }, body: sent, redirect: 'manual' } as const
    const response = await fetch(url + filled, asked)
    const said = await response.text()
    // Git tells in an answer of success that a ref was not moved.
    return { status: /\bng refs/.test(said) ? 409 : response.status, body: said }
  }
  return call(literal, {
    as: as(scene, prepared),
    params: { ...params(scene), ...prepared },
    ...(query && { query: query(scene, prepared) }),
    ...(own && { headers: own }),
    ...(given !== undefined && { body: given }),
  })
}

/** What the calls of preparations have answered, by scene. */
const answers = new WeakMap<Scene, Map<Operation, Promise<{ prepared: Prepared; body: Answered['body'] }>>>()

/** What a call makes, by a name in its answer: its number, its id. Both operations of a pair are about the same one. */
export const made =
  (
    operation: Operation,
    name = 'id',
    read: (body: Answered['body']) => string | number | undefined = (body) => body?.number ?? body?.id,
  ): Prepare =>
  async (scene, call) => {
    const known = answers.get(scene) ?? new Map()
    answers.set(scene, known)
    const answer = known.get(operation) ?? make(operation, scene, call)
    known.set(operation, answer)
    const { prepared, body } = await answer
    const value = read(body)
    return value === undefined ? prepared : { ...prepared, [name]: value }
  }

async function make(operation: Operation, scene: Scene, call: TestApp['call']) {
  const prepared = (await operation.before?.(scene, call)) ?? {}
  const { status, body } = await callOf({ call, url: scene.url }, operation, scene, prepared)
  if (status >= 300) throw new Unprepared(`${operation.literal} ${status} ${JSON.stringify(body)}`)
  return { prepared, body }
}

/** What is prepared once in a scene. */
export function once(prepare: Prepare): Prepare {
  const known = new WeakMap<Scene, Promise<Prepared>>()
  return (scene, call) => {
    const prepared = known.get(scene) ?? prepare(scene, call)
    known.set(scene, prepared)
    return prepared
  }
}

/** Several preparations, in this order. */
export const each =
  (...all: readonly Prepare[]): Prepare =>
  async (scene, call) => {
    const prepared: Record<string, string | number> = {}
    for (const prepare of all) Object.assign(prepared, await prepare(scene, call))
    return prepared
  }
