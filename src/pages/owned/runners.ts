import { RegistrationToken, Runner } from '../../forge/actions/runner.shape.ts'
import type { ForgeTools } from '../../forge/route.ts'
import type { Route } from '../../http/route/route.ts'
import { askedForm, buttonForm } from '../form.ts'
import type { Html } from '../html.ts'
import { card } from '../layout.ts'
import { pageAt } from '../list.ts'
import { read, readPage } from '../operations/perform.ts'
import { programLines } from '../program-lines.ts'
import type { At, Noun } from './noun.ts'
import type { Params } from './owner.ts'

/** The operations on the runners of one kind of owner. */
interface Operations {
  list: Route<ForgeTools>
  update: Route<ForgeTools>
  remove: Route<ForgeTools>
  token: Route<ForgeTools>
  replaceToken: Route<ForgeTools>
}

/** Runners that take the jobs of an owner; `jobs`: which those are. */
export const runnersOf = (operations: Operations, jobs: string): Noun<Runner> => ({
  section: 'actions/runners',
  title: 'Runners',
  word: ['runner'],
  about: `They take ${jobs}.`,
  empty: 'No runners yet.',
  rows: (at, page) => readPage(at, operations.list, Runner, { params: at.params, query: pageAt(page) }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  factsOf: ({ labels }) =>
    labels.length === 0 ? 'without labels' : `Labels: ${labels.map(({ name }) => name).join(', ')}`,
  badgesOf: ({ status, busy, disabled, ephemeral }) => [
    status,
    ...(busy ? ['busy'] : []),
    ...(disabled ? ['switched off'] : []),
    ...(ephemeral ? ['for one job'] : []),
  ],
  rowForms: ({ id, name, disabled }, address) => {
    const text = disabled ? 'Switch on' : 'Switch off'
    const to = disabled ? 'false' : 'true'
    return buttonForm(address, text, `${text}: ${name}`, { action: 'switch', key: id, disabled: to })
  },
  removed: {
    text: 'Delete',
    question: ({ busy }) =>
      `${busy ? 'It works on a job now, which will fail. ' : ''}It can register again with a registration token.`,
  },
  below: (_, address) => tokenSection(address),
  acts: actsOn(operations),
  shown: { token: (at) => shownToken(at, operations.token, jobs) },
})

const tokenSection = (address: string) =>
  card(
    'token',
    'Registration token',
  )`<p>Runners register themselves with it. It stays the same until you replace it.</p>
<div class="actions">${buttonForm(address, 'Show the token', 'Show the token', { action: 'token' })}
${askedForm({
  address,
  text: 'Replace the token',
  question: 'No runner can register with the present token any more. Runners that have registered stay.',
  answer: 'Replace it',
  fields: { action: 'replace' },
})}</div>`

const actsOn = ({ update, remove, replaceToken }: Operations): Noun<Runner>['acts'] => ({
  switch: {
    calls: ({ key = '', disabled }, { params }) => [
      [update, { params: numbered(params, key), body: { disabled: disabled === 'true' } }],
    ],
    done: 'The runner was changed.',
  },
  remove: {
    calls: ({ key = '' }, { params }) => [[remove, { params: numbered(params, key) }]],
    done: 'The runner was deleted.',
  },
  replace: {
    calls: (_, { params }) => [[replaceToken, { params }]],
    done: 'The registration token was replaced. The former one is worth nothing.',
  },
})

async function shownToken(at: At, operation: Operations['token'], jobs: string): Promise<Html> {
  const { host } = at.request.from
  const shown = await read(at, operation, RegistrationToken, { params: at.params })
  return card('shown', 'The registration token')`<p>A runner that has it takes ${jobs}.</p>
<pre tabindex="0" role="region" aria-label="Registration token"><code>${shown.token}</code></pre>
${programLines('add a runner', 'On the machine of the runner:', { host, token: shown.token })}`
}

const numbered = (params: Params, runner_id: string) => ({ ...params, runner_id })
