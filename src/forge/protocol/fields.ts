import * as v from 'valibot'
import type { Schema } from '../../http/route/validate.ts'
import { formName, propertyName } from './property-name.ts'
import { brokenRule, type Rule } from './rules.ts'
import { parseTime } from './time.ts'

/** How a form spells a member. Maps cannot be sent as forms. */
type Spelling = 'text' | 'flag' | 'integer' | 'texts' | 'none'

/** A member of a request body: what it may hold, what refusals call it, and how a form spells it. */
export interface Field<Of extends Schema> {
  readonly schema: (property: string) => Of
  readonly spelling: Spelling
  /** The internal name where it is not that of the member. */
  readonly property: string | undefined
}

type Fields = Readonly<Record<string, Field<Schema>>>
type Entries<Of extends Fields> = { [Name in keyof Of]: ReturnType<Of[Name]['schema']> }

/** A member as forms and lenient JSON are read by. */
export interface Member {
  readonly name: string
  readonly property: string
  readonly spelling: Spelling
}

const membersOfOptions = new WeakMap<object, readonly Member[]>()

/** The members of a schema that `option` made, in order; undefined for any other schema. */
export function membersOf(schema: Schema): readonly Member[] | undefined {
  return membersOfOptions.get(schema)
}

/**
 * The schema of a request body. The order of the fields is that in which problems are told: only the first is.
 *
 *     const CreateOrgOption = option({ username: named('UserName', text(required, userName, maxSize(40))), … })
 */
export function option<const Of extends Fields>(fields: Of) {
  const members = Object.entries(fields).map(([name, { property, spelling }]) => ({
    name,
    property: property ?? propertyName(name),
    spelling,
  }))
  const entries = Object.fromEntries(
    members.map(({ name, property }) => [name, fields[name]?.schema(property)]),
  ) as Entries<Of>
  const schema = v.object(entries)
  membersOfOptions.set(schema, members)
  return schema
}

const unstored = new WeakSet<object>()

/** As `option`, for a body of which nothing is stored: its texts may hold NUL characters. */
export function unstoredOption<const Of extends Fields>(fields: Of) {
  const schema = option(fields)
  unstored.add(schema)
  return schema
}

/** Whether something of a body may be stored, so that its texts must be such as the database takes. */
export function isStored(schema: Schema | undefined): boolean {
  return schema === undefined || !unstored.has(schema)
}

/** The same field under another internal name: `new_username` is told as `[NewName]: Required`. */
export function named<Of extends Schema>(property: string, field: Field<Of>): Field<Of> {
  return { ...field, property }
}

/** A text; "" when it is not given. Rules are checked in order, the first broken one is told. */
export const text = (...rules: readonly Rule[]) =>
  field('text', (property) => v.optional(v.pipe(v.string(), ruled(property, rules)), ''))

/** A text that may be left out (undefined); the rules hold for one that is given. */
export const someText = (...rules: readonly Rule[]) =>
  field('text', (property) => v.optional(v.pipe(v.string(), ruled(property, rules))))

/** A boolean, or undefined when it is not given. */
export const someFlag = () => field('flag', () => v.optional(v.boolean()))

/** A boolean; false when it is not given. */
export const aFlag = () => field('flag', () => v.optional(v.boolean(), false))

/** An integer, or undefined when it is not given. */
export const someInteger = () => field('integer', (property) => v.optional(exactInteger(property)))

/** An integer that the database keeps in 32 bits, or undefined when it is not given. */
export const someSmallInteger = () =>
  field('integer', (property) =>
    v.optional(
      v.pipe(exactInteger(property), v.minValue(-INT32, range(property)), v.maxValue(INT32, range(property))),
    ),
  )

const INT32 = 2 ** 31 - 1
const range = (property: string) => `[${property}]: Range(-${INT32},${INT32})`

/** An integer; 0 when it is not given. */
export const anInteger = () => field('integer', (property) => v.optional(exactInteger(property), 0))

/** A list of texts; empty when it is not given. `Required` asks for at least one. */
export const texts = (rule?: 'Required') =>
  field('texts', (property) => {
    const words = `[${property}]: Required`
    const enough = v.check((list: string[]) => rule === undefined || list.length > 0, words)
    return v.optional(v.pipe(v.array(v.string()), enough), [])
  })

/** A list of texts that must be given, though it may be empty. */
export const givenTexts = () =>
  field('texts', (property) =>
    v.optional(
      v.pipe(
        v.nullable(v.array(v.string())),
        v.rawTransform<string[] | null, string[]>(({ dataset, addIssue, NEVER }) => {
          if (dataset.value !== null) return dataset.value
          addIssue({ message: `[${property}]: Required` })
          return NEVER
        }),
      ),
      null,
    ),
  )

/** A list of texts, or undefined when it is not given. */
export const someTexts = () => field('texts', () => v.optional(v.array(v.string())))

/** A list of integers; empty when it is not given. */
export const integers = () => field('none', (property) => v.optional(v.array(exactInteger(property)), []))

/** A list whose members are ids or names; empty when it is not given. */
export const labelList = () =>
  field('none', (property) => v.optional(v.array(v.union([exactInteger(property), v.string()])), []))

/** A map of texts, or undefined when it is not given; what is null in it is not given either. */
export const someMap = () =>
  field('none', (property) => v.optional(v.pipe(noList(property), texted, v.transform(withoutNulls))))

/** A record would take a list for a map of its places. */
const noList = (property: string) =>
  v.custom<Record<string, string | null>>(
    (given) => !Array.isArray(given),
    `[]: cannot read ${property}: expected Object`,
  )
const texted = v.record(v.string(), v.nullable(v.string()))

function withoutNulls(map: Record<string, string | null>): Record<string, string> {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(map)) if (value !== null) given[name] = value
  return given
}

/** A moment of RFC 3339, or undefined when it is not given or the zero time. */
export const someMoment = () =>
  field('text', () =>
    v.optional(
      v.pipe(
        v.string(),
        v.rawTransform<string, Date | undefined>(({ dataset, addIssue, NEVER }) => {
          const moment = parseTime(dataset.value)
          if (moment.ok) return moment.value
          addIssue({ message: 'no date-time of RFC 3339' })
          return NEVER
        }),
      ),
    ),
  )

function field<Of extends Schema>(spelling: Spelling, schema: (property: string) => Of): Field<Of> {
  return { schema, spelling, property: undefined }
}

/** A fraction, or what JavaScript cannot count exactly, is no integer to be read: no rule on a value was broken. */
function exactInteger(property: string) {
  return v.pipe(v.number(), v.safeInteger(`[]: cannot read ${formName(property)}: expected integer`))
}

function ruled(property: string, rules: readonly Rule[]) {
  return v.rawCheck<string>(({ dataset, addIssue }) => {
    const broken = dataset.typed ? brokenRule(property, dataset.value, rules) : undefined
    if (broken !== undefined) addIssue({ message: broken })
  })
}
