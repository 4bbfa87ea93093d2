import { decode, readJson, readUnstoredJson } from '../../http/pipeline/body.ts'
import type { AboutBody } from '../../http/route/api.ts'
import { Problem, unprocessable } from '../../http/route/problem.ts'
import type { Issues, Schema } from '../../http/route/validate.ts'
import { hasTwin } from './duplicate-keys.ts'
import { isStored, type Member, membersOf } from './fields.ts'
import { flag, integer } from './parameters.ts'
import { formName } from './property-name.ts'

/** The refusal of a body that cannot even be read: it names no property. */
const unreadable = (words: string) => unprocessable(`[]: ${words}`)

/**
 * The value of a body. The `Content-Type` decides: JSON, or a form, whose names are those of the internal properties
 * and which the query may fill up. A request that names no type is refused where it must have a body (POST and PUT)
 * and read as an empty form otherwise. A route that accepts `text/plain` gets the text as it is.
 * @throws Problem 422
 */
export async function readForgeBody(bytes: Buffer, about: AboutBody): Promise<unknown> {
  const { contentType = '', route } = about
  if (route.accepts.includes('text/plain')) return attempt(() => decode(bytes))
  const members = route.body && membersOf(route.body)
  if (contentType.includes('json')) return fromJson(bytes, route.body, members)
  if (contentType.includes('form-urlencoded')) {
    return fromForm(new URLSearchParams(attempt(() => decode(bytes))), about, members)
  }
  if (contentType.includes('multipart/form-data')) {
    return fromForm(await readMultipart(bytes, contentType), about, members)
  }
  if (contentType !== '') throw unreadable('Unsupported Content-Type')
  if (route.method === 'POST' || route.method === 'PUT') throw unreadable('Empty Content-Type')
  return fromForm(new URLSearchParams(), about, members)
}

/** The words for a body that fails its schema: what cannot be read first, then the first broken rule. */
export function refuseBody(issues: Issues): Problem {
  // Rules name their property in brackets (rules.ts); whatever else a schema says is about reading.
  const wrong = issues.find(({ message }) => !message.startsWith('['))
  if (!wrong) return unprocessable(issues[0]?.message ?? '[]: invalid')
  const path = wrong.path?.map(({ key }) => String(key)).join('.') ?? 'the body'
  return unreadable(`cannot read ${path}: ${wrong.expected ? `expected ${wrong.expected}` : wrong.message}`)
}

function fromJson(
  bytes: Buffer,
  schema: Schema | undefined,
  members: readonly Member[] | undefined,
): unknown {
  if (bytes.length === 0) throw unreadable('unexpected end of JSON input')
  const value = attempt(() => (isStored(schema) ? readJson(bytes) : readUnstoredJson(bytes))) ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadable('the body is no JSON object')
  if (hasTwin(bytes.toString('utf8'))) throw unreadable('a member stands twice in one object')
  return members ? pick(value, members) : withoutNulls(value)
}

/** Members by their exact name or, for clients of older servers, in whatever case; `null` is not given. */
function pick(value: object, members: readonly Member[]): Record<string, unknown> {
  const given = withoutNulls(value)
  const inAnyCase = new Map(Object.entries(given).map(([name, each]) => [name.toLowerCase(), each]))
  const picked: Record<string, unknown> = {}
  for (const { name } of members) {
    const found = Object.hasOwn(given, name) ? given[name] : inAnyCase.get(name.toLowerCase())
    if (found !== undefined) picked[name] = found
  }
  return picked
}

function withoutNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
}

/** What a form and a multipart form have in common. */
interface Form {
  getAll: (name: string) => unknown[]
}

function fromForm(
  form: Form,
  { route, query }: AboutBody,
  members: readonly Member[] = [],
): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const { name, property, spelling } of members) {
    const field = formName(property)
    const sent = form.getAll(field).filter((each) => typeof each === 'string')
    const given = sent.length > 0 ? sent : [query[field] ?? []].flat()
    const [first] = given
    if (first === undefined || spelling === 'none') continue
    if (isStored(route.body) && given.some((text) => text.includes('\0')))
      throw unreadable('the form must not contain NUL characters')
    value[name] = read(first, given, spelling)
  }
  return value
}

function read(first: string, all: readonly string[], spelling: Member['spelling']): unknown {
  if (spelling === 'flag') return flag(first)
  if (spelling === 'integer') return integer(first)
  return spelling === 'texts' ? all : first
}

/** Files in the form are no members of ours and are dropped. */
async function readMultipart(bytes: Buffer, contentType: string): Promise<Form> {
  try {
    const headers = { 'content-type': contentType }
    return await new Response(new Uint8Array(bytes), { headers }).formData()
  } catch {
    throw unreadable('the form cannot be read')
  }
}

/** The hall's refusals of a body are 400s; here they are 422s like all others. */
function attempt<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof Problem ? unreadable(error.message) : error
  }
}
