import * as v from 'valibot'
import { REQUIRED } from '../../http/openapi/schema.ts'
import { type Schema, shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import { formName, propertyName } from './property-name.ts'
import { brokenRule, type Rule, required } from './rules.ts'
import { endOfDay, parseTime } from './time.ts'

/** How a form encodes a member. Maps cannot be sent as forms. */
type Spelling = 'text' | 'flag' | 'integer' | 'texts' | 'none'

/** A member of a request body: its schema, its name in refusals, and its form encoding. */
interface Field<Of extends Schema> {
  readonly schema: (property: string) => Of
  readonly spelling: Spelling
  /** The internal name if it differs from that of the member. */
  readonly property: string | undefined
  /** One sentence for readers of the documents. */
  readonly description?: string
  /** The members of an object, or of the objects of a list. */
  readonly members?: readonly Member[] | undefined
}

type Fields = Readonly<Record<string, Field<Schema>>>
type Entries<Of extends Fields> = { [Name in keyof Of]: ReturnType<Of[Name]['schema']> }

/** A member as the readers of forms and lenient JSON need it. */
export interface Member {
  readonly name: string
  readonly property: string
  readonly spelling: Spelling
  /** Those of the member itself, if it is an object or a list of objects. */
  readonly members?: readonly Member[] | undefined
}

const membersOfOptions = new WeakMap<object, readonly Member[]>()

/** The members of a schema that `option` made, in order; undefined for any other schema. */
export function membersOf(schema: Schema): readonly Member[] | undefined {
  return membersOfOptions.get(schema)
}

/**
 * The schema of a request body, with its name in the documents. Problems are reported in the order of the fields, and
 * only the first one.
 *
 * const RenameUserOption = option('RenameUserOption', { new_username: named('NewName', text(required)) })
 */
export function option<const Of extends Fields>(name: string, fields: Of) {
  const members = Object.entries(fields).map(([name, { property, spelling, members }]) => ({
    name,
    property: property ?? propertyName(name),
    spelling,
    members,
  }))
  const entries = Object.fromEntries(
    members.map(({ name, property }) => [name, fields[name] && schemaOf(fields[name], property)]),
  ) as Entries<Of>
  const schema = shape(name, entries)
  membersOfOptions.set(schema, members)
  return schema
}

function schemaOf({ schema, description }: Field<Schema>, property: string): Schema {
  return description === undefined ? schema(property) : described(schema(property), description)
}

const unstored = new WeakSet<object>()

/** Like `option`, for a body that is not stored: its texts may contain NUL characters. */
export function unstoredOption<const Of extends Fields>(name: string, fields: Of) {
  const schema = option(name, fields)
  unstored.add(schema)
  return schema
}

/** Whether the body may be stored, so that its texts must be valid for the database. */
export function isStored(schema: Schema | undefined): boolean {
  return schema === undefined || !unstored.has(schema)
}

/** The same field under another internal name: `new_username` is reported as `[NewName]: Required`. */
export function named<Of extends Schema>(property: string, field: Field<Of>): Field<Of> {
  return { ...field, property }
}

/** The same field with one sentence for readers of the documents, where its name does not say it all. */
export function describedField<Of extends Schema>(field: Field<Of>, description: string): Field<Of> {
  return { ...field, description }
}

/**
 * A text; "" when absent, so that `required` refuses its absence too. Rules are checked in order, and the first broken one
 * is reported.
 */
export const text = (...rules: readonly Rule[]) =>
  field('text', (property) => {
    const metadata = v.metadata<string, Record<string, unknown>>({
      ...keywordsOf(rules),
      ...(rules.includes(required) && REQUIRED),
    })
    return v.optional(v.pipe(v.string(), ruled(property, rules), metadata), '')
  })

/** An optional text (undefined when absent); the rules apply when it is present. */
export const optionalText = (...rules: readonly Rule[]) =>
  field('text', (property) =>
    v.optional(v.pipe(v.string(), ruled(property, rules), v.metadata(keywordsOf(rules)))),
  )

/** A boolean, or undefined when absent. */
export const optionalFlag = () => field('flag', () => v.optional(v.boolean()))

/** A boolean; false when absent. */
export const flag = () => field('flag', () => v.optional(v.boolean(), false))

/** An integer, of at least `min` if there is one, or undefined when absent. */
export const optionalInteger = (min = Number.MIN_SAFE_INTEGER) =>
  field('integer', (property) =>
    v.optional(v.pipe(exactInteger(property), v.minValue(min, `[${property}]: Min(${min})`))),
  )

/** An integer that fits the database's 32 bits, or undefined when absent. */
export const optionalSmallInteger = () =>
  field('integer', (property) =>
    v.optional(
      v.pipe(exactInteger(property), v.minValue(-INT32, range(property)), v.maxValue(INT32, range(property))),
    ),
  )

const INT32 = 2 ** 31 - 1
const range = (property: string) => `[${property}]: Range(-${INT32},${INT32})`

/** An integer; 0 when absent. */
export const integer = () => field('integer', (property) => v.optional(exactInteger(property), 0))

/** A list of texts; empty when absent. `Required` demands at least one. */
export const texts = (rule?: 'Required') =>
  field('texts', (property) => {
    const isEnough = (list: string[]) => rule === undefined || list.length > 0
    const enough = v.check(isEnough, `[${property}]: Required`)
    const metadata = v.metadata<string[], Record<string, unknown>>(
      rule === undefined ? {} : { ...REQUIRED, minItems: 1 },
    )
    return v.optional(v.pipe(v.array(v.string()), enough, metadata), [])
  })

/** A list of texts that must be present; it may be empty. */
export const requiredTexts = () =>
  field('texts', (property) =>
    v.optional(
      v.pipe(
        v.nullable(v.array(v.string())),
        v.metadata(REQUIRED),
        v.rawTransform<string[] | null, string[]>(({ dataset, addIssue, NEVER }) => {
          if (dataset.value !== null) return dataset.value
          addIssue({ message: `[${property}]: Required` })
          return NEVER
        }),
      ),
      null,
    ),
  )

/** A list of texts, or undefined when absent. */
export const optionalTexts = () => field('texts', () => v.optional(v.array(v.string())))

/** A list of integers; empty when absent. */
export const integers = () => field('none', (property) => v.optional(v.array(exactInteger(property)), []))

/** The same; undefined when absent. */
export const optionalIntegers = () => field('none', (property) => v.optional(v.array(exactInteger(property))))

/** A list whose members are ids or names; empty when absent. */
export const labelList = () =>
  field('none', (property) => v.optional(v.array(v.union([exactInteger(property), v.string()])), []))

/** A map of texts, or undefined when absent; null values count as absent too. `metadata`: for the documents. */
export const optionalMap = (metadata: Readonly<Record<string, unknown>> = {}) =>
  field('none', (property) =>
    v.optional(
      v.pipe(
        notList(property),
        v.metadata({ ...map, ...metadata }),
        nullableTexts,
        v.transform(withoutNulls),
      ),
    ),
  )

const map = { type: 'object', additionalProperties: { type: 'string' } } as const

/** Without this check a record schema would accept a list as a map of its indexes. */
const notList = (property: string) =>
  v.custom<Record<string, string | null>>(
    (value) => !Array.isArray(value),
    `[]: cannot read ${property}: expected Object`,
  )
const nullableTexts = v.record(v.string(), v.nullable(v.string()))

function withoutNulls(map: Record<string, string | null>): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(map)) if (value !== null) texts[name] = value
  return texts
}

