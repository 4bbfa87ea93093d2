import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventNames } from '../../src/forge/webhooks/payload/events.ts'
import { hookedKinds } from '../../src/forge/webhooks/payload/messages.ts'
import { sourcesOf } from '../support/sources.ts'

const sources = sourcesOf('src')
const schema = readFileSync('sql/schema.sql', 'utf8')
const declarations = 'src/background/domain-events.ts'
const hooks = 'src/forge/webhooks/events.ts'

/** Names in code, and the file behind them in brackets: "`one`, `two` (`path`)". */
interface Place {
  names: string[]
  path: string
}

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

const placesIn = (cell: string): Place[] =>
  [...cell.matchAll(/((?:`[^`]+`(?:, )?)+) \(`([^`]+)`\)/g)].map(([, names = '', path = '']) => ({
    names: codes(names),
    path,
  }))

/** The rows of the tables, by event or channel. */
const rows = [
  ...readFileSync('docs/events.md', 'utf8').matchAll(/^\| `([\w.]+)` \| (.*) \| (.*) \| (.*) \|$/gm),
].map(([, event = '', emitted = '', consumed = '', seen = '']) => ({
  event,
  emitters: placesIn(emitted),
  consumers: placesIn(consumed),
  seen,
}))
const isChannel = (event: string) => event.startsWith('forgehall_')
const textOf = (path: string) => sources.find((source) => source.path === path)?.text

/** Triggers of the schema by the text that the function they call emits, such as `'run.changed'`. */
function triggersEmitting(quoted: string): string[] {
  const functions = [...schema.matchAll(/^CREATE FUNCTION (\S+)\(.*?\$\$(.*?)\$\$;/gms)]
    .filter(([, , body = '']) => body.includes(quoted))
    .map(([, name = '']) => name)
  const triggers = schema.matchAll(/^CREATE TRIGGER (\w+) .* EXECUTE FUNCTION (\S+)\(\);$/gm)
  return [...triggers].filter(([, , called = '']) => functions.includes(called)).map(([, name = '']) => name)
}

/** Files that make events of a kind, and `sql/schema.sql` if triggers do. */
function filesEmitting(kind: string): string[] {
  const makers = sources.filter(
    ({ path, text }) => path !== declarations && new RegExp(`kind: '${kind}'(?: as const)?,`).test(text),
  )
  return [
    ...makers.map(({ path }) => path),
    ...(triggersEmitting(`'${kind}'`).length > 0 ? ['sql/schema.sql'] : []),
  ]
}

/** Files that read events of a kind out of the outbox: the call has the kinds, or the name of a list of them. */
function filesConsuming(kind: string): string[] {
  const readers = sources.filter(({ text }) =>
    [...text.matchAll(/\beventsOf\([^'()]*((?:'[^']+'(?:, )?)+)|\beventsOf\([^'()]*?(\w+)\)/g)].some(
      ([, kinds = '', name = '']) => `${kinds}${listIn(text, name)}`.includes(`'${kind}'`),
    ),
  )
  const isHooked = hookedKinds.some((each) => each === kind)
  return [...readers.map(({ path }) => path), ...(isHooked ? [hooks] : [])]
}

const listIn = (text: string, name: string) =>
  name === '' ? '' : (new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(text)?.[1] ?? '')

const pathsOf = (places: readonly Place[]) => places.map(({ path }) => path).toSorted()

test('docs/events.md has a row for each event, and for no other', () => {
  const declared = [...(textOf(declarations) ?? '').matchAll(/kind: v\.literal\('([^']+)'\)/g)].map(
    ([, kind = '']) => kind,
  )
  assert.ok(declared.length >= 12, 'the events were found')
  const listed = rows.map(({ event }) => event).filter((event) => !isChannel(event))
  assert.deepEqual(listed.toSorted(), declared.toSorted())
})

test('docs/events.md has a row for each channel of notifications', () => {
  const texts = [schema, ...sources.map(({ text }) => text)].join('\n')
  const channels = new Set(
    [...texts.matchAll(/(?:pg_notify\(|[cC]hannel = )'(\w+)'/g)].map(([, name = '']) => name),
  )
  const listed = rows.map(({ event }) => event).filter(isChannel)
  assert.deepEqual(listed.toSorted(), [...channels].toSorted())
})

test('the emitters and consumers in docs/events.md are those of the code', () => {
  for (const { event, emitters, consumers } of rows.filter((row) => !isChannel(row.event))) {
    assert.deepEqual(pathsOf(emitters), filesEmitting(event).toSorted(), `${event} is emitted by`)
    assert.deepEqual(pathsOf(consumers), filesConsuming(event).toSorted(), `${event} is consumed by`)
  }
})

test('every name in docs/events.md is a function of that file, or a trigger that emits the event', () => {
  for (const { event, emitters, consumers } of rows)
    for (const { names, path } of [...emitters, ...consumers]) {
      if (path === 'sql/schema.sql')
        assert.deepEqual(names.toSorted(), triggersEmitting(`'${event}'`).toSorted(), event)
      else
        for (const name of names)
          assert.match(textOf(path) ?? '', new RegExp(`\\b(?:function|const) ${name}\\b`), `${path}: ${name}`)
    }
})

test('a file that consumes what triggers emit names them', () => {
  for (const { event, emitters, consumers } of rows)
    for (const { names } of emitters.filter(({ path }) => path === 'sql/schema.sql'))
      for (const { path } of consumers)
        for (const name of names) {
          const text = textOf(path) ?? ''
          const isNamed =
            text.includes(name) || (name.endsWith('_announced') && text.includes('`…_announced`'))
          assert.ok(isNamed, `${path} consumes ${event} and names ${name}`)
        }
})

test('webhooks in docs/events.md are sent for these events, and no others are', () => {
  for (const { event, seen } of rows.filter((row) => !isChannel(row.event))) {
    const [, sent = ''] = /(?:^|; )webhooks? ([^;]*)/.exec(seen) ?? []
    assert.equal(
      sent !== '',
      hookedKinds.some((kind) => kind === event),
      event,
    )
    for (const name of codes(sent))
      assert.ok(
        eventNames.some((each) => each === name),
        `${event}: ${name}`,
      )
  }
})
