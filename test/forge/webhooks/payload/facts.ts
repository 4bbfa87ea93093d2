import type { PayloadCommit } from '../../../../src/forge/webhooks/payload/payload.ts'

/** A user as replies print one, with keys that bodies only pass on. */
export const ada = {
  id: 1,
  login: 'ada',
  full_name: 'Ada <L>',
  avatar_url: 'https://forge.example/avatars/a',
  html_url: 'https://forge.example/ada',
}

export const engine = {
  id: 7,
  full_name: 'ada/engine',
  html_url: 'https://forge.example/ada/engine',
  clone_url: 'https://forge.example/ada/engine.git',
  permissions: { admin: true, push: true, pull: true },
}

export const leak = { id: 9, number: 3, title: 'It\nleaks', html_url: `${engine.html_url}/issues/3` }

export const remark = { id: 12, body: 'Yes', html_url: `${leak.html_url}#issuecomment-12` }

export function commit(number: number, message = `Change ${number}\n\nWith a body.\n`): PayloadCommit {
  const id = String(number).repeat(40).slice(0, 40)
  const person = { name: 'Ada', email: 'ada@forge.example', username: 'ada' }
  return {
    id,
    message,
    url: `${engine.html_url}/commit/${id}`,
    author: person,
    committer: person,
    verification: null,
    timestamp: '2026-01-31T08:00:00Z',
    added: ['new.txt'],
    removed: [],
    modified: [],
  }
}

export const zeros = '0'.repeat(40)
