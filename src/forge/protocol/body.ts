import { decode, foreignCharset, readJson, readUnstoredJson } from '../../http/pipeline/body.ts'
import type { BodyFacts } from '../../http/route/api.ts'
import { Problem, unprocessable } from '../../http/route/problem.ts'
import type { Issues, Schema } from '../../http/route/validate.ts'
import { isStored, type Member, membersOf } from './fields.ts'
import { flag, integer } from './parameters.ts'
import { formName } from './property-name.ts'

/** The refusal of a body that cannot be parsed: it names no property. */
const unreadableBody = (reason: string) => unprocessable(`[]: ${reason}`)

/**
 * Parses a body. The `Content-Type` decides: JSON, or a form whose fields have the names of the internal properties and
 * are completed from the query. Without a type the request is refused if it must have a body (POST and PUT), and read
 * as an empty form otherwise. A route that accepts `text/plain` gets the text unchanged.
 * @throws Problem 422
 */
export async function readForgeBody(bytes: Buffer, about: BodyFacts): Promise<unknown> {
  const { contentType = '', route } = about
  if (route.accepts.includes('text/plain')) return asUnprocessable(() => decode(bytes))
  const charset = foreignCharset(contentType)
  if (charset !== undefined) throw unreadableBody(`the body must be sent in UTF-8, not in ${charset}`)
  const members = route.body && membersOf(route.body)
  if (contentType.includes('json')) return fromJson(bytes, route.body, members)
  if (contentType.includes('form-urlencoded')) {
    return fromForm(new URLSearchParams(asUnprocessable(() => decode(bytes))), about, members)
  }
  if (contentType.includes('multipart/form-data')) {
    return fromForm(await readMultipart(bytes, contentType), about, members)
  }
  if (contentType !== '') throw unreadableBody('Unsupported Content-Type')
  if (route.method === 'POST' || route.method === 'PUT') throw unreadableBody('Empty Content-Type')
  return fromForm(new URLSearchParams(), about, members)
}

/** The message for a query that fails its schema. */
export const refuseQuery = ([issue]: Issues): Problem =>
  unprocessable(`${issue?.path?.[0]?.key}: ${issue?.message}`)

/** The message for a body that fails its schema: parse errors first, then the first broken rule. */
export function refuseBody(issues: Issues): Problem {
  // Rules name their property in brackets (rules.ts); all other schema messages are parse errors.
  const parseIssue = issues.find(({ message }) => !message.startsWith('['))
  if (!parseIssue) return unprocessable(issues[0]?.message ?? '[]: invalid')
  const path = parseIssue.path?.map(({ key }) => String(key)).join('.') ?? 'the body'
  return unreadableBody(
    `cannot read ${path}: ${parseIssue.expected ? `expected ${parseIssue.expected}` : parseIssue.message}`,
  )
}

function fromJson(
  bytes: Buffer,
  schema: Schema | undefined,
  members: readonly Member[] | undefined,
): unknown {
  if (bytes.length === 0) throw unreadableBody('unexpected end of JSON input')
  const value = asUnprocessable(() => (isStored(schema) ? readJson(bytes) : readUnstoredJson(bytes))) ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadableBody('the body is no JSON object')
  return members ? pickMembers(value, members) : withoutNulls(value)
}

/** Picks the members by their exact name or, for clients of older servers, ignoring case; `null` means absent. */
function pickMembers(value: object, members: readonly Member[]): Record<string, unknown> {
  const values = withoutNulls(value)
  const inAnyCase = new Map(Object.entries(values).map(([name, each]) => [name.toLowerCase(), each]))
  const picked: Record<string, unknown> = {}
  for (const { name, members: inner } of members) {
    const member = Object.hasOwn(values, name) ? values[name] : inAnyCase.get(name.toLowerCase())
    if (member !== undefined) picked[name] = inner ? pickInner(member, inner) : member
  }
  return picked
}

/** The same in an object or in the objects of a list; anything else is left for the schema to refuse. */
function pickInner(value: unknown, members: readonly Member[]): unknown {
  if (Array.isArray(value))
    return value.map((each) => (Array.isArray(each) ? each : pickInner(each, members)))
  return typeof value === 'object' && value !== null ? pickMembers(value, members) : value
}

function withoutNulls(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
}

/** The common interface of urlencoded and multipart forms. */
interface Form {
  getAll: (name: string) => unknown[]
}

function fromForm(
  form: Form,
  { route, query }: BodyFacts,
  members: readonly Member[] = [],
): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const { name, property, spelling } of members) {
    const field = formName(property)
    const sent = form.getAll(field).filter((each) => typeof each === 'string')
    const values = sent.length > 0 ? sent : [query[field] ?? []].flat()
    const [first] = values
    if (first === undefined || spelling === 'none') continue
    if (isStored(route.body) && values.some((text) => text.includes('\0')))
      throw unreadableBody('the form must not contain NUL characters')
    value[name] = read(first, values, spelling)
  }
  return value
}

function read(first: string, all: readonly string[], spelling: Member['spelling']): unknown {
  if (spelling === 'flag') return flag(first)
  if (spelling === 'integer') return integer(first)
  return spelling === 'texts' ? all : first
}

/** Files in the form are not members of the body and are dropped. */
async function readMultipart(bytes: Buffer, contentType: string): Promise<Form> {
  try {
    const headers = { 'content-type': contentType }
    return await new Response(new Uint8Array(bytes), { headers }).formData()
  } catch {
    throw unreadableBody('the form cannot be read')
  }
}

/** Turns the 400s of the HTTP parser into 422s, as all refusals of a body are here. */
function asUnprocessable<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof Problem ? unreadableBody(error.message) : error
  }
}
