import { type Html, html } from './html.ts'

/**
 * What programs do where a page has no form for it: the exact lines, with the names of this server and repository. Values go
 * into them as one word each.
 */

/** A text as one word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w./@:=+%-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** For lines with a token that the page does not show. */
const authorization = 'Authorization: token $TOKEN'

/** What the lines are made of, by what somebody wants to do. `clone`: the address for git. */
interface Values {
  clone: { clone: string; path: string }
  'push a new repository': { clone: string; branch: string }
  'push an existing repository': { clone: string; branch: string }
  'make a key': { address: string }
  'sign commits': { address: string }
  'fetch a pull request': { clone: string; number: number }
  'resolve a conflict': { clone: string; base: string; head: string }
  'publish a package': { host: string; owner: string }
  'use a token': { host: string; token: string }
  'start a workflow': { api: string; file: string; ref: string; inputs: Readonly<Record<string, string>> }
  'report a status': { api: string; commit: string }
  'add a runner': { host: string; token: string }
}

const lines: { [Task in keyof Values]: (values: Values[Task]) => readonly string[] } = {
  clone: ({ clone, path }) => [`git clone ${shellWord(clone)}`, `tea clone ${shellWord(path)}`],
  'push a new repository': ({ clone, branch }) => [
    `git clone ${shellWord(clone)} work`,
    'cd work',
    `git switch -c ${shellWord(branch)}`,
    'echo "What this is" > README.md',
    'git add README.md',
    'git commit -m "Begin"',
    `git push -u origin ${shellWord(branch)}`,
  ],
  'push an existing repository': ({ clone, branch }) => [
    `git remote add origin ${shellWord(clone)}`,
    `git push -u origin ${shellWord(`HEAD:${branch}`)}`,
  ],
  'make a key': ({ address }) => [
    `ssh-keygen -t ed25519 -C ${shellWord(address)}`,
    'cat ~/.ssh/id_ed25519.pub',
  ],
  'sign commits': ({ address }) => [
    `git config --global user.email ${shellWord(address)}`,
    'git config --global gpg.format ssh',
    'git config --global user.signingKey ~/.ssh/id_ed25519.pub',
    'git config --global commit.gpgSign true',
  ],
  'fetch a pull request': ({ clone, number }) => [
    `git fetch ${shellWord(clone)} pull/${number}/head`,
    `git switch -c pull-${number} FETCH_HEAD`,
  ],
  'resolve a conflict': ({ clone, base, head }) => [
    `git switch ${shellWord(head)}`,
    `git pull --no-rebase ${shellWord(clone)} ${shellWord(base)}`,
    'git status',
    'git commit -a --no-edit',
    'git push',
  ],
  'publish a package': ({ host, owner }) => [
    `curl -H "${authorization}" -T tool.bin ${shellWord(`${host}api/packages/${owner}/generic/tool/1.0.0/tool.bin`)}`,
    `npm config set ${shellWord(`@${owner.toLowerCase()}:registry`)} ${shellWord(`${host}api/packages/${owner}/npm/`)}`,
    `npm config set ${shellWord(`${host.replace(/^https?:/, '')}api/packages/${owner}/npm/:_authToken`)} "$TOKEN"`,
    'npm publish',
  ],
  'use a token': ({ host, token }) => [
    `curl -H ${shellWord(`Authorization: token ${token}`)} ${shellWord(`${host}api/v1/user`)}`,
    `tea login add --name here --url ${shellWord(host)} --token ${shellWord(token)}`,
  ],
  'start a workflow': ({ api, file, ref, inputs }) => [
    `curl -H "${authorization}" -H 'Content-Type: application/json' -d ${shellWord(JSON.stringify({ ref, inputs }))} ${shellWord(`${api}/actions/workflows/${encodeURIComponent(file)}/dispatches`)}`,
  ],
  'report a status': ({ api, commit }) => [
    `curl -H "${authorization}" -H 'Content-Type: application/json' -d ${shellWord(JSON.stringify({ context: 'build', state: 'success', target_url: '' }))} ${shellWord(`${api}/statuses/${commit}`)}`,
  ],
  'add a runner': ({ host, token }) => [
    `act_runner register --no-interactive --instance ${shellWord(host)} --token ${shellWord(token)}`,
    'act_runner daemon',
  ],
}

/** The lines that do something, with a sentence before them. */
export const programLines = <Task extends keyof Values>(
  task: Task,
  sentence: string,
  values: Values[Task],
): Html => html`<p>${sentence}</p>
<pre tabindex="0" role="region" aria-label="${sentence}"><code>${lines[task](values).join('\n')}</code></pre>`