/** An object that is itself declared by `option`, or undefined when absent. */
export function optionalObject<Of extends Schema>(schema: Of) {
  return { ...field('none', () => v.optional(schema)), members: membersOf(schema) }
}

/** A list of objects that are declared by `option`; at least one. */
export function objects<Of extends Schema>(schema: Of) {
  const list = (property: string) => {
    const enough = v.minLength<v.InferOutput<Of>[], 1, string>(1, `[${property}]: Required`)
    return v.optional(v.pipe(v.array(schema), enough, v.metadata(REQUIRED)), [])
  }
  return { ...field('none', list), members: membersOf(schema) }
}

/** The same; empty when absent. */
export function optionalObjects<Of extends Schema>(schema: Of) {
  return { ...field('none', () => v.optional(v.array(schema), [])), members: membersOf(schema) }
}

/** A time of RFC 3339, or undefined when absent or the zero time. */
export const optionalMoment = () => timeField((moment) => moment)

/**
 * The end of the day that a time of RFC 3339 names, in UTC and whatever its offset: who writes midnight somewhere means
 * that day. Null for the empty text and the zero time, which say that there is no such day; undefined when absent.
 */
export const optionalDay = () => timeField((moment, text) => (moment ? endOfDay(text) : null))

/** `read` converts a time and its text; the time is undefined for an empty text and for the zero time. */
const timeField = <Time>(read: (moment: Date | undefined, text: string) => Time) =>
  field('text', () =>
    v.optional(
      v.pipe(
        v.string(),
        v.rawTransform<string, Time>(({ dataset, addIssue, NEVER }) => {
          const moment = parseTime(dataset.value)
          if (moment.ok) return read(moment.value, dataset.value)
          addIssue({ message: 'no date-time of RFC 3339' })
          return NEVER
        }),
        v.metadata({ format: 'date-time' }),
      ),
    ),
  )

function field<Of extends Schema>(spelling: Spelling, schema: (property: string) => Of): Field<Of> {
  return { schema, spelling, property: undefined }
}

/** A fraction, or a number beyond JavaScript's exact integers, is a parse error, not a broken rule. */
function exactInteger(property: string) {
  return v.pipe(v.number(), v.safeInteger(`[]: cannot read ${formName(property)}: expected integer`))
}

/** The rules as a JSON Schema says them. */
function keywordsOf(rules: readonly Rule[]): Record<string, unknown> {
  return Object.fromEntries(rules.flatMap(({ keywords = {} }) => Object.entries(keywords)))
}

function ruled(property: string, rules: readonly Rule[]) {
  return v.rawCheck<string>(({ dataset, addIssue }) => {
    const broken = dataset.typed ? brokenRule(property, dataset.value, rules) : undefined
    if (broken !== undefined) addIssue({ message: broken })
  })
}
