/** Kinds of objects that a program of the release before names in its statements. */
const named = 'table|view|materialized view|function|procedure|type|domain|schema|sequence'

/** Where the object of a statement stands. */
const object = String.raw`(?:if exists )?(?:only )?(?<object>[\w.]+)`

/** Actions of `alter table` and `alter domain` after which statements of the release before may fail. */
const actions: readonly (readonly [RegExp, string])[] = [
  [/^drop constraint\b/, 'drop constraint'],
  [/^drop (?!constraint\b|expression\b|not null\b|default\b)/, 'drop column'],
  [/^rename\b/, 'rename'],
  [/^alter .*\bset not null\b|^set not null\b/, 'set not null'],
  [/^alter (?:column )?\w+ (?:set data )?type\b/, 'change type'],
  [/^alter .*\bdrop default\b|^drop default\b/, 'drop default'],
  [/^add (?:constraint|check|unique|primary key|foreign key|exclude)\b/, 'add constraint'],
  [/^add .*\b(?:check|unique|primary key)\b/, 'add constraint'],
  [/^add (?!.*\b(?:default|generated)\b).*\bnot null\b/, 'add column without default'],
]

/**
 * Statements of a migration after which the release before may fail, in a few words each, in order. What concerns a
 * table that the same migration creates does not count: the release before does not know it.
 */
export function breakingStatements(migration: string): string[] {
  const statements = statementsOf(migration)
  const created = new Set(
    statements.map((each) => /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(each)?.[1]),
  )
  return statements.flatMap((statement) =>
    findingsOf(statement)
      .filter(({ object }) => !created.has(object) && !object.startsWith('pg_temp.'))
      .map(({ what }) => what),
  )
}

function findingsOf(statement: string): { object: string; what: string }[] {
  const drop = new RegExp(`^drop (?<kind>${named}) ${object}`).exec(statement)?.groups
  if (drop) return [finding(`drop ${drop.kind}`, drop.object)]
  const truncate = new RegExp(`^truncate (?:table )?${object}`).exec(statement)?.groups
  if (truncate) return [finding('truncate', truncate.object)]
  const unique = new RegExp(`^create unique index .*?\\bon ${object}`).exec(statement)?.groups
  if (unique) return [finding('create unique index on', unique.object)]
  const alter = new RegExp(`^alter (?<kind>\\w+) ${object} (?<rest>.*)$`).exec(statement)?.groups
  if (!alter) return []
  if (!['table', 'domain'].includes(alter.kind ?? '')) {
    return /^rename\b/.test(alter.rest ?? '') ? [finding(`alter ${alter.kind}`, alter.object, 'rename')] : []
  }
  const found = clausesOf(alter.rest ?? '').flatMap(
    (clause) => actions.find(([pattern]) => pattern.test(clause))?.[1] ?? [],
  )
  return [...new Set(found)].map((action) => finding(`alter ${alter.kind}`, alter.object, action))
}

const finding = (verb: string, object = '', action?: string) => ({
  object,
  what: [verb, object, action].filter(Boolean).join(' '),
})

/** Lower case, one blank between words, without comments and the insides of texts and of bodies of functions. */
function statementsOf(migration: string): string[] {
  return migration
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g, (found) =>
      found.startsWith('-') || found.startsWith('/') ? ' ' : "''",
    )
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter(Boolean)
}

/** The clauses between commas that stand in no parentheses. */
function clausesOf(text: string): string[] {
  const clauses = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) clauses.push('')
    else clauses.push((clauses.pop() ?? '') + character)
  }
  return clauses.map((clause) => clause.trim())
}
