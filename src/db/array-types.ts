/** A type as postgres.js registers it: its number in `pg_type`, and both conversions from and to text. */
interface ArrayType {
  to: number
  from: number[]
  parse: (text: string) => unknown[]
  serialize: (values: unknown) => string
}

/**
 * A one-dimensional array type. postgres.js would ask each new connection which array types there are, and they never
 * change. `parse` and `serialize` are for elements that are not null.
 */
export function arrayType(
  oid: number,
  parse: (text: string) => unknown = String,
  serialize: (value: unknown) => string = String,
): ArrayType {
  return {
    to: oid,
    from: [oid],
    parse: (text) => elementsOf(text).map((element) => (element === null ? null : parse(element))),
    serialize: (values) => {
      if (!Array.isArray(values)) throw new TypeError('An array is expected')
      return `{${Array.from(values, (value) => elementText(value, serialize)).join(',')}}`
    },
  }
}

function elementText(value: unknown, serialize: (value: unknown) => string): string {
  if (value === undefined) throw new TypeError('An array has an undefined element')
  return value === null ? 'NULL' : `"${serialize(value).replace(/["\\]/g, '\\$&')}"`
}

/** Elements of `{a,"b \"c\"",NULL}`: bare, or in quotation marks, within which a backslash escapes both characters. */
function elementsOf(text: string): (string | null)[] {
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs), ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return bare === undefined || bare === 'NULL' ? null : bare
  })
}
