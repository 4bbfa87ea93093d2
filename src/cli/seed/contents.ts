import type { Files } from './pack.ts'

/** The contents of the demonstration's repositories: a small program with its history, and a handbook. */

/** One step of a history: what it changes, by whom (a name), and how many hours before now. */
export interface Step {
  by: string
  hoursAgo: number
  message: string
  changes: Files
}

const readme = (usage: string) => `# beacon

Computes when the light of a lighthouse shows: its *character*, written as charts write it.

| text | meaning |
|---|---|
| \`Fl 5s\` | one flash every five seconds |
| \`Fl(2) 10s\` | two flashes every ten seconds |
| \`Iso 4s\` | two seconds of light, two of darkness |
${usage}`

const usage = `
## Use

\`\`\`js
import { parse } from './src/character.js'

parse('Fl(2) 10s') // { kind: 'Fl', flashes: 2, seconds: 10 }
\`\`\`

- [x] flashing and isophase lights
- [ ] occulting lights
- [ ] colours

Run the tests with \`node --test\`.
`

const character = `const form = /^(Fl|Iso)(?:\\((\\d)\\))? (\\d+)s$/

/** Reads a light's character, such as \`Fl(2) 10s\`. */
function parse(text) {
  const [, kind, flashes = '1', seconds] = form.exec(text) ?? []
  if (kind === undefined) throw new Error(\`not a character: \${text}\`)
  return { kind, flashes: Number(flashes), seconds: Number(seconds) }
}

export { parse }
`

const tests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '../src/character.js'

test('two flashes every ten seconds', () => {
  assert.deepEqual(parse('Fl(2) 10s'), { kind: 'Fl', flashes: 2, seconds: 10 })
})

test('a text without a period is refused', () => {
  assert.throws(() => parse('Fl'), /not a character/)
})
`

/** The label of its jobs, which only the runner of the demonstration has. */
export const runnerLabel = 'demonstration'

export const workflowFile = 'ci.yml'

const workflow = `name: Tests
on:
  push: {tags: ['v*']}
  workflow_dispatch:
jobs:
  test:
    runs-on: ${runnerLabel}
    steps:
      - name: Check out
        run: git clone -q "\${GITHUB_SERVER_URL/:\\/\\//://x:\${{ github.token }}@}/$GITHUB_REPOSITORY" . && git checkout -q "$GITHUB_SHA"
      - name: Run the tests
        run: node --test
`

/** The main branch of the program. */
export const beacon: readonly Step[] = [
  { by: 'nora', hoursAgo: 310, message: 'Begin with the reason', changes: { 'README.md': readme('') } },
  {
    by: 'emil',
    hoursAgo: 262,
    message: 'Read characters of flashing and isophase lights',
    changes: { 'package.json': '{ "name": "beacon", "type": "module" }\n', 'src/character.js': character },
  },
  {
    by: 'tove',
    hoursAgo: 214,
    message: 'Test what is read and what is refused',
    changes: { 'test/character.test.js': tests },
  },
  {
    by: 'nora',
    hoursAgo: 120,
    message: 'Run the tests on the server',
    changes: { [`.gitea/workflows/${workflowFile}`]: workflow },
  },
  { by: 'emil', hoursAgo: 46, message: 'Show how to use it', changes: { 'README.md': readme(usage) } },
]

/** What the branch of a new feature adds; its test fails. */
export const occulting: Step = {
  by: 'tove',
  hoursAgo: 20,
  message: 'Read occulting lights\n\nThey are dark for a shorter time than they shine.',
  changes: {
    'src/character.js': character.replace('(Fl|Iso)', '(Fl|Iso|Oc)'),
    'test/character.test.js': `${tests}
test('an occulting light', () => {
  assert.deepEqual(parse('Oc 6s'), { kind: 'Oc', eclipses: 1, seconds: 6 })
})
`,
  },
}

/** A repository with texts only. */
export const handbook: readonly Step[] = [
  {
    by: 'tove',
    hoursAgo: 200,
    message: 'Write down what the keepers do each day',
    changes: {
      'README.md': `# Handbook

What the keepers of this station do, and when.

1. [Each day](daily.md)
2. [In fog](fog.md)

> [!NOTE]
> Whoever changes a procedure changes this page in the same week.
`,
      'daily.md': `# Each day

| when | what |
|---|---|
| an hour before sunset | clean the lens, check both lamps |
| sunset | light on, entry in the log |
| midnight | read the barometer |
| sunrise | light off, curtain up |
`,
      'fog.md': `# In fog

Start the horn when the far buoy[^1] cannot be seen any more.

[^1]: Two nautical miles to the south.
`,
    },
  },
]

/** The logs of the runs. */
export const logs = {
  success: [
    'Cloning into the workspace',
    '✔ two flashes every ten seconds',
    '✔ a text without a period is refused',
  ],
  failure: [
    'Cloning into the workspace',
    '✔ two flashes every ten seconds',
    '✔ a text without a period is refused',
    '✖ an occulting light: Expected values to be strictly deep-equal',
    'exit status 1',
  ],
} as const

/** Labels of the program's issues: name and colour. */
export const labels = [
  ['bug', '#d73a4a'],
  ['feature', '#0e8a16'],
  ['question', '#5319e7'],
] as const

/** The issues, oldest first. */
export const issues: readonly {
  by: string
  title: string
  body: string
  labels: readonly string[]
  assignee?: string
  comments: readonly (readonly [by: string, body: string])[]
  closed?: boolean
}[] = [
  {
    by: 'emil',
    title: 'A period with a fraction is refused',
    body: 'The light at the harbour is `Fl 2.5s`.\n\n```\nError: not a character: Fl 2.5s\n```',
    labels: ['bug'],
    assignee: 'nora',
    comments: [
      ['nora', 'Right: the form takes whole seconds only. Is a tenth the smallest part?'],
      ['emil', 'Yes, in every list of lights that I have here.'],
    ],
  },
  {
    by: 'tove',
    title: 'Occulting lights',
    body: '`Oc 6s` is common on this coast. I have begun on the branch `occulting`.\n\n- [x] read them\n- [ ] name the eclipses\n- [ ] table in the README',
    labels: ['feature'],
    assignee: 'tove',
    comments: [['nora', '@tove the test on the branch fails, see the last run.']],
  },
  {
    by: 'nora',
    title: 'Say in the README how to run the tests',
    body: 'A newcomer asked.',
    labels: ['question'],
    comments: [['emil', 'Done on `main`.']],
    closed: true,
  },
]
